// SPDX-License-Identifier: Apache-2.0
#include "coordination/memory_kv_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace jaque {

class MemoryKvStore::MemorySubscription final : public KvStore::Subscription {
 public:
  MemorySubscription(MemoryKvStore* store, std::shared_ptr<Delivery> watcher)
      : store_(store), watcher_(std::move(watcher)) {}
  ~MemorySubscription() override {
    store_->Forget(watcher_);
    watcher_->Close();
  }

 private:
  MemoryKvStore* const store_;
  const std::shared_ptr<Delivery> watcher_;
};

const MemoryKvStore::Stored* MemoryKvStore::Find(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  if (clock_->Monotonic() < found->second.expires) return &found->second;
  entries_.erase(found);
  return nullptr;
}

uint64_t MemoryKvStore::Write(const std::string& key, const std::string& value, bool deleted) {
  const KvEntry entry{key, value, ++revision_, deleted};
  for (const std::shared_ptr<Delivery>& watcher : watchers_) watcher->Push(entry);
  if (deleted) {
    entries_.erase(key);
  } else {
    entries_[key] = {entry, clock_->Monotonic() + ttl_};
  }
  return revision_;
}

void MemoryKvStore::Tell() {
  Deliveries watchers;
  {
    absl::MutexLock lock(&mutex_);
    watchers = watchers_;
  }
  for (const std::shared_ptr<Delivery>& watcher : watchers) watcher->Drain();
}

absl::StatusOr<KvEntry> MemoryKvStore::Get(const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const Stored* stored = Find(key);
  if (stored == nullptr) return absl::NotFoundError("no key " + key);
  return stored->entry;
}

absl::StatusOr<uint64_t> MemoryKvStore::Put(const std::string& key, const std::string& value) {
  uint64_t revision = 0;
  {
    absl::MutexLock lock(&mutex_);
    revision = Write(key, value, false);
  }
  Tell();
  return revision;
}

absl::StatusOr<uint64_t> MemoryKvStore::Update(const std::string& key, const std::string& value,
                                               uint64_t revision) {
  uint64_t written = 0;
  {
    absl::MutexLock lock(&mutex_);
    const Stored* stored = Find(key);
    const uint64_t newest = stored == nullptr ? 0 : stored->entry.revision;
    if (newest != revision) {
      return absl::AbortedError(
          absl::StrCat("key ", key, " is at revision ", newest, ", not ", revision));
    }
    written = Write(key, value, false);
  }
  Tell();
  return written;
}

absl::Status MemoryKvStore::Delete(const std::string& key) {
  {
    absl::MutexLock lock(&mutex_);
    Write(key, "", true);
  }
  Tell();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<KvEntry>> MemoryKvStore::List() {
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = clock_->Monotonic();
  std::vector<KvEntry> entries;
  for (const auto& [key, stored] : entries_) {
    if (now < stored.expires) entries.push_back(stored.entry);
  }
  return entries;
}

std::unique_ptr<KvStore::Subscription> MemoryKvStore::Watch(
    std::function<void(const KvEntry&)> visit) {
  auto watcher = std::make_shared<Delivery>(std::move(visit));
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = clock_->Monotonic();
    for (const auto& [key, stored] : entries_) {
      if (now < stored.expires) watcher->Push(stored.entry);
    }
    watchers_.push_back(watcher);
  }
  watcher->Drain();
  return std::make_unique<MemorySubscription>(this, std::move(watcher));
}

void MemoryKvStore::Forget(const std::shared_ptr<Delivery>& watcher) {
  absl::MutexLock lock(&mutex_);
  watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), watcher), watchers_.end());
}

}  // namespace jaque
