// SPDX-License-Identifier: Apache-2.0
#include "notifier/kv_dead_notifications.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "fmt/format.h"

namespace jaque::notifier {
namespace {

constexpr char kDead[] = "dead/";

std::string DeadKey(const std::string& id) { return kDead + id; }

DeadNotification Shown(const std::string& id, Delivery delivery) {
  DeadNotification dead;
  dead.id = id;
  dead.instance = std::move(delivery.instance);
  dead.type = std::move(delivery.type);
  dead.rule = std::move(delivery.rule);
  dead.target = std::move(delivery.target);
  dead.reason = std::move(delivery.error);
  dead.attempts = delivery.attempts;
  dead.at_micros = delivery.given_up_micros;
  dead.body = std::move(delivery.body);
  dead.content_type = std::move(delivery.content_type);
  return dead;
}

}  // namespace

KvDeadNotifications::KvDeadNotifications(const Clock* clock, KvStore* bucket, size_t most)
    : clock_(clock), bucket_(bucket), most_(most) {
  watch_ = bucket_->Watch([this](const KvEntry& entry) {
    if (!absl::StartsWith(entry.key, kDead)) return;
    const std::string id = entry.key.substr(sizeof kDead - 1);
    absl::MutexLock lock(&mutex_);
    if (entry.deleted) {
      ids_.erase(id);
    } else {
      ids_.insert(id);
    }
  });
}

KvDeadNotifications::~KvDeadNotifications() { watch_.reset(); }

absl::Status KvDeadNotifications::Keep(Delivery delivery) {
  delivery.given_up_micros = absl::ToUnixMicros(clock_->Now());
  const std::string id =
      fmt::format("{:016}-{}-{}", delivery.event_micros, delivery.id, delivery.target);
  RETURN_IF_ERROR(bucket_->Put(DeadKey(id), ToText(delivery)).status());
  {
    absl::MutexLock lock(&mutex_);
    ids_.insert(id);
  }
  ForgetOldest();
  return absl::OkStatus();
}

void KvDeadNotifications::ForgetOldest() {
  while (true) {
    std::string oldest;
    {
      absl::MutexLock lock(&mutex_);
      if (ids_.size() <= most_) return;
      oldest = *ids_.begin();
    }
    const absl::Status removed = Remove(oldest);
    if (!removed.ok()) return;  // the next one tries again
    LogWarn("there are too many dead notifications: the oldest is forgotten",
            {{"id", oldest}, {"kept", most_}});
  }
}

absl::StatusOr<std::vector<DeadNotification>> KvDeadNotifications::ListDead(
    const std::string& after, size_t limit) {
  std::vector<DeadNotification> page;
  std::string last = after;
  while (page.size() < limit) {
    {
      absl::MutexLock lock(&mutex_);
      const auto next = ids_.upper_bound(last);
      if (next == ids_.end()) break;
      last = *next;
    }
    absl::StatusOr<Delivery> delivery = Find(last);
    // It may have gone this moment, and what cannot be read is shown to nobody.
    if (absl::IsNotFound(delivery.status()) || absl::IsDataLoss(delivery.status())) continue;
    RETURN_IF_ERROR(delivery.status());
    page.push_back(Shown(last, *std::move(delivery)));
  }
  return page;
}

absl::StatusOr<Delivery> KvDeadNotifications::Find(const std::string& id) {
  const absl::StatusOr<KvEntry> entry = bucket_->Get(DeadKey(id));
  if (absl::IsNotFound(entry.status())) {
    return absl::NotFoundError(Cat("there is no dead notification ", id));
  }
  RETURN_IF_ERROR(entry.status());
  absl::StatusOr<Delivery> delivery = DeliveryOf(entry->value);
  if (!delivery.ok()) return absl::DataLossError(delivery.status().message());
  return delivery;
}

absl::StatusOr<DeadNotification> KvDeadNotifications::GetDead(const std::string& id) {
  ASSIGN_OR_RETURN(Delivery delivery, Find(id));
  return Shown(id, std::move(delivery));
}

absl::Status KvDeadNotifications::RedriveDead(const std::string& id) {
  ASSIGN_OR_RETURN(Delivery delivery, Find(id));
  delivery.attempts = 0;
  delivery.first_micros = delivery.next_micros = delivery.given_up_micros = 0;
  RETURN_IF_ERROR(bucket_->Put(delivery.Key(), ToText(delivery)).status());
  return Remove(id);
}

absl::Status KvDeadNotifications::DropDead(const std::string& id) {
  RETURN_IF_ERROR(Find(id).status());
  return Remove(id);
}

absl::Status KvDeadNotifications::Remove(const std::string& id) {
  RETURN_IF_ERROR(bucket_->Delete(DeadKey(id)));
  absl::MutexLock lock(&mutex_);
  ids_.erase(id);
  return absl::OkStatus();
}

}  // namespace jaque::notifier
