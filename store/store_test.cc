// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store/timeline.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"

namespace jaque::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreTest : public DatabaseTest {};
INSTANTIATE_TEST_SUITE_P(Databases, StoreTest, ::testing::Values("sqlite", "postgres"),
                         [](const auto& test) { return test.param; });

TEST_P(StoreTest, PagesGoThroughAllOnceInBothDirections) {
  for (int i = 0; i < 25; ++i) filled().Start("i" + std::to_string(i));
  for (const bool oldest_first : {false, true}) {
    std::vector<std::string> ids;
    Page page;
    page.limit = 10;
    page.oldest_first = oldest_first;
    do {
      const auto list = filled().store()->ListInstances({}, page);
      ASSERT_TRUE(list.ok()) << list.status();
      for (const InstanceRow& row : list->items) ids.push_back(row.id);
      page.cursor = list->next;
      if (ids.size() == 10) filled().Start("late" + std::to_string(oldest_first));
    } while (!page.cursor.empty());
    EXPECT_EQ(ids.front(), oldest_first ? "i0" : "i24");
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
    EXPECT_EQ(std::count_if(ids.begin(), ids.end(), [](const auto& id) { return id[0] == 'i'; }),
              25);
  }
}

TEST_P(StoreTest, ACursorThatIsNoneIsRefused) {
  Page page;
  page.cursor = "%%%";
  EXPECT_TRUE(absl::IsInvalidArgument(filled().store()->ListInstances({}, page).status()));
  page.cursor = "aGVsbG8";
  EXPECT_TRUE(absl::IsInvalidArgument(filled().store()->ListInstances({}, page).status()));
}

TEST_P(StoreTest, EndingsAreFoundByTheFactsThatMadeThem) {
  v1::Event error, retry, attempt;
  error.mutable_error_raised()->set_frame(2);
  error.mutable_error_raised()->set_task(2);
  error.mutable_error_raised()->set_has_task(true);
  error.mutable_error_raised()->mutable_error()->set_type("https://example.org/down");
  error.mutable_error_raised()->mutable_error()->set_title("Down");
  retry.mutable_retry_scheduled()->set_frame(2);
  retry.mutable_retry_scheduled()->set_attempt(2);
  attempt.mutable_attempt_started()->set_frame(2);
  attempt.mutable_attempt_started()->set_attempt(2);
  const HistorySeq start = filled().Start("i");
  filled().Begin("i", 2, 1, 1);
  filled().Begin("i", 3, 2, 2);
  const HistorySeq failed = filled().Add("i", {error, retry});
  filled().Add("i", attempt);
  const HistorySeq begun = filled().Begin("i", 4, 2, 2);
  const auto before = ReadEndings(filled().database(), "i", start, failed - 1);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_THAT(before->tasks, IsEmpty());
  const auto first = ReadEndings(filled().database(), "i", failed, begun);
  ASSERT_THAT(first->tasks, SizeIs(1));
  EXPECT_EQ(first->tasks[0].row.name, "call");
  EXPECT_EQ(first->tasks[0].error_type, "https://example.org/down");
  EXPECT_FALSE(first->instance.has_value());
  const HistorySeq end = filled().Add("i", {error, Filled::Faulted("Down", "no answer")});
  const auto second = ReadEndings(filled().database(), "i", begun, end + 1);
  ASSERT_THAT(second->tasks, SizeIs(2));  // the try, and the call of its second attempt
  EXPECT_EQ(second->tasks[0].row.name, "try");
  ASSERT_THAT(second->tasks[0].retries, SizeIs(1));
  EXPECT_EQ(second->tasks[0].retries[0].attempt, 2);
  ASSERT_TRUE(second->instance.has_value());
  EXPECT_EQ(second->instance->status, v1::INSTANCE_STATUS_FAULTED);
}

