// SPDX-License-Identifier: Apache-2.0
// A key-value bucket as NATS clients know it (ADR-8), history 1. Reads are answered by the stream's
// leader, so a value that was put is found. What waits must not be called on a callback's thread.
// Keys are the caller's to encode (EncodeToken).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nats/connection.h"
#include "nats/stream_reader.h"

namespace jaque::nats {

struct BucketEntry {
  std::string key, value;
  uint64_t revision = 0;
  bool deleted = false;  // only where changes are told
};

class Bucket {
 public:
  // Creates or checks the bucket. `ttl` 0: entries stay; else they vanish after it, and nobody is
  // told.
  static absl::StatusOr<Bucket> Open(Connection* connection, const std::string& name, int replicas,
                                     absl::Duration ttl);

  absl::StatusOr<BucketEntry> Get(const std::string& key) const;  // NotFound
  absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) const;
  // Only if `revision` is the newest; 0: only if there is no such key. Else Aborted.
  absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                  uint64_t revision) const;
  absl::Status Delete(const std::string& key) const;  // OK if absent
  // By key. Asks the leader for each: for buckets of some hundred keys.
  absl::StatusOr<std::vector<BucketEntry>> List() const;

  // All entries first, then `caught_up`, then changes; as StreamReader says.
  std::unique_ptr<StreamReader> Watch(std::function<void(const BucketEntry&)> visit,
                                      std::function<void()> caught_up) const;

 private:
  Bucket(Connection* connection, const std::string& name)
      : connection_(connection), stream_("KV_" + name), prefix_("$KV." + name + ".") {}
  BucketEntry EntryOf(uint64_t sequence, const Message& message) const;
  absl::StatusOr<uint64_t> Write(const std::string& key, const std::string& value,
                                 Headers headers) const;

  Connection* connection_;
  std::string stream_, prefix_;
};

}  // namespace jaque::nats
