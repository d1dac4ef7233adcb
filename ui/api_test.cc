// SPDX-License-Identifier: Apache-2.0
// The API over the bus and stores in memory; the engine is a function of the test.
#include "ui/api.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "base/limits.h"
#include "base/simulated_clock.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/command.pb.h"
#include "log/memory_definition_store.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"

namespace jaque::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kInstances[] = "/api/v1/definitions/shop/order/instances";

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() : ids_(&clock_, 1), bus_(&clock_), events_(&clock_) {
    for (const char* version : {"1.0.0", "1.1.0"}) {
      auto workflow = std::make_shared<dsl::Workflow>();
      workflow->namespace_ = "shop";
      workflow->name = "order";
      workflow->version = version;
      workflow->source = version;
      EXPECT_TRUE(definitions_.Put(workflow).ok());
    }
    ApiParts parts;
    parts.clock = &clock_;
    parts.ids = &ids_;
    parts.commands = &bus_;
    parts.events = &events_;
    parts.definitions = &definitions_;
    parts.deletion = &definitions_;
    parts.metrics = &metrics_;
    parts.ready = [this] { return ready_; };
    parts.writable = [this] { return writable_; };
    api_ = MakeApi(parts);
  }

  // From now on commands are answered by `engine`; without it nobody serves.
  void Serve(std::function<void(const v1::Command&, v1::CommandReply*)> engine) {
    service_ = bus_.Serve("e1", [this, engine](std::string bytes, bool, CommandBus::ReplyFn reply) {
      v1::Command command;
      ASSERT_TRUE(command.ParseFromString(bytes));
      commands_.push_back(command);
      v1::CommandReply answer;
      answer.set_code(v1::CommandReply::CODE_OK);
      answer.mutable_instance()->set_id(command.object_id());
      answer.mutable_instance()->set_status(v1::INSTANCE_STATUS_RUNNING);
      engine(command, &answer);
      reply(answer.SerializeAsString());
    });
  }
  void ServeOk() {
    Serve([](const v1::Command&, v1::CommandReply*) {});
  }
  void ServeCode(v1::CommandReply::Code code) {
    Serve([code](const v1::Command&, v1::CommandReply* reply) {
      reply->set_code(code);
      reply->set_message("because");
    });
  }

  HttpResponse Call(const std::string& method, const std::string& target,
                    const std::string& body = "", HttpHeaders headers = {}) {
    HttpRequest request;
    request.method = method;
    const size_t question = std::min(target.find('?'), target.size());
    request.path = target.substr(0, question);
    if (question < target.size()) request.query = target.substr(question + 1);
    request.body = body;
    request.headers = std::move(headers);
    // Shared: an answer that comes after a failed test must find its place.
    auto response = std::make_shared<HttpResponse>();
    auto done = std::make_shared<absl::Notification>();
    api_->Serve(std::move(request), [response, done](HttpResponse r) {
      *response = std::move(r);
      done->Notify();
    });
    done->WaitForNotification();
    return *response;
  }

  SimulatedClock clock_;
  IdGenerator ids_;
  MemoryCommandBus bus_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  Metrics metrics_;
  absl::Status ready_, writable_;
  std::unique_ptr<Api> api_;
  std::vector<v1::Command> commands_;
  std::unique_ptr<CommandBus::Service> service_;
};

TEST_F(ApiTest, AStartIsAcceptedWithItsId) {
  ServeOk();
  const HttpResponse response = Call("POST", kInstances, R"({"item": 1})");
  EXPECT_EQ(response.status, 202);
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_TRUE(IsUlid(commands_[0].object_id()));
  EXPECT_EQ(commands_[0].start_instance().definition(), "shop/order:1.1.0");
  EXPECT_EQ(commands_[0].start_instance().input(), R"({"item": 1})");
  EXPECT_FALSE(commands_[0].start_instance().wait());
  EXPECT_EQ(response.body, "{\"id\":\"" + commands_[0].object_id() + "\",\"status\":\"running\"}");
}