TEST_P(StoreTest, FiltersNarrowTheList) {
  filled().Start("a", {{"team", "blue"}, {"env", "prod"}});
  filled().Start("b", {{"team", "red"}});
  filled().Start("c", {}, "other/thing:2.0.0");
  filled().Complete("b");
  InstanceFilter filter;
  EXPECT_THAT(filled().Ids(filter), ElementsAre("c", "b", "a"));
  filter.namespace_ = "test";
  EXPECT_THAT(filled().Ids(filter), ElementsAre("b", "a"));
  filter.name = "steps";
  filter.version = "1.0.0";
  filter.statuses = {v1::INSTANCE_STATUS_COMPLETED};
  EXPECT_THAT(filled().Ids(filter), ElementsAre("b"));
  filter.version = "9.9.9";
  EXPECT_THAT(filled().Ids(filter), IsEmpty());

  filter = {};
  filter.tags = {{"team", ""}};
  EXPECT_THAT(filled().Ids(filter), ElementsAre("b", "a"));
  filter.tags = {{"team", "blue"}, {"env", "prod"}};
  EXPECT_THAT(filled().Ids(filter), ElementsAre("a"));
  filter.tags = {{"team", "blue"}, {"env", "test"}};
  EXPECT_THAT(filled().Ids(filter), IsEmpty());

  filter = {};
  filter.namespaces = {"other"};
  EXPECT_THAT(filled().Ids(filter), ElementsAre("c"));
  filter.namespace_ = "test";  // which the caller may not see
  EXPECT_THAT(filled().Ids(filter), IsEmpty());

  filter = {};
  filter.ended_before = filled().now() + 1;
  EXPECT_THAT(filled().Ids(filter), ElementsAre("b"));
  filter = {};
  filter.started_from = filled().now() - 2'000'000;
  EXPECT_THAT(filled().Ids(filter), ElementsAre("c", "b"));
}

TEST_P(StoreTest, TextFindsByTheBeginningsOfWords) {
  filled().Start("Order-77", {{"customer", "Ada Lovelace"}});
  filled().Start("Order-78", {}, "shop/invoice-mail:1.0.0");
  filled().Add("Order-78", Filled::Faulted("Timeout", "the mail server does not answer"));
  const auto find = [&](const std::string& text) {
    InstanceFilter filter;
    filter.text = text;
    return filled().Ids(filter);
  };
  EXPECT_THAT(find("order"), ElementsAre("Order-78", "Order-77"));
  EXPECT_THAT(find("ORDER-77"), ElementsAre("Order-77"));
  EXPECT_THAT(find("love ada"), ElementsAre("Order-77"));
  EXPECT_THAT(find("invoi"), ElementsAre("Order-78"));
  EXPECT_THAT(find("serv time"), ElementsAre("Order-78"));
  EXPECT_THAT(find("ada serv"), IsEmpty());
  EXPECT_THAT(find("rder"), IsEmpty());
  EXPECT_THAT(find("'; DROP TABLE instances; --"), IsEmpty());
  EXPECT_THAT(find(""), SizeIs(2));
}

TEST_P(StoreTest, CountsByStatus) {
  for (int i = 0; i < 5; ++i) filled().Start("i" + std::to_string(i));
  filled().Complete("i0");
  filled().Add("i1", Filled::Faulted("Bad", ""));
  const auto counts = filled().store()->CountInstances({});
  ASSERT_TRUE(counts.ok());
  EXPECT_THAT(counts->counts, ElementsAre(std::pair(v1::INSTANCE_STATUS_RUNNING, int64_t{3}),
                                          std::pair(v1::INSTANCE_STATUS_FAULTED, int64_t{1}),
                                          std::pair(v1::INSTANCE_STATUS_COMPLETED, int64_t{1})));
}

