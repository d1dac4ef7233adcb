// SPDX-License-Identifier: Apache-2.0
// Every role on every route, in the namespace that it is bound to, in another and in all: what the
// table below says, asked of the real routes with tokens of a real file.
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "base/simulated_clock.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/command.pb.h"
#include "log/memory_definition_store.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "tests/support/temp_folder.h"
#include "ui/api.h"
#include "ui/no_cluster_fixture.h"
#include "ui/token_file.h"

namespace jaque::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDefinition[] =
    "document: {dsl: '1.0.3', namespace: shop, name: fresh, version: 1.0.0}\n"
    "do: [{s: {set: {x: 1}}}]\n";
constexpr char kEvent[] = R"({"specversion": "1.0", "id": "1", "source": "/s", "type": "t"})";

// Who may: `namespace_` is where the object is, found by path or instance; a body is read first.
struct Operation {
  std::string method, target, body;
  enum { kOpen, kObject, kBody, kAnywhere, kEverywhere } where;
  Role role;
  int answer = 200;  // of the handler, if it is not a success: there is no store here
};

const Operation kOperations[] = {
    {"GET", "/healthz", "", Operation::kOpen, Role::kViewer},
    {"GET", "/readyz", "", Operation::kOpen, Role::kViewer},
    {"GET", "/api/v1/openapi.json", "", Operation::kOpen, Role::kViewer},
    {"GET", "/metrics", "", Operation::kEverywhere, Role::kViewer},
    {"GET", "/api/v1/definitions", "", Operation::kAnywhere, Role::kViewer},
    {"POST", "/api/v1/definitions", kDefinition, Operation::kBody, Role::kAuthor},
    {"GET", "/api/v1/definitions/shop/order", "", Operation::kObject, Role::kViewer},
    {"POST", "/api/v1/definitions/shop/order/instances", "{}", Operation::kObject, Role::kOperator},
    {"GET", "/api/v1/instances/i1", "", Operation::kObject, Role::kViewer},
    {"POST", "/api/v1/instances/i1/cancel", "", Operation::kObject, Role::kOperator},
    {"POST", "/api/v1/instances/i1/suspend", "", Operation::kObject, Role::kOperator},
    {"POST", "/api/v1/instances/i1/resume", "", Operation::kObject, Role::kOperator},
    {"GET", "/api/v1/definitions/shop/order/versions", "", Operation::kObject, Role::kViewer},
    {"GET", "/api/v1/definitions/shop/order/graph", "", Operation::kObject, Role::kViewer},
    {"GET", "/api/v1/definitions/shop/order/diff?from=1.0.0", "", Operation::kObject,
     Role::kViewer},
    {"GET", "/api/v1/schedules/shop/order", "", Operation::kObject, Role::kViewer},
    {"POST", "/api/v1/schedules/shop/order/pause", "", Operation::kObject, Role::kOperator},
    {"POST", "/api/v1/schedules/shop/order/resume", "", Operation::kObject, Role::kOperator},
    {"POST", "/api/v1/schedules/shop/order/trigger", "", Operation::kObject, Role::kOperator},
    {"POST", "/api/v1/definitions/validate", kDefinition, Operation::kAnywhere, Role::kViewer},
    {"POST", "/api/v1/expressions/evaluate", R"({"expression": "1"})", Operation::kAnywhere,
     Role::kViewer},
    {"GET", "/api/v1/dead-letters", "", Operation::kEverywhere, Role::kAdmin},
    {"POST", "/api/v1/events", kEvent, Operation::kEverywhere, Role::kOperator},
    {"GET", "/api/v1/openapi.yaml", "", Operation::kOpen, Role::kViewer},
    {"GET", "/api/v1/cluster", "", Operation::kEverywhere, Role::kViewer},
    {"GET", "/api/v1/pools", "", Operation::kEverywhere, Role::kViewer},
    {"GET", "/api/v1/server", "", Operation::kAnywhere, Role::kViewer},
    {"GET", "/api/v1/me", "", Operation::kAnywhere, Role::kViewer},
    {"GET", "/api/v1/audit", "", Operation::kEverywhere, Role::kAdmin, 503},
    {"GET", "/api/v1/dead-letters/command-1", "", Operation::kEverywhere, Role::kAdmin, 404},
    {"DELETE", "/api/v1/dead-letters/command-1", "", Operation::kEverywhere, Role::kAdmin, 404},
    {"POST", "/api/v1/dead-letters/command-1/redrive", "", Operation::kEverywhere, Role::kAdmin,
     404},
    {"GET", "/api/v1/events/matches?source=/s&id=1", "", Operation::kEverywhere, Role::kViewer,
     503},
    {"GET", "/api/v1/instances", "", Operation::kAnywhere, Role::kViewer, 503},
    {"GET", "/api/v1/instances/summary", "", Operation::kAnywhere, Role::kViewer, 503},
    {"POST", "/api/v1/instances/bulk", R"({"operation": "cancel", "filter": {}})",
     Operation::kAnywhere, Role::kOperator, 503},
    {"GET", "/api/v1/instances/i1/children", "", Operation::kObject, Role::kViewer, 503},
    {"GET", "/api/v1/instances/i1/history", "", Operation::kObject, Role::kViewer, 503},
    {"GET", "/api/v1/instances/i1/tasks", "", Operation::kObject, Role::kViewer, 503},
    {"GET", "/api/v1/instances/i1/tasks/1", "", Operation::kObject, Role::kViewer, 503},
    {"GET", "/api/v1/instances/i1/waiting-for", "", Operation::kObject, Role::kViewer, 503},
    {"GET", "/api/v1/instances/i1/events", "", Operation::kObject, Role::kViewer, 503},
    {"POST", "/api/v1/instances/i1/retry", "", Operation::kObject, Role::kOperator, 503},
    {"POST", "/api/v1/instances/i1/rerun", "", Operation::kObject, Role::kOperator, 503},
    {"GET", "/api/v1/schedules", "", Operation::kAnywhere, Role::kViewer, 503},
    {"POST", "/api/v1/schedules/shop/order/backfill", "{}", Operation::kObject, Role::kOperator,
     400},
    {"DELETE", "/api/v1/definitions/shop/order", "", Operation::kObject, Role::kAuthor, 400},
};