TEST_F(ApiTest, AStartThatEndsInTimeCarriesItsOutput) {
  Serve([](const v1::Command& command, v1::CommandReply* reply) {
    EXPECT_TRUE(command.start_instance().wait());
    reply->mutable_instance()->set_status(v1::INSTANCE_STATUS_COMPLETED);
    reply->mutable_instance()->set_output("[1,2]");
  });
  const HttpResponse response = Call("POST", std::string(kInstances) + "?version=1.0.0&wait=10s");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(commands_.at(0).start_instance().definition(), "shop/order:1.0.0");
  EXPECT_THAT(response.body, HasSubstr(R"("status":"completed","output":[1,2]})"));
}

TEST_F(ApiTest, AFaultIsShownAsProblemDetails) {
  Serve([](const v1::Command&, v1::CommandReply* reply) {
    reply->mutable_instance()->set_status(v1::INSTANCE_STATUS_FAULTED);
    v1::Problem* error = reply->mutable_instance()->mutable_error();
    error->set_type("https://example.org/e");
    error->set_status(503);
    error->set_title("Down");
    error->set_instance("/do/0/call");
  });
  const HttpResponse response = Call("POST", std::string(kInstances) + "?wait=1s");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body,
              HasSubstr(R"("status":"faulted","error":{"type":"https://example.org/e",)"
                        R"("status":503,"title":"Down","instance":"/do/0/call"}})"));
}

TEST_F(ApiTest, AStartThatDoesNotEndInTimeIsAccepted) {
  // The start is held; what the API asks afterwards is answered.
  CommandBus::ReplyFn held;
  service_ = bus_.Serve("e1", [&](std::string bytes, bool, CommandBus::ReplyFn reply) {
    v1::Command command;
    ASSERT_TRUE(command.ParseFromString(bytes));
    if (command.has_start_instance()) {
      held = std::move(reply);
      clock_.Advance(absl::Seconds(3));
      return;
    }
    v1::CommandReply answer;
    answer.set_code(v1::CommandReply::CODE_OK);
    answer.mutable_instance()->set_id(command.object_id());
    answer.mutable_instance()->set_status(v1::INSTANCE_STATUS_WAITING);
    reply(answer.SerializeAsString());
  });
  absl::Notification done;
  HttpResponse response;
  HttpRequest request;
  request.method = "POST";
  request.path = kInstances;
  request.query = "wait=2s&id=order-17";
  api_->Serve(std::move(request), [&](HttpResponse r) {
    response = std::move(r);
    done.Notify();
  });
  bus_.ExpireOverdue();
  done.WaitForNotification();
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"id":"order-17","status":"waiting"})");
}

TEST_F(ApiTest, WhileNothingCanBeWrittenWritesAre503WithRetryAfter) {
  ServeOk();
  writable_ = absl::UnavailableError("no engine");
  for (const char* path : {kInstances, "/api/v1/events", "/api/v1/definitions"}) {
    const HttpResponse response = Call("POST", path, "{}");
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_THAT(response.headers, ElementsAre(Pair("Retry-After", "1")));
  }
  EXPECT_EQ(Call("GET", "/api/v1/instances/x").status, 503);
  EXPECT_TRUE(commands_.empty());
  EXPECT_EQ(Call("GET", "/api/v1/definitions").status, 200);
}

TEST_F(ApiTest, WhatTheEngineSaysHasAStatus) {
  const std::pair<v1::CommandReply::Code, int> cases[] = {
      {v1::CommandReply::CODE_NOT_FOUND, 404}, {v1::CommandReply::CODE_CONFLICT, 409},
      {v1::CommandReply::CODE_INVALID, 400},   {v1::CommandReply::CODE_OVERLOADED, 429},
      {v1::CommandReply::CODE_NOT_OWNED, 503}, {v1::CommandReply::CODE_UNAVAILABLE, 503},
  };
  for (const auto& [code, status] : cases) {
    ServeCode(code);
    const HttpResponse response = Call("POST", "/api/v1/instances/x/cancel");
    EXPECT_EQ(response.status, status) << code;
    EXPECT_THAT(response.body, HasSubstr(R"("detail":"because")"));
    EXPECT_EQ(response.headers.size(), status == 429 || status == 503 ? 1u : 0u);
    service_.reset();
  }
}

