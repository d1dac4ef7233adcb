// SPDX-License-Identifier: Apache-2.0
// For tests: a store that is filled by batches which a test writes down. One thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "store/projection.h"
#include "store/sql_store.h"
#include "tests/support/postgres_server.h"
#include "tests/support/temp_folder.h"

namespace jaque::store {

inline constexpr char kDefinition[] = "test/steps:1.0.0";

// The tasks of kDefinition, by index.
inline absl::StatusOr<DefinitionRecord> LookUpSteps(const std::string& id) {
  if (id != kDefinition) return absl::NotFoundError("no such definition");
  DefinitionRecord record;
  record.source = "document: {}";
  record.tasks = {{"/do/0/set", "set", "set"},
                  {"/do/1/try", "try", "try"},
                  {"/do/1/try/try/0/call", "call", "call"},
                  {"/do/2/each", "each", "for"},
                  {"/do/2/each/do/0/inner", "inner", "set"},
                  {"/do/3/rest", "rest", "wait"},
                  {"/do/4/hear", "hear", "listen"},
                  {"/do/5/both", "both", "fork"},
                  {"/do/5/both/fork/0/a", "a", "call"},
                  {"/do/5/both/fork/1/b", "b", "call"}};
  return record;
}

class Filled {
 public:
  explicit Filled(std::shared_ptr<Database> database)
      : database_(std::move(database)), store_(MakeStore(database_)) {}

  Store* store() { return store_.get(); }
  Database* database() { return database_.get(); }
  int64_t now() const { return now_; }

  // A fact of its own decision and batch; its place.
  HistorySeq Add(const std::string& object, const v1::Event& event) {
    return Add(object, std::vector<v1::Event>{event});
  }
  // Facts of one decision; the place of the first.
  HistorySeq Add(const std::string& object, const std::vector<v1::Event>& events) {
    v1::LogBatch batch;
    batch.set_epoch(1);
    batch.set_engine_id("e1");
    batch.set_after(position_.sequence);
    v1::Decision* decision = batch.add_decisions();
    decision->set_object_id(object);
    decision->set_at_micros(now_ += 1'000'000);
    for (const v1::Event& event : events) *decision->add_events() = event;
    return Add(batch);
  }
  HistorySeq Add(const v1::LogBatch& batch) {
    Projection projection(LookUpSteps, &known_);
    const uint64_t sequence = position_.sequence + 1;
    EXPECT_TRUE(projection.Add(batch, sequence, &position_).ok());
    const auto written = database_->Write(projection.TakeStatements());
    EXPECT_TRUE(written.ok()) << written.status();
    return static_cast<HistorySeq>(sequence << 20);
  }

  HistorySeq Start(const std::string& id,
                   std::vector<std::pair<std::string, std::string>> tags = {},
                   const std::string& definition = kDefinition) {
    v1::Event event;
    event.set_input("{\"n\":1}");
    event.mutable_instance_started()->set_definition(definition);
    for (const auto& [key, value] : tags) {
      v1::Tag* tag = event.mutable_instance_started()->add_tags();
      tag->set_key(key);
      tag->set_value(value);
    }
    return Add(id, event);
  }
  HistorySeq Begin(const std::string& id, uint32_t frame, uint32_t parent, uint32_t task) {
    v1::Event event;
    event.mutable_task_started()->set_frame(frame);
    event.mutable_task_started()->set_parent(parent);
    event.mutable_task_started()->set_task(task);
    return Add(id, event);
  }
  static v1::Event Done(uint32_t frame, uint32_t parent, uint32_t task) {
    v1::Event event;
    event.mutable_task_completed()->set_frame(frame);
    event.mutable_task_completed()->set_parent(parent);
    event.mutable_task_completed()->set_task(task);
    return event;
  }
  HistorySeq Complete(const std::string& id) {
    v1::Event event;
    event.set_data("{\"n\":2}");
    event.mutable_instance_completed();
    return Add(id, event);
  }
  static v1::Event Faulted(const std::string& title, const std::string& detail) {
    v1::Event event;
    event.mutable_instance_faulted()->mutable_error()->set_title(title);
    event.mutable_instance_faulted()->mutable_error()->set_detail(detail);
    return event;
  }

  // "name:status" of the instance's tasks, in order.
  std::vector<std::string> Tasks(const std::string& id) {
    std::vector<std::string> tasks;
    const auto page = store_->Tasks(id, 0, 100);
    EXPECT_TRUE(page.ok()) << page.status();
    for (const TaskRow& task : page->items) tasks.push_back(task.name + ":" + task.status);
    return tasks;
  }
  v1::InstanceStatus StatusOf(const std::string& id) {
    const auto record = store_->GetInstance(id);
    EXPECT_TRUE(record.ok()) << record.status();
    return record->row.status;
  }
  std::vector<std::string> Ids(const InstanceFilter& filter) {
    std::vector<std::string> ids;
    const auto page = store_->ListInstances(filter, {});
    EXPECT_TRUE(page.ok()) << page.status();
    for (const InstanceRow& row : page->items) ids.push_back(row.id);
    return ids;
  }

 private:
  const std::shared_ptr<Database> database_;
  const std::unique_ptr<Store> store_;
  std::set<std::string> known_;
  ShardPosition position_;
  int64_t now_ = 1'800'000'000'000'000;
};

// Each test runs on each of the databases.
class DatabaseTest : public ::testing::TestWithParam<std::string> {
 protected:
  DatabaseTest() {
    std::string url = "sqlite:" + folder_.path() + "/store.db";
    if (GetParam() == "postgres") {
      static testing::PostgresServer server;  // for all tests
      static int tests = 0;
      if (absl::IsNotFound(server.status())) return;
      EXPECT_TRUE(server.status().ok()) << server.status();
      url = server.Url("test" + std::to_string(++tests));
    }
    const auto database = OpenDatabase(url);
    EXPECT_TRUE(database.ok()) << database.status();
    filled_.emplace(*database);
  }
  void SetUp() override {
    if (!filled_.has_value()) GTEST_SKIP() << "skipped: the PostgreSQL server is not installed";
  }
  Filled& filled() { return *filled_; }

  testing::TempFolder folder_;

 private:
  std::optional<Filled> filled_;
};

}  // namespace jaque::store
