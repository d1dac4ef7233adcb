// SPDX-License-Identifier: Apache-2.0
#include "sqlite/data_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/simulated_clock.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque::sqlite {
namespace {

using ::testing::HasSubstr;

class DataFolderTest : public ::testing::Test {
 protected:
  DataFolderTest() {
    options_.path = Cat(temp_.path(), "/made/here");
    options_.schema = "CREATE TABLE t(name TEXT);";
    options_.shards = 128;
  }
  std::unique_ptr<DataFolder> Open() {
    auto folder = DataFolder::Open(&clock_, options_);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return *std::move(folder);
  }
  std::string Refusal() {
    return std::string(DataFolder::Open(&clock_, options_).status().message());
  }
  std::string File() const { return options_.path + "/jaque.db"; }

  SimulatedClock clock_;
  jaque::testing::TempFolder temp_;
  DataFolderOptions options_;
};

TEST_F(DataFolderTest, CountsStartsAndWhatWasNotStoppedInOrder) {
  {
    const auto first = Open();
    EXPECT_EQ(first->epoch(), 1u);
    EXPECT_EQ(first->incarnation(), 1u);
    first->Close();
  }
  {
    const auto second = Open();
    EXPECT_EQ(second->epoch(), 2u);
    EXPECT_EQ(second->incarnation(), 1u);
  }
  const auto third = Open();
  EXPECT_EQ(third->epoch(), 3u);
  EXPECT_EQ(third->incarnation(), 2u);
}

TEST_F(DataFolderTest, IsOneProcess) {
  const auto first = Open();
  EXPECT_THAT(Refusal(), HasSubstr(options_.path + ": another jaque uses this data folder"));
}

TEST_F(DataFolderTest, KeepsItsNumberOfShards) {
  Open();
  options_.shards = 64;
  EXPECT_THAT(Refusal(), HasSubstr("made with -shards 128, which cannot be changed"));
}

TEST_F(DataFolderTest, RefusesWhatItHasNotMade) {
  std::filesystem::create_directories(options_.path);
  std::ofstream(File()) << std::string(8'192, 'x');
  EXPECT_THAT(Refusal(), HasSubstr("jaque.db: file is not a database"));
  std::filesystem::remove(File());
  {
    auto other = Database::Open({.path = File()});
    ASSERT_TRUE((*other)->RunScript("CREATE TABLE u(a)").ok());
  }
  EXPECT_THAT(Refusal(), HasSubstr("jaque.db: a database of another program"));
  std::filesystem::remove(File());
  Open();
  {
    auto newer = Database::Open({.path = File()});
    ASSERT_TRUE((*newer)->RunScript("PRAGMA user_version = 99").ok());
  }
  EXPECT_THAT(Refusal(), HasSubstr("written by another version of jaque"));
  options_.path = "/dev/null/folder";
  EXPECT_THAT(Refusal(), HasSubstr("/dev/null/folder: the data folder cannot be made"));
}

// The process dies without a word; what it was told to be durable is there.
TEST_F(DataFolderTest, WhatWasCommittedOutlivesTheProcess) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto folder = DataFolder::Open(&clock_, options_);
    const bool written = folder.ok() && (*folder)
                                            ->writer()
                                            ->WriteAndWait([](Database& database) {
                                              return database.Run("INSERT INTO t VALUES ('kept')");
                                            })
                                            .ok();
    _exit(written ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto folder = Open();
  EXPECT_EQ(folder->incarnation(), 2u);
  EXPECT_TRUE(folder->writer()
                  ->WriteAndWait([](Database& database) {
                    const auto rows =
                        database.QueryInt("SELECT count(*) FROM t WHERE name = 'kept'");
                    EXPECT_EQ(*rows, 1);
                    return rows.status();
                  })
                  .ok());
}

TEST_F(DataFolderTest, FindsOutThatADiskIsFreeAgain) {
  const auto folder = Open();
  const auto limit = [&](const std::string& pages) {
    return folder->writer()->WriteAndWait([pages](Database& database) {
      return database.Query(Cat("PRAGMA max_page_count = ", pages), {},
                            [](const Row&) { return absl::OkStatus(); });
    });
  };
  ASSERT_TRUE(limit("4").ok());
  EXPECT_FALSE(folder->writer()
                   ->WriteAndWait([](Database& database) {
                     return database.Run("INSERT INTO t VALUES (zeroblob(100000))");
                   })
                   .ok());
  EXPECT_FALSE(folder->writer()->Health().ok());
  clock_.Advance(absl::Seconds(2));
  folder->Pulse();
  folder->writer()->Flush();
  EXPECT_TRUE(folder->writer()->Health().ok());
}

}  // namespace
}  // namespace jaque::sqlite
