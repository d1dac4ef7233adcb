// SPDX-License-Identifier: Apache-2.0
// What the API answers out of the store: lists, histories, values read back, reruns, live events.
#include <optional>
#include <string>
#include <vector>

#include "ui/api_fixture.h"

namespace jaque::ui {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

std::vector<std::string> Ids(const Value& page) {
  std::vector<std::string> ids;
  const Value* items = page.Find("items");
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    ids.emplace_back(items->at(i).StringOr("id", ""));
  }
  return ids;
}

TEST_F(StoreApiTest, InstancesAreListedFilteredAndPaged) {
  for (const char* id : {"i1", "i2", "i3"}) filled_.Start(id, {{"customer", id}});
  filled_.Complete("i2");
  EXPECT_THAT(Ids(Json(Get("/instances"))), ElementsAre("i3", "i2", "i1"));
  EXPECT_THAT(Ids(Json(Get("/instances?order=oldest&limit=2"))), ElementsAre("i1", "i2"));
  const Value page = Json(Get("/instances?limit=2"));
  EXPECT_THAT(Ids(Json(Get("/instances?limit=2&cursor=" + std::string(page.StringOr("next", ""))))),
              ElementsAre("i1"));
  EXPECT_THAT(Ids(Json(Get("/instances?status=completed"))), ElementsAre("i2"));
  EXPECT_THAT(Ids(Json(Get("/instances?status=completed&status=running"))),
              ElementsAre("i3", "i2", "i1"));
  EXPECT_THAT(Ids(Json(Get("/instances?tag=customer:i3"))), ElementsAre("i3"));
  EXPECT_THAT(Ids(Json(Get("/instances?namespace=other"))), ElementsAre());
  for (const char* wrong : {"status=done", "name=x", "cursor=!", "limit=0", "limit=9999",
                            "startedAfter=yesterday", "order=up", "nonsense=1"}) {
    EXPECT_EQ(Get(std::string("/instances?") + wrong).status, 400) << wrong;
  }
}

TEST_F(StoreApiTest, ASummaryCountsByStatusAndOverTime) {
  Fault("i1");
  filled_.Start("i2");
  const Value summary =
      Json(Get("/instances/summary?from=2027-01-15T08:00:00Z&to=2027-01-15T09:00:00Z&buckets=4"));
  std::string counts = ToJson(*summary.Find("counts"));
  EXPECT_THAT(counts, HasSubstr(R"({"status":"faulted","count":1,"more":false})"));
  const Value* points = summary.FindPath({"series", "points"});
  ASSERT_NE(points, nullptr);
  ASSERT_EQ(points->size(), 4u);
  EXPECT_EQ(points->at(0).Find("started")->AsInt(), 2);
  EXPECT_EQ(points->at(0).Find("faulted")->AsInt(), 1);
  EXPECT_EQ(Get("/instances/summary?from=2027-01-15T08:00:00Z&to=2027-01-15T07:00:00Z").status,
            400);
}

TEST_F(StoreApiTest, AnInstanceThatNoEngineKnowsIsShownFromTheStore) {
  Fault("i1");
  ForgetInstances();
  const Value shown = Json(Get("/instances/i1"));
  EXPECT_EQ(shown.StringOr("status", ""), "faulted");
  EXPECT_EQ(shown.FindPath({"error", "detail"})->AsString(), "no answer");
  EXPECT_EQ(shown.FindPath({"tags", "customer"})->AsString(), "ada");
  EXPECT_EQ(ToJson(*shown.Find("input")), R"({"n":1})");
  EXPECT_EQ(Get("/instances/none").status, 404);
}

