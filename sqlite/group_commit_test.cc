// SPDX-License-Identifier: Apache-2.0
#include "sqlite/group_commit.h"

#include <optional>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque::sqlite {
namespace {

using ::testing::ElementsAre;

class GroupCommitTest : public ::testing::Test {
 protected:
  GroupCommitTest() {
    DatabaseOptions options;
    options.path = Cat(folder_.path(), "/a.db");
    options.application_id = 1;
    options.schema = "CREATE TABLE t(name TEXT UNIQUE)";
    auto database = Database::Open(options);
    JAQUE_CHECK(database.ok());
    writer_.emplace(*std::move(database));
  }

  static GroupCommit::Work Insert(const std::string& name) {
    return [name](Database& database) {
      return database.Run("INSERT INTO t VALUES (?)", {std::string_view(name)});
    };
  }
  // Holds the writer, so that what is asked for meanwhile is one group.
  void Hold() {
    absl::Notification held;
    writer_->Write(
        [&, this](Database&) {
          held.Notify();
          go_on_.WaitForNotification();
          return absl::OkStatus();
        },
        [](const absl::Status&) {});
    held.WaitForNotification();
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_TRUE(writer_
                    ->WriteAndWait([&](Database& database) {
                      return database.Query("SELECT name FROM t ORDER BY name", {},
                                            [&](const Row& row) {
                                              names.emplace_back(row.Text(0));
                                              return absl::OkStatus();
                                            });
                    })
                    .ok());
    return names;
  }

  jaque::testing::TempFolder folder_;
  absl::Notification go_on_;
  std::optional<GroupCommit> writer_;
};

TEST_F(GroupCommitTest, WhatGathersIsOneTransaction) {
  std::vector<uint64_t> transactions;
  std::vector<std::string> ended;
  Hold();
  for (const char* name : {"a", "b", "c"}) {
    writer_->Write(
        [&, name](Database& database) {
          transactions.push_back(writer_->transaction());
          return Insert(name)(database);
        },
        [&, name](const absl::Status& status) {
          EXPECT_TRUE(status.ok()) << status;
          ended.push_back(name);
        });
  }
  go_on_.Notify();
  writer_->Flush();
  ASSERT_EQ(transactions.size(), 3u);
  EXPECT_EQ(transactions[0], transactions[2]);
  EXPECT_THAT(ended, ElementsAre("a", "b", "c"));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c"));
}

TEST_F(GroupCommitTest, OneThatFailsLeavesTheOthersAlone) {
  ASSERT_TRUE(writer_->WriteAndWait(Insert("taken")).ok());
  std::vector<absl::StatusCode> ended;
  Hold();
  for (const char* name : {"a", "taken", "b"}) {
    writer_->Write(Insert(name),
                   [&](const absl::Status& status) { ended.push_back(status.code()); });
  }
  go_on_.Notify();
  writer_->Flush();
  EXPECT_THAT(ended, ElementsAre(absl::StatusCode::kOk, absl::StatusCode::kAlreadyExists,
                                 absl::StatusCode::kOk));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "taken"));
  EXPECT_TRUE(writer_->Health().ok());
}

TEST_F(GroupCommitTest, AFullDiskIsToldAndGotOver) {
  const auto limit = [this](const std::string& pages) {
    return writer_->WriteAndWait([pages](Database& database) {
      return database.Query(Cat("PRAGMA max_page_count = ", pages), {},
                            [](const Row&) { return absl::OkStatus(); });
    });
  };
  ASSERT_TRUE(limit("4").ok());
  const std::string big(64 << 10, 'x');
  EXPECT_TRUE(absl::IsResourceExhausted(writer_->WriteAndWait(Insert(big))));
  EXPECT_TRUE(absl::IsResourceExhausted(writer_->Health()));
  ASSERT_TRUE(limit("1000000").ok());
  ASSERT_TRUE(writer_->WriteAndWait(Insert(big)).ok());
  EXPECT_TRUE(writer_->Health().ok());
  EXPECT_THAT(Names(), ElementsAre(big));
}

TEST_F(GroupCommitTest, EndsWithWhatWasAskedFor) {
  bool ended = false;
  Hold();
  writer_->Write(Insert("last"), [&](const absl::Status& status) { ended = status.ok(); });
  go_on_.Notify();
  writer_.reset();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace jaque::sqlite