TEST_P(StoreTest, TheSeriesCountsStartsAndEnds) {
  const Micros from = filled().now();
  for (int i = 0; i < 4; ++i) filled().Start("i" + std::to_string(i));
  filled().Complete("i0");
  filled().Add("i1", Filled::Faulted("Bad", ""));
  const auto series = filled().store()->Series({}, from, from + 10'000'000, 2);
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_THAT(*series, SizeIs(2));
  EXPECT_EQ((*series)[0].started, 4);
  EXPECT_EQ((*series)[1].completed, 1);
  EXPECT_EQ((*series)[1].faulted, 1);
  EXPECT_EQ((*series)[1].at, from + 5'000'000);
}

TEST_P(StoreTest, TasksThatChangedSince) {
  filled().Start("i1");
  const HistorySeq first = filled().Begin("i1", 2, 1, 5);
  const HistorySeq second = filled().Add("i1", Filled::Done(0, 1, 0));
  const HistorySeq third = filled().Add("i1", Filled::Done(2, 1, 5));
  const auto changed = filled().store()->TasksChanged("i1", first, 100);
  ASSERT_TRUE(changed.ok());
  ASSERT_THAT(changed->items, SizeIs(2));
  EXPECT_EQ(changed->items[0].seq, second);
  EXPECT_EQ(changed->items[1].seq, first);
  const auto page = filled().store()->TasksChanged("i1", 0, 1);
  EXPECT_EQ(page->next, second);
  EXPECT_THAT(filled().store()->TasksChanged("i1", third, 100)->items, IsEmpty());
}

TEST_P(StoreTest, HistoryIsPagedBothWays) {
  const HistorySeq start = filled().Start("i1");
  for (int i = 0; i < 4; ++i) filled().Add("i1", Filled::Done(0, 1, 0));
  const auto forwards = filled().store()->History("i1", start, 2);
  ASSERT_TRUE(forwards.ok());
  EXPECT_THAT(forwards->items, SizeIs(2));
  EXPECT_EQ(forwards->next, forwards->items[1].seq);
  const auto backwards = filled().store()->History("i1", 0, 2, /*newest_first=*/true);
  ASSERT_THAT(backwards->items, SizeIs(2));
  EXPECT_GT(backwards->items[0].seq, backwards->items[1].seq);
}

TEST_P(StoreTest, TheAuditIsReadNewestFirst) {
  for (int i = 0; i < 3; ++i) {
    AuditEntry entry;
    entry.actor = "ada" + std::to_string(i);
    entry.status = 200 + i;
    ASSERT_TRUE(filled().store()->AppendAudit(entry).ok());
  }
  const auto page = filled().store()->ListAudit(0, 2);
  ASSERT_TRUE(page.ok());
  ASSERT_THAT(page->items, SizeIs(2));
  EXPECT_EQ(page->items[0].actor, "ada2");
  const auto rest = filled().store()->ListAudit(page->next, 2);
  ASSERT_THAT(rest->items, SizeIs(1));
  EXPECT_EQ(rest->items[0].status, 200);
  EXPECT_EQ(rest->next, 0);
}

TEST(OpenStoreTest, MemoryIsOneForTheProcess) {
  const auto one = OpenStore("sqlite::memory:");
  const auto other = OpenStore("sqlite::memory:");
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  AuditEntry entry;
  entry.actor = "ada";
  ASSERT_TRUE((*one)->AppendAudit(entry).ok());
  EXPECT_THAT((*other)->ListAudit(0, 10)->items, SizeIs(1));
}

TEST(OpenStoreTest, AnotherUrlIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(OpenStore("mysql://x").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(OpenStore("sqlite:").status()));
}

TEST(OpenStoreTest, TablesOfANewerVersionAreRefused) {
  const testing::TempFolder folder;
  const std::string url = "sqlite:" + folder.path() + "/store.db";
  {
    const auto database = OpenDatabase(url);
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_TRUE((*database)->Write({{"INSERT INTO schema_version VALUES (1000)"}}).ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenStore(url).status()));
}

}  // namespace
}  // namespace jaque::store
