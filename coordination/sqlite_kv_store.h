// SPDX-License-Identifier: Apache-2.0
// A bucket in a database of this process (-data-dir). One object for a bucket: it tells its
// watchers of what is written through it, on the writer's thread. Any thread but the writer's:
// all wait for the disk.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/ordered_delivery.h"
#include "coordination/kv_store.h"
#include "sqlite/group_commit.h"

namespace jaque {

class SqliteKvStore final : public KvStore {
 public:
  static std::string Schema();
  // `ttl`: of each entry since it was written. The writer outlives the store.
  SqliteKvStore(const Clock* clock, sqlite::GroupCommit* writer, std::string bucket,
                absl::Duration ttl = absl::InfiniteDuration())
      : clock_(clock), writer_(writer), bucket_(std::move(bucket)), ttl_(ttl) {}
  ~SqliteKvStore() override { writer_->Flush(); }

  absl::StatusOr<KvEntry> Get(const std::string& key) override;
  absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) override;
  absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                  uint64_t revision) override;
  absl::Status Delete(const std::string& key) override;
  absl::StatusOr<std::vector<KvEntry>> List() override;
  std::unique_ptr<Subscription> Watch(std::function<void(const KvEntry&)> visit) override;

 private:
  using Delivery = OrderedDelivery<KvEntry>;
  struct Writing;
  class SqliteSubscription;

  // Writes and, once it is durable, tells the watchers; waits. `expected` as Update's revision,
  // where it counts.
  absl::StatusOr<uint64_t> Write(KvEntry entry, std::optional<uint64_t> expected);
  absl::Status Store(sqlite::Database& database, Writing* writing);
  void Tell(const KvEntry& entry);
  void Forget(const std::shared_ptr<Delivery>& watcher);
  // Entries written at or before have expired.
  int64_t ExpiredAt() const;
  absl::Status ReadAll(sqlite::Database& database, std::vector<KvEntry>* entries) const;

  const Clock* const clock_;
  sqlite::GroupCommit* const writer_;
  const std::string bucket_;
  const absl::Duration ttl_;
  absl::Mutex mutex_;
  std::vector<std::shared_ptr<Delivery>> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
