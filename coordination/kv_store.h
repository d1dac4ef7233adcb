// SPDX-License-Identifier: Apache-2.0
// A bucket of keys with compare-and-set: where members announce themselves and the view is agreed.
// Siblings: memory_kv_store, nats_kv_store. Contract test: tests/contract. Any thread but a
// callback's: all but Watch may wait for a server. Entries of a bucket with a lifetime vanish
// silently: watchers are not told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

struct KvEntry {
  std::string key, value;
  uint64_t revision = 0;
  bool deleted = false;  // only where changes are told
};

class KvStore {
 public:
  virtual ~KvStore() = default;

  // Unavailable and DeadlineExceeded, from any of these, say that the store cannot be reached; a
  // write may have been done then. Keys are any text, not empty.
  virtual absl::StatusOr<KvEntry> Get(const std::string& key) = 0;  // NotFound
  virtual absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) = 0;
  // Only if `revision` is the key's newest; 0: only if there is no such key. Aborted otherwise.
  virtual absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                          uint64_t revision) = 0;
  virtual absl::Status Delete(const std::string& key) = 0;  // OK if absent
  virtual absl::StatusOr<std::vector<KvEntry>> List() = 0;  // sorted by key

  // Tells the entries there are, then every change (one that is overtaken may be left out), until
  // the handle goes. `visit` may run before Watch returns; it must only post.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  virtual std::unique_ptr<Subscription> Watch(std::function<void(const KvEntry&)> visit) = 0;
};

}  // namespace jaque
