// SPDX-License-Identifier: Apache-2.0
// The siblings in a database, in a folder of the test's own. Their threads are real, their clock is
// not. For contract tests.
#pragma once

#include <memory>
#include <string>

#include "base/simulated_clock.h"
#include "coordination/sqlite_kv_store.h"
#include "gtest/gtest.h"
#include "log/sqlite_definition_store.h"
#include "log/sqlite_event_log.h"
#include "queue/sqlite_event_stream.h"
#include "sqlite/data_folder.h"
#include "tests/support/temp_folder.h"

namespace jaque {

class SqliteBackend {
 public:
  SqliteBackend() { Open(); }

  SqliteEventLog& log() { return *log_; }
  SqliteEventStream& stream() { return *stream_; }
  SqliteDefinitionStore& definitions() { return *definitions_; }
  SqliteKvStore& kv() { return *kv_; }
  SqliteKvStore& kv_with_ttl() { return *kv_with_ttl_; }

  static std::string Missing() { return ""; }
  static absl::Duration patience() { return absl::Milliseconds(50); }
  static absl::Duration kv_ttl() { return absl::Seconds(5); }
  void Pass(absl::Duration time) { clock_.Advance(time); }
  void Step() {}

  // As a process that starts again.
  void OpenAgain() {
    Close();
    Open();
  }

 private:
  void Open() {
    sqlite::DataFolderOptions options;
    options.path = temp_.path();
    options.schema = SqliteEventLog::Schema() + SqliteEventStream::Schema() +
                     SqliteDefinitionStore::Schema() + SqliteKvStore::Schema();
    auto folder = sqlite::DataFolder::Open(&clock_, options);
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = *std::move(folder);
    sqlite::GroupCommit* const writer = folder_->writer();
    auto log = SqliteEventLog::Open(&clock_, writer, folder_->file());
    ASSERT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
    auto stream = SqliteEventStream::Open(&clock_, writer, folder_->file());
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    auto definitions = SqliteDefinitionStore::Open(writer);
    ASSERT_TRUE(definitions.ok()) << definitions.status();
    definitions_ = *std::move(definitions);
    kv_ = std::make_unique<SqliteKvStore>(&clock_, writer, "plain");
    kv_with_ttl_ = std::make_unique<SqliteKvStore>(&clock_, writer, "short", kv_ttl());
  }
  void Close() {
    kv_with_ttl_.reset();
    kv_.reset();
    definitions_.reset();
    stream_.reset();
    log_.reset();
    folder_.reset();
  }

  SimulatedClock clock_;
  testing::TempFolder temp_;
  std::unique_ptr<sqlite::DataFolder> folder_;
  std::unique_ptr<SqliteEventLog> log_;
  std::unique_ptr<SqliteEventStream> stream_;
  std::unique_ptr<SqliteDefinitionStore> definitions_;
  std::unique_ptr<SqliteKvStore> kv_, kv_with_ttl_;
};

}  // namespace jaque