// Whether the operation is one of the route "GET /a/{b}".
bool IsOf(const Operation& operation, const std::string& route) {
  const std::string target = operation.target.substr(0, operation.target.find('?'));
  const std::vector<std::string> asked = absl::StrSplit(operation.method + " " + target, '/');
  const std::vector<std::string> written = absl::StrSplit(route, '/');
  return std::equal(asked.begin(), asked.end(), written.begin(), written.end(),
                    [](const std::string& part, const std::string& pattern) {
                      return part == pattern || pattern.find('{') == 0;
                    });
}

constexpr Role kRoles[] = {Role::kViewer, Role::kOperator, Role::kAuthor, Role::kAdmin};
enum class Bound { kHere, kElsewhere, kNowhere };  // kNowhere: in all

class AccessTableTest : public ::testing::Test {
 protected:
  AccessTableTest() : ids_(&clock_, 1), bus_(&clock_), events_(&clock_) {
    for (const char* name : {"order", "secret"}) {
      auto workflow = std::make_shared<dsl::Workflow>();
      workflow->namespace_ = name == std::string("order") ? "shop" : "bank";
      workflow->name = name;
      workflow->version = "1.0.0";
      EXPECT_TRUE(definitions_.Put(workflow).ok());
    }
    service_ = bus_.Serve("e1", [](std::string bytes, bool, CommandBus::ReplyFn reply) {
      v1::Command command;
      ASSERT_TRUE(command.ParseFromString(bytes));
      v1::CommandReply answer;
      answer.set_code(command.object_id() == "none" ? v1::CommandReply::CODE_NOT_FOUND
                                                    : v1::CommandReply::CODE_OK);
      answer.mutable_instance()->set_id(command.object_id());
      answer.mutable_instance()->set_definition("shop/order:1.0.0");
      answer.mutable_instance()->set_status(v1::INSTANCE_STATUS_RUNNING);
      reply(answer.SerializeAsString());
    });
    MakeTokens();
    ApiParts parts;
    parts.clock = &clock_;
    parts.ids = &ids_;
    parts.commands = &bus_;
    parts.dead_commands = &bus_;
    parts.cluster = &cluster_;
    parts.events = &events_;
    parts.definitions = &definitions_;
    parts.deletion = &definitions_;
    parts.metrics = &metrics_;
    parts.authenticator = authenticator_.get();
    parts.has_host_name = true;
    parts.metrics_open = false;
    api_ = MakeApi(parts);
  }

  void MakeTokens() {
    const std::string path = folder_.path() + "/tokens";
    std::ofstream file(path);
    for (const Role role : kRoles) {
      for (const Bound bound : {Bound::kHere, Bound::kElsewhere, Bound::kNowhere}) {
        const char* const where[] = {"shop", "bank", "*"};
        const std::string grant =
            fmt::format("{}@{}", RoleName(role), where[static_cast<int>(bound)]);
        const NewToken made = MakeToken(grant, {grant}).value();
        tokens_[{role, bound}] = made.token;
        file << made.line << "\n";
      }
    }
    file.close();
    authenticator_ = OpenTokenFile(path).value();
  }

  HttpResponse Call(const Operation& operation, const std::string& token) {
    HttpRequest request;
    request.method = operation.method;
    const size_t question = std::min(operation.target.find('?'), operation.target.size());
    request.path = operation.target.substr(0, question);
    if (question < operation.target.size()) request.query = operation.target.substr(question + 1);
    request.body = operation.body;
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
    auto response = std::make_shared<HttpResponse>();
    auto done = std::make_shared<absl::Notification>();
    api_->Serve(std::move(request), [response, done](HttpResponse r) {
      *response = std::move(r);
      done->Notify();
    });
    done->WaitForNotification();
    return *response;
  }
  int Status(const Operation& operation, const std::string& token) {
    return Call(operation, token).status;
  }
  HttpResponse Get(const std::string& target, Role role, Bound bound) {
    return Call({"GET", target, "", Operation::kOpen, Role::kViewer}, tokens_[{role, bound}]);
  }

