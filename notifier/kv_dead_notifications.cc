// SPDX-License-Identifier: Apache-2.0
#include "notifier/dead_notifications.h"

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::notifier {
namespace {

constexpr char kDead[] = "dead/";

std::string DeadKey(const std::string& id) { return kDead + id; }

}  // namespace

absl::Status KeepDeadNotification(KvStore* bucket, const Delivery& delivery) {
  return bucket->Put(DeadKey(Cat(delivery.id, "-", delivery.target)), ToText(delivery)).status();
}

absl::StatusOr<std::vector<DeadNotifications::Entry>> DeadNotifications::List(
    const std::string& after, size_t limit) {
  ASSIGN_OR_RETURN(const std::vector<KvEntry> entries, bucket_->List());
  std::vector<Entry> dead;
  for (const KvEntry& entry : entries) {
    if (!absl::StartsWith(entry.key, kDead) || dead.size() == limit) continue;
    const std::string id = entry.key.substr(sizeof kDead - 1);
    if (id <= after) continue;
    const absl::StatusOr<Delivery> delivery = DeliveryOf(entry.value);
    if (delivery.ok()) dead.push_back({id, *delivery});
  }
  return dead;
}

absl::StatusOr<DeadNotifications::Entry> DeadNotifications::Get(const std::string& id) {
  ASSIGN_OR_RETURN(const KvEntry entry, bucket_->Get(DeadKey(id)));
  ASSIGN_OR_RETURN(Delivery delivery, DeliveryOf(entry.value));
  return Entry{id, std::move(delivery)};
}

absl::Status DeadNotifications::Redrive(const std::string& id) {
  ASSIGN_OR_RETURN(Entry entry, Get(id));
  entry.delivery.attempts = 0;
  entry.delivery.first_micros = entry.delivery.next_micros = 0;
  RETURN_IF_ERROR(bucket_->Put(entry.delivery.Key(), ToText(entry.delivery)).status());
  return Drop(id);
}

absl::Status DeadNotifications::Drop(const std::string& id) { return bucket_->Delete(DeadKey(id)); }

}  // namespace jaque::notifier