TEST_F(StoreApiTest, HistoryAndTasksAreShownInOrder) {
  const auto places = Fault("i1");
  const Value history = Json(Get("/instances/i1/history?limit=2"));
  const Value* items = history.Find("items");
  ASSERT_EQ(items->size(), 2u);
  EXPECT_EQ(items->at(0).StringOr("kind", ""), "InstanceStarted");
  EXPECT_EQ(items->at(1).StringOr("seq", ""), std::to_string(places[1]));
  EXPECT_EQ(ToJson(*items->at(1).FindPath({"event", "data"})), R"({"m":1})");
  const Value rest =
      Json(Get("/instances/i1/history?cursor=" + std::string(history.StringOr("next", ""))));
  EXPECT_EQ(rest.Find("items")->size(), 4u);
  const Value backwards = Json(Get("/instances/i1/history?order=newest&limit=1"));
  EXPECT_EQ(backwards.Find("items")->at(0).StringOr("kind", ""), "InstanceFaulted");
  const Value tasks = Json(Get("/instances/i1/tasks"));
  ASSERT_EQ(tasks.Find("items")->size(), 3u);
  EXPECT_EQ(tasks.Find("items")->at(2).StringOr("parent", ""), std::to_string(places[2]));
  EXPECT_EQ(Get("/instances/none/history").status, 404);
  EXPECT_EQ(Get("/instances/none/tasks").status, 404);
  EXPECT_EQ(Get("/instances/i1/history?cursor=x").status, 400);
}

TEST_F(StoreApiTest, ATaskHasTheValuesThatTheEngineHad) {
  const auto places = Fault("i1");
  const Value done = Json(Get("/instances/i1/tasks/" + std::to_string(places[1])));
  EXPECT_EQ(ToJson(*done.Find("rawInput")), R"({"n":1})");
  EXPECT_EQ(ToJson(*done.Find("output")), R"({"m":1})");
  const Value call = Json(Get("/instances/i1/tasks/" + std::to_string(places[3])));
  EXPECT_EQ(ToJson(*call.Find("input")), R"({"m":1})");
  EXPECT_EQ(call.Find("output"), nullptr);
  const Value part =
      Json(Get("/instances/i1/tasks/" + std::to_string(places[3]) + "?part=context"));
  EXPECT_NE(part.Find("context"), nullptr);
  EXPECT_EQ(part.Find("input"), nullptr);
  EXPECT_EQ(Get("/instances/i1/tasks/" + std::to_string(places[0])).status, 404);
  EXPECT_EQ(Get("/instances/i1/tasks/x").status, 400);
}

TEST_F(StoreApiTest, WhatAnInstanceWaitsForSaysWhatHasCome) {
  filled_.Start("i1");
  filled_.Begin("i1", 2, 1, 6);
  v1::Event paid;
  paid.set_data(R"({"type":"paid"})");
  paid.mutable_event_consumed()->set_frame(2);
  paid.mutable_event_consumed()->set_source("/s");
  paid.mutable_event_consumed()->set_id("1");
  filled_.Add("i1", paid);
  const Value waiting = Json(Get("/instances/i1/waiting-for"));
  ASSERT_EQ(waiting.Find("items")->size(), 1u);
  const Value& listen = waiting.Find("items")->at(0);
  EXPECT_EQ(listen.StringOr("task", ""), "/do/4/hear");
  EXPECT_EQ(listen.StringOr("mode", ""), "all");
  EXPECT_EQ(
      ToJson(*listen.Find("filters")),
      R"([{"with":{"type":"paid"},"matched":true},{"with":{"type":"sent"},"matched":false}])");
  const Value matches = Json(Get("/events/matches?source=/s&id=1"));
  EXPECT_EQ(matches.Find("items")->at(0).StringOr("instance", ""), "i1");
}

TEST_F(StoreApiTest, ARetryBeginsAtTheTaskThatFailedWithWhatItHad) {
  Fault("i1");
  const HttpResponse response = Post("/instances/i1/retry");
  EXPECT_EQ(response.status, 202) << response.body;
  ASSERT_EQ(commands_.size(), 1u);
  const v1::StartInstance& start = commands_[0].start_instance();
  EXPECT_EQ(start.rerun_of(), "i1");
  EXPECT_EQ(start.definition(), "test/steps:1.0.0");
  EXPECT_EQ(start.from().position(), 1u);
  EXPECT_EQ(start.from().data(), R"({"m":1})");
  EXPECT_EQ(start.input(), R"({"n":1})");
  ASSERT_EQ(start.tags_size(), 1);
  EXPECT_EQ(start.tags(0).value(), "ada");
  EXPECT_NE(commands_[0].object_id(), "i1");
  EXPECT_EQ(commands_[0].actor(), "anonymous");
}

