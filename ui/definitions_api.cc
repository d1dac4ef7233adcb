// SPDX-License-Identifier: Apache-2.0
#include "ui/definitions_api.h"

#include <atomic>
#include <memory>
#include <utility>

#include "base/limits.h"
#include "boost/asio/post.hpp"
#include "dsl/load.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

std::string Location(const dsl::Workflow& workflow) {
  return fmt::format("/api/v1/definitions/{}/{}?version={}", workflow.namespace_, workflow.name,
                     workflow.version);
}

Value Identity(const dsl::Workflow& workflow) {
  return Value::Object({{"id", Value::String(workflow.id())},
                        {"namespace", Value::String(workflow.namespace_)},
                        {"name", Value::String(workflow.name)},
                        {"version", Value::String(workflow.version)}});
}

HttpResponse Load(const std::string& text, const Caller& caller, DefinitionStore* definitions) {
  dsl::LoadResult loaded = dsl::Load(text);
  if (loaded.workflow == nullptr) return FindingsResponse(loaded.findings);
  if (!caller.May(Role::kAuthor, loaded.workflow->namespace_)) {
    return ProblemResponse(403, fmt::format("{} may not change definitions of the namespace {}",
                                            caller.name, loaded.workflow->namespace_));
  }
  const absl::Status stored = definitions->Put(loaded.workflow);
  if (absl::IsAlreadyExists(stored)) {
    return ProblemResponse(
        409, fmt::format("{} exists with another text; a definition never changes, so give this "
                         "one a new version",
                         loaded.workflow->id()));
  }
  if (!stored.ok()) return ProblemOfStatus(stored);
  HttpResponse response;
  response.status = 201;
  response.headers.emplace_back("Location", Location(*loaded.workflow));
  response.body = ToJson(Identity(*loaded.workflow));
  return response;
}

void Show(const ApiParts& parts, Call call) {
  const std::string name = call.path[0] + "/" + call.path[1];
  const std::string* version = call.Parameter("version");
  const auto found = version == nullptr || *version == "latest"
                         ? parts.definitions->GetLatest(name)
                         : parts.definitions->Get(name + ":" + *version);
  if (!found.ok()) return call.reply(ProblemOfStatus(found.status()));
  Value body = Identity(**found);
  body.Set("document", (*found)->document);
  body.Set("source", Value::String((*found)->source));
  HttpResponse response;
  response.body = ToJson(body);
  call.reply(std::move(response));
}

void List(const ApiParts& parts, Call call) {
  Value ids = Value::Array();
  for (const std::string& id : parts.definitions->List()) {
    if (call.caller.May(Role::kViewer, id.substr(0, id.find('/')))) ids.Append(Value::String(id));
  }
  HttpResponse response;
  response.body = ToJson(Value::Object({{"definitions", std::move(ids)}}));
  call.reply(std::move(response));
}

}  // namespace

void AddDefinitionRoutes(const ApiParts& parts, boost::asio::thread_pool* loader, Routes* routes) {
  const auto loading = std::make_shared<std::atomic<int>>(0);
  routes->Add(
      "POST", "/api/v1/definitions", Somewhere(Role::kAuthor), {},
      [parts, loader, loading](Call call) {
        if (loading->fetch_add(1) >= limits::kDefinitionsLoading) {
          loading->fetch_sub(1);
          return call.reply(ProblemResponse(429, "too many definitions are being validated"));
        }
        boost::asio::post(*loader, [parts, loading, call = std::move(call)]() mutable {
          HttpResponse response = Load(call.request.body, call.caller, parts.definitions);
          loading->fetch_sub(1);
          call.reply(std::move(response));
        });
      });
  routes->Add("GET", "/api/v1/definitions", Somewhere(Role::kViewer), {},
              [parts](Call call) { List(parts, std::move(call)); });
  routes->Add("GET", "/api/v1/definitions/{namespace}/{name}", InPath(Role::kViewer), {"version"},
              [parts](Call call) { Show(parts, std::move(call)); });
}

}  // namespace jaque::ui
