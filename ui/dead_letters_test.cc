// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ui/api_fixture.h"
#include "ui/dead_letters_api.h"

namespace jaque::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Both kinds, as somebody else keeps them.
class Graveyard final : public DeadLetters, public DeadNotifications {
 public:
  absl::StatusOr<std::vector<DeadLetter>> ListDead(uint64_t after, size_t limit) override {
    std::vector<DeadLetter> page;
    for (auto it = commands.upper_bound(after); it != commands.end() && page.size() < limit; ++it) {
      page.push_back(it->second);
    }
    return page;
  }
  absl::StatusOr<uint64_t> CountDead() override { return commands.size(); }
  absl::StatusOr<DeadLetter> GetDead(uint64_t sequence) override {
    if (!commands.contains(sequence)) return absl::NotFoundError("gone");
    return commands[sequence];
  }
  absl::Status DropDead(uint64_t sequence) override {
    return commands.erase(sequence) > 0 ? absl::OkStatus() : absl::NotFoundError("gone");
  }
  absl::StatusOr<std::vector<DeadNotification>> ListDead(const std::string& after,
                                                         size_t limit) override {
    std::vector<DeadNotification> page;
    for (auto it = told.upper_bound(after); it != told.end() && page.size() < limit; ++it) {
      page.push_back(it->second);
    }
    return page;
  }
  absl::StatusOr<DeadNotification> GetDead(const std::string& id) override {
    if (!told.contains(id)) return absl::NotFoundError("gone");
    return told[id];
  }
  absl::Status RedriveDead(const std::string& id) override {
    redriven.push_back(id);
    return DropDead(id);
  }
  absl::Status DropDead(const std::string& id) override {
    return told.erase(id) > 0 ? absl::OkStatus() : absl::NotFoundError("gone");
  }

  std::map<uint64_t, DeadLetter> commands;
  std::map<std::string, DeadNotification> told;
  std::vector<std::string> redriven;
};

class DeadLettersTest : public StoreApiTest {
 protected:
  DeadLettersTest() {
    for (const uint64_t sequence : {3, 5}) {
      v1::Command command;
      command.set_object_id("i");
      command.mutable_start_instance()->set_definition("test/steps:1.0.0");
      dead_.commands[sequence] = {sequence, command.SerializeAsString(), "nobody took it", 0};
    }
    for (const char* id : {"1-a", "2-b"}) {
      DeadNotification& told = dead_.told[id];
      told.id = id;
      told.instance = "i";
      told.type = "workflow.faulted";
      told.rule = "faults";
      told.target = "hook";
      told.reason = "HTTP 410";
      told.attempts = 1;
      told.at_micros = 1'800'000'000'000'000;
      told.body = "{\"id\":\"x\"}";
      told.content_type = "application/json";
    }
    parts_.dead_commands = &dead_;
    parts_.dead_notifications = &dead_;
    api_ = MakeApi(parts_);
  }

  // Ids of all pages.
  std::vector<std::string> Ids(const std::string& query) {
    std::vector<std::string> ids;
    std::string cursor;
    do {
      const HttpResponse page = Ask("GET", "/api/v1/dead-letters?" + query + cursor);
      EXPECT_EQ(page.status, 200) << page.body;
      const Value list = *ParseJson(page.body);
      for (size_t i = 0; i < list.Find("items")->size(); ++i) {
        ids.emplace_back(list.Find("items")->at(i).StringOr("id", ""));
      }
      cursor = std::string(list.StringOr("next", ""));
      if (!cursor.empty()) cursor = "&cursor=" + cursor;
    } while (!cursor.empty());
    return ids;
  }

  Graveyard dead_;
};

TEST_F(DeadLettersTest, BothKindsAreListedWhateverThePage) {
  for (const char* limit : {"limit=1", "limit=2", "limit=3", "limit=50"}) {
    EXPECT_THAT(Ids(limit),
                ElementsAre("command-3", "command-5", "notification-1-a", "notification-2-b"));
  }
  EXPECT_THAT(Ids("kind=command&limit=1"), ElementsAre("command-3", "command-5"));
  EXPECT_THAT(Ids("kind=notification&limit=1"),
              ElementsAre("notification-1-a", "notification-2-b"));
  // A page goes on behind what has gone meanwhile.
  dead_.commands.clear();
  EXPECT_THAT(Ids("cursor=command-3"), ElementsAre("notification-1-a", "notification-2-b"));
  EXPECT_EQ(Ask("GET", "/api/v1/dead-letters?cursor=17").status, 400);
}

TEST_F(DeadLettersTest, OneIsShownWithWhatItHolds) {
  const HttpResponse shown = Ask("GET", "/api/v1/dead-letters/notification-1-a");
  EXPECT_EQ(shown.status, 200);
  EXPECT_THAT(shown.body, HasSubstr("\"summary\":\"workflow.faulted to hook\""));
  EXPECT_THAT(shown.body, HasSubstr("\"reason\":\"HTTP 410\""));
  EXPECT_THAT(shown.body, HasSubstr("\"body\":{\"id\":\"x\"}"));
  EXPECT_THAT(Ask("GET", "/api/v1/dead-letters/command-3").body,
              HasSubstr("startInstance test/steps:1.0.0"));
  for (const char* id : {"notification-none", "notification-", "command-9", "command-0", "x"}) {
    EXPECT_EQ(Ask("GET", std::string("/api/v1/dead-letters/") + id).status, 404) << id;
  }
}

TEST_F(DeadLettersTest, OneIsSentAgainOrForgotten) {
  EXPECT_EQ(Ask("POST", "/api/v1/dead-letters/notification-2-b/redrive").status, 204);
  EXPECT_THAT(dead_.redriven, ElementsAre("2-b"));
  EXPECT_EQ(Ask("POST", "/api/v1/dead-letters/notification-2-b/redrive").status, 404);
  EXPECT_EQ(Ask("DELETE", "/api/v1/dead-letters/notification-1-a").status, 204);
  EXPECT_EQ(Ask("DELETE", "/api/v1/dead-letters/notification-1-a").status, 404);
  EXPECT_THAT(commands_, IsEmpty());
  EXPECT_EQ(Ask("POST", "/api/v1/dead-letters/command-5/redrive").status, 204);
  EXPECT_THAT(commands_, Not(IsEmpty()));
  EXPECT_THAT(Ids(""), ElementsAre("command-3"));
}

TEST_F(DeadLettersTest, WhereOneKindIsKeptTheOtherIsEmpty) {
  parts_.dead_commands = nullptr;
  api_ = MakeApi(parts_);
  EXPECT_THAT(Ids(""), ElementsAre("notification-1-a", "notification-2-b"));
  EXPECT_EQ(Ask("GET", "/api/v1/dead-letters/command-3").status, 404);
}

}  // namespace
}  // namespace jaque::ui