TEST_F(StoreApiTest, ARerunBeginsWhereItIsTold) {
  const auto places = Fault("i1");
  EXPECT_EQ(Post("/instances/i1/rerun").status, 202);
  EXPECT_FALSE(commands_.back().start_instance().has_from());
  EXPECT_EQ(Post("/instances/i1/rerun", R"({"input": [7]})").status, 202);
  EXPECT_EQ(commands_.back().start_instance().input(), "[7]");
  EXPECT_EQ(Post("/instances/i1/rerun", R"({"task": "/do/1/try/try/0/call"})").status, 202);
  EXPECT_EQ(commands_.back().start_instance().from().position(), 1u);
  EXPECT_EQ(
      Post("/instances/i1/rerun", R"({"seq": ")" + std::to_string(places[1]) + R"(", "input": 5})")
          .status,
      202);
  EXPECT_EQ(commands_.back().start_instance().from().position(), 0u);
  EXPECT_EQ(commands_.back().start_instance().from().data(), "5");
  EXPECT_EQ(Post("/instances/i1/rerun", R"({"task": "/do/4/hear"})").status, 409);
  EXPECT_EQ(Post("/instances/i1/rerun", R"({"taks": "/do/4/hear"})").status, 400);
}

TEST_F(StoreApiTest, OnlyWhatEndedBadlyIsRetried) {
  filled_.Start("runs");
  filled_.Start("done");
  filled_.Complete("done");
  EXPECT_EQ(Post("/instances/runs/retry").status, 409);
  EXPECT_EQ(Post("/instances/done/retry").status, 409);
  ForgetInstances();
  EXPECT_EQ(Post("/instances/none/retry").status, 404);
}

TEST_F(StoreApiTest, TheSameKeyStartsOneInstance) {
  const auto start = [this](const std::string& key, const std::string& input) {
    return Ask("POST", "/api/v1/definitions/test/steps/instances?tag=a:b", input,
               {{"Idempotency-Key", key}});
  };
  EXPECT_EQ(start("k1", "{}").status, 202);
  EXPECT_EQ(start("k1", "{}").status, 202);
  EXPECT_EQ(start("k2", "{}").status, 202);
  EXPECT_EQ(commands_[0].object_id(), commands_[1].object_id());
  EXPECT_NE(commands_[0].object_id(), commands_[2].object_id());
  EXPECT_EQ(commands_[0].start_instance().tags(0).key(), "a");
  // Long after, when no engine remembers it.
  const std::string id = commands_[0].object_id();
  filled_.Start(id);
  filled_.Complete(id);
  const size_t sent = commands_.size();
  EXPECT_THAT(Json(start("k1", R"({"n": 1})")).StringOr("status", ""), "completed");
  EXPECT_EQ(start("k1", R"({"n": 2})").status, 409);
  EXPECT_EQ(commands_.size(), sent);
}

TEST_F(StoreApiTest, ManyAreChangedByOneRequestAfterAPreview) {
  for (const char* id : {"i1", "i2", "i3"}) filled_.Start(id);
  filled_.Complete("i3");
  const std::string request = R"({"operation": "cancel", "filter": {"namespace": "test"})";
  const Value preview = Json(Post("/instances/bulk", request + R"(, "preview": true})"));
  EXPECT_EQ(preview.Find("matched")->AsInt(), 2);
  EXPECT_EQ(preview.Find("sample")->size(), 2u);
  EXPECT_TRUE(commands_.empty());
  engine_ = [](const v1::Command& command, v1::CommandReply* reply) {
    if (command.object_id() == "i2") reply->set_code(v1::CommandReply::CODE_CONFLICT);
  };
  const Value done = Json(Post("/instances/bulk", request + R"(, "reason": "so"})"));
  EXPECT_EQ(done.Find("done")->AsInt(), 1);
  EXPECT_EQ(done.Find("failed")->at(0).StringOr("id", ""), "i2");
  EXPECT_FALSE(done.Find("remaining")->truthy());
  EXPECT_EQ(commands_[0].cancel_instance().reason(), "so");
  for (const char* wrong :
       {R"({"operation": "delete", "filter": {}})", R"({"operation": "cancel"})",
        R"({"operation": "cancel", "filter": {"statsu": "x"}})", "[]"}) {
    EXPECT_EQ(Post("/instances/bulk", wrong).status, 400) << wrong;
  }
}

