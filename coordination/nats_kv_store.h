// SPDX-License-Identifier: Apache-2.0
// A bucket on NATS. Any thread but the library's callbacks; all but Watch wait for the server (some
// 10 s at most). Reads are answered by the leader, so what was written is read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "coordination/kv_store.h"
#include "nats/bucket.h"
#include "nats/names.h"

namespace jaque {

class NatsKvStore final : public KvStore {
 public:
  // Makes or checks the bucket <prefix>_<name>. `ttl` 0: entries stay. The connection outlives the
  // store.
  static absl::StatusOr<std::unique_ptr<NatsKvStore>> Open(nats::Connection* connection,
                                                           const nats::Names& names,
                                                           const std::string& name, int replicas,
                                                           absl::Duration ttl);

  absl::StatusOr<KvEntry> Get(const std::string& key) override;
  absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) override;
  absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                  uint64_t revision) override;
  absl::Status Delete(const std::string& key) override;
  absl::StatusOr<std::vector<KvEntry>> List() override;
  std::unique_ptr<Subscription> Watch(std::function<void(const KvEntry&)> visit) override;

 private:
  explicit NatsKvStore(nats::Bucket bucket) : bucket_(std::move(bucket)) {}

  const nats::Bucket bucket_;
};

}  // namespace jaque