TEST_F(ApiTest, BadStartsAreRefusedBeforeAnythingIsSent) {
  ServeOk();
  EXPECT_EQ(Call("POST", "/api/v1/definitions/shop/nothing/instances").status, 404);
  EXPECT_EQ(Call("POST", std::string(kInstances) + "?version=9.9.9").status, 404);
  EXPECT_EQ(Call("POST", kInstances, "{nonsense").status, 400);
  EXPECT_EQ(Call("POST", kInstances, std::string(limits::kInputBytes + 1, ' ')).status, 413);
  EXPECT_EQ(Call("POST", std::string(kInstances) + "?wait=10").status, 400);
  EXPECT_EQ(Call("POST", std::string(kInstances) + "?id=a.b").status, 400);
  EXPECT_EQ(Call("GET", kInstances).status, 405);
  EXPECT_TRUE(commands_.empty());
}

TEST_F(ApiTest, APageOfAnotherSiteMayNotWrite) {
  ServeOk();
  const auto post = [this](const std::string& host, const std::string& origin) {
    return Call("POST", kInstances, "{}", {{"Host", host}, {"Origin", origin}}).status;
  };
  EXPECT_EQ(post("127.0.0.1:8080", "https://evil.example"), 403);
  // A name that its owner points at the loopback address.
  EXPECT_EQ(post("evil.example:8080", "http://evil.example:8080"), 403);
  EXPECT_EQ(post("127.0.0.1:8080", "null"), 403);
  EXPECT_TRUE(commands_.empty());
  EXPECT_EQ(post("127.0.0.1:8080", "http://127.0.0.1:8080"), 202);
  EXPECT_EQ(post("localhost:8080", "http://localhost:8080"), 202);
  EXPECT_EQ(post("[::1]:8080", "http://[::1]:8080"), 202);
}

TEST_F(ApiTest, ADescriptionShowsEverything) {
  Serve([](const v1::Command&, v1::CommandReply* reply) {
    v1::InstanceDescription* instance = reply->mutable_instance();
    instance->set_definition("shop/order:1.0.0");
    instance->set_status(v1::INSTANCE_STATUS_WAITING);
    instance->set_input("{\"a\":1}");
    instance->set_started_micros(1'800'000'000'250'000);
    v1::ActiveTask* task = instance->add_active();
    task->set_pointer("/do/0/approve");
    task->set_attempt(2);
  });
  EXPECT_EQ(Call("GET", "/api/v1/instances/x").body,
            R"({"id":"x","status":"waiting","definition":"shop/order:1.0.0","namespace":"shop",)"
            R"("name":"order","version":"1.0.0","startedAt":"2027-01-15T08:00:00.25Z",)"
            R"("input":{"a":1},)"
            R"("active":[{"pointer":"/do/0/approve","attempt":2}]})");
}

TEST_F(ApiTest, EventsAreStoredOnceAndInOrder) {
  const std::string body = R"([{"specversion":"1.0","id":"1","source":"/s","type":"t"},
                               {"specversion":"1.0","id":"2","source":"/s","type":"t"}])";
  EXPECT_EQ(Call("POST", "/api/v1/events", body).body, R"({"accepted":2})");
  EXPECT_EQ(Call("POST", "/api/v1/events", body).status, 202);
  std::vector<std::string> seen;
  const auto subscription =
      events_.Subscribe(0, [&seen](const StreamedEvent& event) { seen.emplace_back(event.json); });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0], HasSubstr(R"("id":"1")"));
  EXPECT_EQ(Call("POST", "/api/v1/events", "{}").status, 400);
}

