// SPDX-License-Identifier: Apache-2.0
#include "ui/api.h"

#include <optional>
#include <utility>

#include "boost/asio/thread_pool.hpp"
#include "ui/audit_trail.h"
#include "ui/definitions_api.h"
#include "ui/events_api.h"
#include "ui/guard.h"
#include "ui/instance_namespaces.h"
#include "ui/instances_api.h"
#include "ui/openapi.h"
#include "ui/problem.h"
#include "ui/request_checks.h"
#include "ui/routes.h"

namespace jaque::ui {
namespace {

HttpResponse Text(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

class ApiImpl final : public Api {
 public:
  explicit ApiImpl(const ApiParts& parts)
      : parts_(parts),
        namespaces_(parts.clock, parts.ids, parts.commands, parts.store),
        audit_(parts.store),
        guard_({parts.clock, parts.metrics, parts.authenticator, &namespaces_, &audit_,
                parts.proxies}),
        routes_([this](const Access& access, Call call, const Routes::Handler& handler) {
          guard_.Admit(access, std::move(call), handler);
        }) {
    AddHealthRoutes();
    if (parts_.operations_only) return;
    AddDefinitionRoutes(parts_, &loader_, &routes_);
    AddInstanceRoutes(parts_, &routes_);
    AddEventRoutes(parts_, &routes_);
    AddOpenApiRoutes(&routes_);
  }
  ~ApiImpl() override { loader_.join(); }

  void Serve(HttpRequest request, HttpReply reply) override {
    if (auto refused = CheckRequest(request, parts_.has_host_name)) {
      return reply(*std::move(refused));
    }
    const bool needs_engine =
        request.method != "GET" || request.path.find("/instances/") != std::string::npos;
    if (parts_.writable && needs_engine) {
      const absl::Status writable = parts_.writable();
      if (!writable.ok()) return reply(ProblemOfStatus(writable));
    }
    routes_.Dispatch(std::move(request), std::move(reply));
  }

 private:
  void AddHealthRoutes() {
    routes_.Add("GET", "/healthz", Open(), {}, [](Call call) { call.reply(Text(200, "ok\n")); });
    routes_.Add("GET", "/readyz", Open(), {}, [this](Call call) {
      const absl::Status ready = parts_.ready ? parts_.ready() : absl::OkStatus();
      if (!ready.ok()) return call.reply(ProblemResponse(503, std::string(ready.message())));
      call.reply(Text(200, "ready\n"));
    });
    const Access metrics = parts_.metrics_open ? Open() : Everywhere(Role::kViewer);
    routes_.Add("GET", "/metrics", metrics, {}, [this](Call call) {
      HttpResponse response = Text(200, parts_.metrics->Text());
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      call.reply(std::move(response));
    });
  }

  const ApiParts parts_;
  boost::asio::thread_pool loader_{1};
  InstanceNamespaces namespaces_;
  AuditTrail audit_;
  const Guard guard_;
  Routes routes_;
};

}  // namespace

std::unique_ptr<Api> MakeApi(const ApiParts& parts) { return std::make_unique<ApiImpl>(parts); }

}  // namespace jaque::ui
