// SPDX-License-Identifier: Apache-2.0
#include "sqlite/database.h"

#include <fstream>

#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int32_t kOurs = 0x6a617175;

class DatabaseTest : public ::testing::Test {
 protected:
  std::string File(const std::string& name) const { return Cat(folder_.path(), "/", name); }
  std::unique_ptr<Database> Open(const std::string& name) {
    auto opened = Database::Open({.path = File(name), .application_id = kOurs});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }
  absl::Status Refusal(const std::string& name) {
    return Database::Open({.path = File(name), .application_id = kOurs}).status();
  }
  static std::vector<std::string> Names(Database& database) {
    std::vector<std::string> names;
    EXPECT_TRUE(database
                    .Query("SELECT name FROM t ORDER BY id", {},
                           [&](const Row& row) {
                             names.emplace_back(row.Text(0));
                             return absl::OkStatus();
                           })
                    .ok());
    return names;
  }

  jaque::testing::TempFolder folder_;
};

TEST_F(DatabaseTest, KeepsValuesOfEveryKind) {
  const auto database = Open("a.db");
  ASSERT_TRUE(database->RunScript("CREATE TABLE t(a, b, c, d, e, f)").ok());
  const std::string bytes("\0\xff\x80", 3);
  ASSERT_TRUE(
      database
          ->Run("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
                {Null(), int64_t{-7}, 1.5, std::string_view("ä"), Blob{bytes}, std::string_view()})
          .ok());
  EXPECT_EQ(database->changed(), 1);
  int rows = 0;
  ASSERT_TRUE(database
                  ->Query("SELECT * FROM t", {},
                          [&](const Row& row) {
                            ++rows;
                            EXPECT_EQ(row.columns(), 6);
                            EXPECT_TRUE(row.IsNull(0));
                            EXPECT_EQ(row.Int(1), -7);
                            EXPECT_EQ(row.Real(2), 1.5);
                            EXPECT_EQ(row.Text(3), "ä");
                            EXPECT_EQ(row.Text(4), bytes);
                            EXPECT_FALSE(row.IsNull(5));
                            EXPECT_EQ(row.Text(5), "");
                            return absl::OkStatus();
                          })
                  .ok());
  EXPECT_EQ(rows, 1);
}

TEST_F(DatabaseTest, ATransactionIsAllOrNothing) {
  const auto database = Open("a.db");
  ASSERT_TRUE(database->RunScript("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)").ok());
  const auto insert = [&](int64_t id, std::string_view name) {
    return database->Run("INSERT INTO t VALUES (?, ?)", {id, name});
  };
  {
    auto dropped = Transaction::Begin(database.get());
    ASSERT_TRUE(dropped.ok());
    ASSERT_TRUE(insert(1, "dropped").ok());
  }
  EXPECT_THAT(Names(*database), IsEmpty());
  {
    auto kept = Transaction::Begin(database.get());
    ASSERT_TRUE(kept.ok());
    ASSERT_TRUE(insert(1, "kept").ok());
    EXPECT_TRUE(absl::IsAlreadyExists(insert(1, "again")));
    ASSERT_TRUE(kept->Commit().ok());
  }
  EXPECT_THAT(Names(*database), ElementsAre("kept"));
  EXPECT_THAT(Names(*Open("a.db")), ElementsAre("kept"));
}

TEST_F(DatabaseTest, StopsWithTheVisitorsStatus) {
  const auto database = Open("a.db");
  ASSERT_TRUE(database->RunScript("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)").ok());
  int visited = 0;
  const auto stop = [&](const Row&) {
    ++visited;
    return absl::AbortedError("enough");
  };
  for (int round = 1; round <= 2; ++round) {  // the statement is fit for use again
    EXPECT_EQ(database->Query("SELECT a FROM t", {}, stop), absl::AbortedError("enough"));
    EXPECT_EQ(visited, round);
  }
}

TEST_F(DatabaseTest, WhatIsNoDatabaseOfOursIsRefusedAndLeftAlone) {
  const std::string text(4'096, 'x');
  std::ofstream(File("text.db")) << text;
  EXPECT_TRUE(absl::IsDataLoss(Refusal("text.db"))) << Refusal("text.db");
  std::ifstream kept(File("text.db"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), text);

  auto other = Database::Open({.path = File("other.db")});
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE((*other)->RunScript("CREATE TABLE t(a)").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal("other.db")));
  EXPECT_THAT(std::string(Refusal("other.db").message()), HasSubstr("other.db"));
  EXPECT_TRUE(absl::IsNotFound(Refusal("no/such/folder.db")));
}

TEST_F(DatabaseTest, ANewFileGetsItsSchemaOrIsNotMade) {
  DatabaseOptions options{.path = File("a.db"), .application_id = kOurs};
  options.schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); no statement";
  EXPECT_FALSE(Database::Open(options).ok());
  options.schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)";
  for (int64_t id = 1; id <= 2; ++id) {
    auto database = Database::Open(options);
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_TRUE((*database)->Run("INSERT INTO t VALUES (?, 'x')", {id}).ok());
  }
  EXPECT_THAT(Names(*Open("a.db")), ElementsAre("x", "x"));
}

TEST_F(DatabaseTest, ReadersSeeWhatWasCommitted) {
  const auto writer = Open("a.db");
  ASSERT_TRUE(writer->RunScript("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)").ok());
  auto reader = Database::Open({.path = File("a.db"), .read_only = true, .application_id = kOurs});
  ASSERT_TRUE(reader.ok()) << reader.status();
  auto transaction = Transaction::Begin(writer.get());
  ASSERT_TRUE(transaction.ok());
  ASSERT_TRUE(writer->Run("INSERT INTO t VALUES (1, 'x')").ok());
  EXPECT_THAT(Names(**reader), IsEmpty());
  ASSERT_TRUE(transaction->Commit().ok());
  EXPECT_THAT(Names(**reader), ElementsAre("x"));
  EXPECT_FALSE((*reader)->Run("INSERT INTO t VALUES (2, 'y')").ok());
}

}  // namespace
}  // namespace jaque::sqlite