TEST_F(ApiTest, DefinitionsAreListedAndShown) {
  const auto ids = [this](const std::string& query) {
    const Value page = *ParseJson(Call("GET", "/api/v1/definitions" + query).body);
    std::vector<std::string> found;
    for (size_t i = 0; i < page.Find("items")->size(); ++i) {
      found.emplace_back(page.Find("items")->at(i).StringOr("id", ""));
    }
    return found;
  };
  EXPECT_THAT(ids(""), ElementsAre("shop/order:1.0.0", "shop/order:1.1.0"));
  EXPECT_THAT(ids("?limit=1"), ElementsAre("shop/order:1.0.0"));
  EXPECT_THAT(ids("?limit=1&cursor=shop/order:1.0.0"), ElementsAre("shop/order:1.1.0"));
  EXPECT_THAT(ids("?latest=true"), ElementsAre("shop/order:1.1.0"));
  EXPECT_THAT(ids("?namespace=bank"), ElementsAre());
  EXPECT_THAT(ids("?q=ORDER+1.0.0"), ElementsAre("shop/order:1.0.0"));
  EXPECT_THAT(Call("GET", "/api/v1/definitions/shop/order").body,
              HasSubstr(R"("version":"1.1.0")"));
  EXPECT_THAT(Call("GET", "/api/v1/definitions/shop/order?version=1.0.0").body,
              HasSubstr(R"("source":"1.0.0")"));
  EXPECT_EQ(Call("GET", "/api/v1/definitions/shop/none").status, 404);
}

TEST_F(ApiTest, ADefinitionIsLoadedOnceAndNeverChanged) {
  const std::string text =
      "document: {dsl: '1.0.3', namespace: a, name: b, version: 1.2.3}\n"
      "do: [{s: {set: {x: 1}}}]\n";
  const HttpResponse created = Call("POST", "/api/v1/definitions", text);
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.headers,
              testing::Contains(Pair("Location", "/api/v1/definitions/a/b?version=1.2.3")));
  EXPECT_EQ(Call("POST", "/api/v1/definitions", text).status, 201);
  EXPECT_EQ(Call("POST", "/api/v1/definitions", text + "# other\n").status, 409);
}

TEST_F(ApiTest, EveryFindingOfABadDefinitionIsToldWithItsPlace) {
  const HttpResponse response = Call("POST", "/api/v1/definitions",
                                     "document: {dsl: '1.0.3', namespace: a, name: b, "
                                     "version: 1.2.3}\ndo:\n"
                                     "  - s: {set: {x: 1}, then: nowhere}\n"
                                     "  - t: {sett: 1}\n");
  EXPECT_EQ(response.status, 400);
  const absl::StatusOr<Value> problem = ParseJson(response.body);
  ASSERT_TRUE(problem.ok());
  const Value* errors = problem->Find("errors");
  ASSERT_NE(errors, nullptr);
  ASSERT_GE(errors->size(), 2u);
  EXPECT_EQ(errors->at(0).Find("line")->AsInt(), 3);
  EXPECT_THAT(std::string(errors->at(0).StringOr("message", "")), HasSubstr("nowhere"));
}

TEST_F(ApiTest, TheDocumentIsServedAsJsonAndYaml) {
  const HttpResponse json = Call("GET", "/api/v1/openapi.json");
  const absl::StatusOr<Value> document = ParseJson(json.body);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->StringOr("openapi", ""), "3.1.0");
  const HttpResponse yaml = Call("GET", "/api/v1/openapi.yaml");
  EXPECT_EQ(yaml.content_type, "application/yaml");
  EXPECT_THAT(yaml.body, HasSubstr("\nopenapi: 3.1.0\n"));
}

TEST_F(ApiTest, HealthReadinessAndMetrics) {
  EXPECT_EQ(Call("GET", "/healthz").status, 200);
  EXPECT_EQ(Call("GET", "/readyz").status, 200);
  ready_ = absl::UnavailableError("still reading");
  EXPECT_EQ(Call("GET", "/readyz").status, 503);
  EXPECT_EQ(Call("GET", "/healthz").status, 200);
  EXPECT_THAT(Call("GET", "/metrics").body, HasSubstr("jaque_instances_started_total 0"));
}

}  // namespace
}  // namespace jaque::ui