  SimulatedClock clock_;
  IdGenerator ids_;
  MemoryCommandBus bus_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  Metrics metrics_;
  NoCluster cluster_;
  const testing::TempFolder folder_;
  std::map<std::pair<Role, Bound>, std::string> tokens_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<CommandBus::Service> service_;
};

// 0: the handler answers.
int Refusal(const Operation& operation, Role role, Bound bound) {
  const bool enough = role >= operation.role;
  switch (operation.where) {
    case Operation::kOpen:
      return 0;
    case Operation::kObject:
      if (bound == Bound::kElsewhere) return 404;
      return enough ? 0 : 403;
    case Operation::kBody:
      return enough && bound != Bound::kElsewhere ? 0 : 403;
    case Operation::kAnywhere:
      return enough ? 0 : 403;
    default:
      return enough && bound == Bound::kNowhere ? 0 : 403;
  }
}

TEST_F(AccessTableTest, EveryRoleOnEveryRoute) {
  int cells = 0;
  for (const Operation& operation : kOperations) {
    for (const auto& [who, token] : tokens_) {
      const auto& [role, bound] = who;
      const int status = Status(operation, token);
      const int refusal = Refusal(operation, role, bound);
      const std::string cell =
          fmt::format("{} {} as {} bound {}: {}", operation.method, operation.target,
                      RoleName(role), static_cast<int>(bound), status);
      if (refusal == 0 && operation.answer != 200) {
        EXPECT_EQ(status, operation.answer) << cell;
      } else if (refusal == 0) {
        EXPECT_GE(status, 200) << cell;
        EXPECT_LT(status, 300) << cell;
      } else {
        EXPECT_EQ(status, refusal) << cell;
      }
      ++cells;
    }
  }
  EXPECT_EQ(cells, static_cast<int>(std::size(kOperations)) * 12);
}

TEST_F(AccessTableTest, TheTableHasEveryRoute) {
  for (const auto& [route, parameters] : api_->routes().List()) {
    EXPECT_TRUE(std::any_of(
        std::begin(kOperations), std::end(kOperations),
        [&route = route](const Operation& operation) { return IsOf(operation, route); }))
        << route;
  }
}

TEST_F(AccessTableTest, WithoutATokenOnlyWhatIsOpenAnswers) {
  for (const Operation& operation : kOperations) {
    clock_.Advance(absl::Minutes(1));  // the address is not to wait
    const int expected = operation.where == Operation::kOpen ? 200 : 401;
    EXPECT_EQ(Status(operation, ""), expected) << operation.target;
    EXPECT_EQ(Status(operation, "jaque_wrong"), expected) << operation.target;
  }
  const HttpResponse response = Call(kOperations[4], "");
  EXPECT_THAT(response.headers,
              ::testing::Contains(::testing::Pair("WWW-Authenticate", "Bearer realm=\"jaque\"")));
  EXPECT_GT(metrics_.refused_unauthenticated.Value(), 0);
}

TEST_F(AccessTableTest, AnAddressWhoseTokensAreRefusedHasToWait) {
  const Operation& list = kOperations[4];
  const std::string good = tokens_[{Role::kViewer, Bound::kNowhere}];
  for (int i = 0; i < limits::kRefusedTokens; ++i) EXPECT_EQ(Status(list, "jaque_wrong"), 401);
  const HttpResponse refused = Call(list, "jaque_wrong");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.headers, ::testing::Contains(::testing::Pair("Retry-After", "60")));
  // Else the good one among many guesses would be found.
  EXPECT_EQ(Status(list, good), 429);
  EXPECT_EQ(Status(list, ""), 401);
  EXPECT_EQ(Status(kOperations[0], ""), 200);
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(Status(list, good), 200);
}

TEST_F(AccessTableTest, ListsShowWhatIsInTheCallersNamespaces) {
  const std::string bound = Get("/api/v1/definitions", Role::kViewer, Bound::kElsewhere).body;
  EXPECT_THAT(bound, HasSubstr("bank/secret:1.0.0"));
  EXPECT_THAT(bound, Not(HasSubstr("shop/order")));
  const std::string all = Get("/api/v1/definitions", Role::kViewer, Bound::kNowhere).body;
  EXPECT_THAT(all, HasSubstr("bank/secret:1.0.0"));
  EXPECT_THAT(all, HasSubstr("shop/order:1.0.0"));
}

TEST_F(AccessTableTest, WhatIsHiddenLooksLikeWhatIsNotThere) {
  const HttpResponse hidden = Get("/api/v1/instances/i1", Role::kViewer, Bound::kElsewhere);
  HttpResponse none = Get("/api/v1/instances/none", Role::kViewer, Bound::kElsewhere);
  EXPECT_EQ(none.status, hidden.status);
  EXPECT_EQ(none.body.replace(none.body.find("none"), 4, "i1"), hidden.body);
  EXPECT_THAT(hidden.body, Not(HasSubstr("shop")));
}

}  // namespace
}  // namespace jaque::ui
