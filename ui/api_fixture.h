// SPDX-License-Identifier: Apache-2.0
// For tests: the API over the bus and the stores in memory; the engine is a function of the test,
// the store is filled by batches that the test writes down.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "base/simulated_clock.h"
#include "dsl/load.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/command.pb.h"
#include "log/memory_definition_store.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "store/database.h"
#include "tests/support/store_fixture.h"
#include "ui/api.h"

namespace jaque::ui {

// The definition whose tasks store_fixture.h knows, as text.
inline constexpr char kSteps[] =
    "document: {dsl: '1.0.3', namespace: test, name: steps, version: 1.0.0, title: Steps}\n"
    "do:\n"
    "  - set: {set: {m: 1}}\n"
    "  - try:\n"
    "      try:\n"
    "        - call: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/orders'}}\n"
    "      catch: {errors: {with: {status: 503}}}\n"
    "  - each: {for: {each: item, in: '${ .list }'}, do: [{inner: {set: {x: 1}}}]}\n"
    "  - rest: {wait: {seconds: 5}}\n"
    "  - hear:\n"
    "      listen: {to: {all: [{with: {type: paid}}, {with: {type: sent}}]}}\n"
    "  - both:\n"
    "      fork:\n"
    "        branches:\n"
    "          - a: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/a'}}\n"
    "          - b: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/b'}}\n";

class StoreApiTest : public ::testing::Test {
 protected:
  StoreApiTest()
      : ids_(&clock_, 1),
        bus_(&clock_),
        events_(&clock_),
        filled_(*store::OpenDatabase("sqlite::memory:")) {
    Define(kSteps);
    parts_.clock = &clock_;
    parts_.ids = &ids_;
    parts_.commands = &bus_;
    parts_.dead_commands = &bus_;
    parts_.events = &events_;
    parts_.definitions = &definitions_;
    parts_.deletion = &definitions_;
    parts_.metrics = &metrics_;
    parts_.store = filled_.store();
    api_ = MakeApi(parts_);
    service_ = bus_.Serve("e1", [this](std::string bytes, bool, CommandBus::ReplyFn reply) {
      v1::Command command;
      ASSERT_TRUE(command.ParseFromString(bytes));
      commands_.push_back(command);
      v1::CommandReply answer;
      answer.set_code(v1::CommandReply::CODE_OK);
      answer.mutable_instance()->set_id(command.object_id());
      answer.mutable_instance()->set_status(v1::INSTANCE_STATUS_RUNNING);
      if (engine_) engine_(command, &answer);
      reply(answer.SerializeAsString());
    });
  }

  void Define(const std::string& text) {
    const dsl::LoadResult loaded = dsl::Load(text);
    ASSERT_NE(loaded.workflow, nullptr) << dsl::FormatFinding("test", loaded.findings.at(0));
    ASSERT_TRUE(definitions_.Put(loaded.workflow).ok());
  }

  // From now on the engine knows no instance.
  void ForgetInstances() {
    engine_ = [](const v1::Command&, v1::CommandReply* reply) {
      reply->set_code(v1::CommandReply::CODE_NOT_FOUND);
      reply->set_message("no such instance");
    };
  }

  HttpResponse Ask(const std::string& method, const std::string& target,
                   const std::string& body = "", HttpHeaders headers = {}) {
    HttpRequest request;
    request.method = method;
    const size_t question = std::min(target.find('?'), target.size());
    request.path = target.substr(0, question);
    if (question < target.size()) request.query = target.substr(question + 1);
    request.body = body;
    request.headers = std::move(headers);
    auto response = std::make_shared<HttpResponse>();
    auto done = std::make_shared<absl::Notification>();
    api_->Serve(std::move(request), [response, done](HttpResponse r) {
      *response = std::move(r);
      done->Notify();
    });
    done->WaitForNotification();
    return *response;
  }
  HttpResponse Get(const std::string& target) { return Ask("GET", "/api/v1" + target); }
  HttpResponse Post(const std::string& target, const std::string& body = "") {
    return Ask("POST", "/api/v1" + target, body);
  }
  // The body, which is to be there.
  Value Json(const HttpResponse& response, int status = 200) {
    EXPECT_EQ(response.status, status) << response.body;
    absl::StatusOr<Value> body = ParseJson(response.body);
    EXPECT_TRUE(body.ok()) << response.body;
    return body.ok() ? *body : Value();
  }

  // An instance that faulted in the call inside its second task; the places of its facts.
  std::vector<store::HistorySeq> Fault(const std::string& id) {
    std::vector<store::HistorySeq> places = {filled_.Start(id, {{"customer", "ada"}})};
    v1::Event set = store::Filled::Done(0, 1, 0);
    set.set_data(R"({"m":1})");
    set.mutable_task_completed()->mutable_next()->set_position(1);
    places.push_back(filled_.Add(id, set));
    places.push_back(filled_.Begin(id, 2, 1, 1));
    places.push_back(filled_.Begin(id, 3, 2, 2));
    v1::Event error;
    error.mutable_error_raised()->set_frame(1);
    error.mutable_error_raised()->mutable_error()->set_title("Down");
    places.push_back(filled_.Add(id, error));
    places.push_back(filled_.Add(id, store::Filled::Faulted("Down", "no answer")));
    return places;
  }

  SimulatedClock clock_;
  IdGenerator ids_;
  MemoryCommandBus bus_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  Metrics metrics_;
  store::Filled filled_;
  ApiParts parts_;
  std::unique_ptr<Api> api_;
  std::function<void(const v1::Command&, v1::CommandReply*)> engine_;
  std::vector<v1::Command> commands_;
  std::unique_ptr<CommandBus::Service> service_;
};

}  // namespace jaque::ui
