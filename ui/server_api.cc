// SPDX-License-Identifier: Apache-2.0
#include "ui/server_api.h"

#include <string>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "expression/value.h"
#include "ui/answers.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

Value Texts(const std::vector<std::string>& texts) {
  Value list = Value::Array();
  for (const std::string& text : texts) list.Append(Value::String(text));
  return list;
}

Value LimitsValue() {
  const std::pair<std::string_view, size_t> known[] = {
      {"requestBytes", limits::kRequestBytes},
      {"inputBytes", limits::kInputBytes},
      {"definitionBytes", limits::kDefinitionBytes},
      {"expressionBytes", limits::kExpressionBytes},
      {"waitSeconds", limits::kWaitSeconds},
      {"pageItems", limits::kPageItems},
      {"tags", limits::kTags},
      {"tagBytes", limits::kTagBytes},
      {"bulkInstances", limits::kBulkInstances},
      {"backfillFirings", limits::kBackfillFirings},
      {"eventsPerRequest", limits::kEventsPerRequest}};
  Value all = Value::Object();
  for (const auto& [name, limit] : known) all.Set(name, Value::Int(static_cast<int64_t>(limit)));
  return all;
}

HttpResponse Server(const ApiParts& parts) {
  const ServerInfo& server = parts.server;
  JsonWriter features;
  features.Text("store", server.store)
      .Text("queue", server.queue)
      .Text("coordination", server.coordination)
      .Text("authentication", server.authentication);
  JsonWriter out;
  out.Member("id", Value::String(server.id))
      .Text("version", kVersion)
      .Member("roles", Texts(server.roles))
      .Time("startedAt", absl::ToUnixMicros(server.started))
      .Time("time", absl::ToUnixMicros(parts.clock->Now()))
      .Raw("features", features.Take())
      .Member("limits", LimitsValue());
  return JsonResponse(200, out.Take());
}

HttpResponse Me(const ApiParts& parts, const Call& call) {
  Value grants = Value::Array();
  for (const Grant& grant : call.caller.grants) {
    grants.Append(Value::Object(
        {{"role", Value::String(RoleName(grant.role))},
         {"namespaces", grant.namespaces.empty() ? Texts({"*"}) : Texts(grant.namespaces)}}));
  }
  JsonWriter out;
  out.Member("name", Value::String(call.caller.name))
      .Text("authentication", parts.server.authentication)
      .Member("grants", grants);
  return JsonResponse(200, out.Take());
}

absl::StatusOr<HttpResponse> Audit(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const int64_t before, ParseSeq("cursor", ReadText(call, "cursor")));
  ASSIGN_OR_RETURN(const store::AuditPage page, parts.store->ListAudit(before, limit));
  ListWriter list;
  for (const store::AuditEntry& entry : page.items) {
    JsonWriter out;
    out.Text("id", std::to_string(entry.id))
        .Text("at", TimeText(entry.at))
        .Member("actor", Value::String(entry.actor))
        .Text("address", entry.address)
        .Text("method", entry.method)
        .Text("path", entry.path)
        .Text("object", entry.object)
        .Int("status", entry.status);
    list.Add(out.Take());
  }
  return JsonResponse(200, list.Take(page.next == 0 ? "" : std::to_string(page.next)));
}

}  // namespace

void AddServerRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  routes->Add("GET", "/api/v1/server", AnyCaller(), {},
              [parts](Call call) { call.reply(Server(parts)); });
  routes->Add("GET", "/api/v1/me", AnyCaller(), {},
              [parts](Call call) { call.reply(Me(parts, call)); });
  routes->Add("GET", "/api/v1/audit", Everywhere(Role::kAdmin), {"cursor", "limit"},
              OnStore(parts, pool, Audit));
}

}  // namespace jaque::ui
