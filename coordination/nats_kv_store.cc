// SPDX-License-Identifier: Apache-2.0
#include "coordination/nats_kv_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "nats/stream_reader.h"

namespace jaque {
namespace {

// nullopt for a key that is not one of ours.
std::optional<KvEntry> Decoded(const nats::BucketEntry& entry) {
  auto key = nats::DecodeToken(entry.key);
  if (!key.ok()) return std::nullopt;
  return KvEntry{*std::move(key), entry.value, entry.revision, entry.deleted};
}

}  // namespace

absl::StatusOr<std::unique_ptr<NatsKvStore>> NatsKvStore::Open(nats::Connection* connection,
                                                               const nats::Names& names,
                                                               const std::string& name,
                                                               int replicas, absl::Duration ttl) {
  ASSIGN_OR_RETURN(nats::Bucket bucket,
                   nats::Bucket::Open(connection, names.Bucket(name), replicas, ttl));
  return std::unique_ptr<NatsKvStore>(new NatsKvStore(std::move(bucket)));
}

absl::StatusOr<KvEntry> NatsKvStore::Get(const std::string& key) {
  ASSIGN_OR_RETURN(nats::BucketEntry entry, bucket_.Get(nats::EncodeToken(key)));
  return KvEntry{key, std::move(entry.value), entry.revision, false};
}

absl::StatusOr<uint64_t> NatsKvStore::Put(const std::string& key, const std::string& value) {
  return bucket_.Put(nats::EncodeToken(key), value);
}

absl::StatusOr<uint64_t> NatsKvStore::Update(const std::string& key, const std::string& value,
                                             uint64_t revision) {
  return bucket_.Update(nats::EncodeToken(key), value, revision);
}

absl::Status NatsKvStore::Delete(const std::string& key) {
  return bucket_.Delete(nats::EncodeToken(key));
}

absl::StatusOr<std::vector<KvEntry>> NatsKvStore::List() {
  ASSIGN_OR_RETURN(const std::vector<nats::BucketEntry> stored, bucket_.List());
  std::vector<KvEntry> entries;
  for (const nats::BucketEntry& entry : stored) {
    if (auto decoded = Decoded(entry)) entries.push_back(*std::move(decoded));
  }
  std::sort(entries.begin(), entries.end(),
            [](const KvEntry& a, const KvEntry& b) { return a.key < b.key; });
  return entries;
}

std::unique_ptr<KvStore::Subscription> NatsKvStore::Watch(
    std::function<void(const KvEntry&)> visit) {
  class Watcher final : public KvStore::Subscription {
   public:
    explicit Watcher(std::unique_ptr<nats::StreamReader> reader) : reader_(std::move(reader)) {}

   private:
    std::unique_ptr<nats::StreamReader> reader_;
  };
  return std::make_unique<Watcher>(bucket_.Watch(
      [visit = std::move(visit)](const nats::BucketEntry& entry) {
        if (auto decoded = Decoded(entry)) visit(*decoded);
      },
      nullptr));
}

}  // namespace jaque
