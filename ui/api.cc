// SPDX-License-Identifier: Apache-2.0
#include "ui/api.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "base/limits.h"
#include "ui/audit_trail.h"
#include "ui/bulk_api.h"
#include "ui/cluster_api.h"
#include "ui/command_sender.h"
#include "ui/dead_letters_api.h"
#include "ui/definition_reads_api.h"
#include "ui/definitions_api.h"
#include "ui/encoding.h"
#include "ui/events_api.h"
#include "ui/expressions_api.h"
#include "ui/guard.h"
#include "ui/history_api.h"
#include "ui/instance_lists_api.h"
#include "ui/instance_namespaces.h"
#include "ui/instances_api.h"
#include "ui/live_api.h"
#include "ui/openapi.h"
#include "ui/problem.h"
#include "ui/refused_addresses.h"
#include "ui/request_checks.h"
#include "ui/rerun_api.h"
#include "ui/routes.h"
#include "ui/schedules_api.h"
#include "ui/server_api.h"
#include "ui/task_details_api.h"
#include "ui/work_pool.h"

namespace jaque::ui {
namespace {

HttpResponse Text(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

// What is only worth trying while an engine can be asked. One instance can be shown without.
bool NeedsEngine(const HttpRequest& request) {
  if (request.method == "GET") return absl::StartsWith(request.path, "/api/v1/schedules/");
  return request.path != "/api/v1/definitions/validate" &&
         request.path != "/api/v1/expressions/evaluate";
}

class ApiImpl final : public Api {
 public:
  explicit ApiImpl(const ApiParts& parts)
      : parts_(parts),
        namespaces_(parts.clock, parts.ids, parts.commands, parts.store),
        audit_(parts.store),
        refused_(parts.clock),
        guard_({parts.clock, parts.metrics, parts.authenticator, &namespaces_, &audit_, &refused_,
                parts.proxies}),
        sender_(parts.ids, parts.commands),
        routes_([this](const Access& access, Call call, const Routes::Handler& handler) {
          guard_.Admit(access, std::move(call), handler);
        }) {
    AddHealthRoutes();
    if (parts_.operations_only) return;
    if (parts_.store != nullptr) {
      streams_ = std::make_unique<LiveStreams>(parts_.clock, parts_.store);
    }
    AddDefinitionRoutes(parts_, &sender_, &pool_, &computing_, &routes_);
    AddDefinitionReadRoutes(parts_, &pool_, &routes_);
    // Those with a word where others have an id come first.
    AddInstanceListRoutes(parts_, &pool_, &routes_);
    AddBulkRoutes(parts_, &sender_, &pool_, &routes_);
    AddInstanceRoutes(parts_, &sender_, &pool_, &routes_);
    AddRerunRoutes(parts_, &sender_, &pool_, &routes_);
    AddHistoryRoutes(parts_, &pool_, &routes_);
    AddTaskDetailsRoutes(parts_, &pool_, &routes_);
    AddLiveRoutes(parts_, &sender_, &pool_, streams_.get(), &routes_);
    AddEventRoutes(parts_, &pool_, &routes_);
    AddScheduleRoutes(parts_, &sender_, &pool_, &routes_);
    AddExpressionRoutes(parts_, &computing_, &routes_);
    AddDeadLetterRoutes(parts_, &pool_, &routes_);
    AddClusterRoutes(parts_, &pool_, &routes_);
    AddServerRoutes(parts_, &pool_, &routes_);
    AddOpenApiRoutes(&routes_);
  }
  ~ApiImpl() override {
    namespaces_.Join();  // its last answers go to handlers, which use the pools
    computing_.Join();
    pool_.Join();
  }

  void Serve(HttpRequest request, HttpReply reply) override {
    reply = Encoded(request, std::move(reply));
    if (auto refused = CheckRequest(request, parts_.has_host_name)) {
      return reply(*std::move(refused));
    }
    if (parts_.page != nullptr && !parts_.operations_only) {
      if (auto page = ServePage(*parts_.page, request)) return reply(*std::move(page));
    }
    if (parts_.writable && NeedsEngine(request)) {
      const absl::Status writable = parts_.writable();
      if (!writable.ok()) return reply(ProblemOfStatus(writable));
    }
    routes_.Dispatch(std::move(request), std::move(reply));
  }

  const Routes& routes() const override { return routes_; }

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
  InstanceNamespaces namespaces_;
  AuditTrail audit_;
  RefusedAddresses refused_;
  const Guard guard_;
  const CommandSender sender_;
  std::unique_ptr<LiveStreams> streams_;  // null without a store
  WorkPool pool_{limits::kApiThreads, limits::kApiQueued};
  WorkPool computing_{1, limits::kDefinitionsLoading};  // validation, expressions
  Routes routes_;
};

}  // namespace

std::unique_ptr<Api> MakeApi(const ApiParts& parts) { return std::make_unique<ApiImpl>(parts); }

}  // namespace jaque::ui