// Every piece of a stream until it ends.
std::string ReadStream(HttpStream* stream) {
  std::string all;
  while (true) {
    auto piece = std::make_shared<std::string>();
    auto done = std::make_shared<absl::Notification>();
    stream->Next([piece, done](std::string text) {
      *piece = std::move(text);
      done->Notify();
    });
    done->WaitForNotification();
    if (piece->empty()) return all;
    all += *piece;
  }
}

TEST_F(StoreApiTest, LiveEventsEndWithTheInstanceAndGoOnAfterABreak) {
  const auto places = Fault("i1");
  HttpResponse response = Get("/instances/i1/events");
  EXPECT_EQ(response.content_type, "text/event-stream");
  ASSERT_NE(response.stream, nullptr);
  const std::string all = ReadStream(response.stream.get());
  EXPECT_THAT(all, HasSubstr("event: task\ndata: {\"seq\":\"" + std::to_string(places[2])));
  EXPECT_THAT(all, HasSubstr("id: " + std::to_string(places[5]) + "\nevent: history\n"));
  EXPECT_THAT(all, HasSubstr("event: end\ndata: {\"id\":\"i1\",\"status\":\"faulted\""));
  response =
      Ask("GET", "/api/v1/instances/i1/events", "", {{"Last-Event-ID", std::to_string(places[4])}});
  const std::string rest = ReadStream(response.stream.get());
  EXPECT_THAT(rest, ::testing::Not(HasSubstr("id: " + std::to_string(places[4]) + "\n")));
  EXPECT_THAT(rest, HasSubstr("id: " + std::to_string(places[5]) + "\n"));
  EXPECT_EQ(Get("/instances/i1/events?after=x").status, 400);
}

TEST_F(StoreApiTest, LiveEventsComeAsTheyHappen) {
  filled_.Start("i1");
  const HttpResponse response = Get("/instances/i1/events");
  ASSERT_NE(response.stream, nullptr);
  const auto next = [&response] {
    std::string piece;
    absl::Notification done;
    response.stream->Next([&](std::string text) {
      piece = std::move(text);
      done.Notify();
    });
    done.WaitForNotification();
    return piece;
  };
  EXPECT_THAT(next(), StartsWith("retry: "));
  EXPECT_THAT(next(), HasSubstr("InstanceStarted"));
  filled_.Begin("i1", 2, 1, 5);
  EXPECT_THAT(next(), HasSubstr(R"("name":"rest")"));
  filled_.Complete("i1");
  EXPECT_THAT(next(), HasSubstr("event: end\n"));
  EXPECT_EQ(next(), "");
}

TEST_F(StoreApiTest, WhatHasNotChangedIsNotSentAgainAndMuchIsCompressed) {
  for (int i = 0; i < 20; ++i) filled_.Start("instance-" + std::to_string(i));
  const auto header = [](const HttpResponse& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return std::string();
  };
  const HttpResponse plain = Get("/instances");
  const std::string tag = header(plain, "ETag");
  EXPECT_EQ(Ask("GET", "/api/v1/instances", "", {{"If-None-Match", tag}}).status, 304);
  const HttpResponse zipped =
      Ask("GET", "/api/v1/instances", "", {{"Accept-Encoding", "br, gzip;q=0.5"}});
  EXPECT_EQ(header(zipped, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(zipped, "Vary"), "Accept-Encoding");
  EXPECT_LT(zipped.body.size(), plain.body.size() / 2);
  EXPECT_EQ(Ask("GET", "/api/v1/instances", "", {{"If-None-Match", header(zipped, "ETag")}}).status,
            304);
  EXPECT_EQ(header(Ask("GET", "/api/v1/instances", "", {{"Accept-Encoding", "gzip;q=0"}}),
                   "Content-Encoding"),
            "");
  filled_.Start("another");
  EXPECT_EQ(Ask("GET", "/api/v1/instances", "", {{"If-None-Match", tag}}).status, 200);
}

}  // namespace
}  // namespace jaque::ui
