// SPDX-License-Identifier: Apache-2.0
#include "notifier/dispatcher.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/text.h"

namespace jaque::notifier {
namespace {

constexpr int kSendingPerTarget = 16;
constexpr int64_t kMicros = 1'000'000;

}  // namespace

int64_t PauseAfter(int attempts, Random* random) {
  const int64_t longest = int64_t{limits::kDeliveryPauseSeconds} * kMicros;
  const int64_t pause = std::min(longest, kMicros << std::clamp(attempts - 1, 0, 30));
  return pause - static_cast<int64_t>(random->Below(static_cast<uint64_t>(pause / 2)));
}

void Dispatcher::Add(Delivery delivery) {
  if (!keys_.insert(delivery.Key()).second) return;
  const std::string instance = delivery.instance;
  Line& line = lines_[delivery.target];
  Lane& lane = line.lanes[instance];
  if (!delivery.parked) ++open_[delivery.shard][delivery.sequence];
  const bool first = lane.waiting.empty();
  lane.waiting.push_back(std::move(delivery));
  if (first) {
    MakeReady(&line, instance, lane.waiting.front().next_micros);
  } else if (lane.waiting.front().parked) {
    Park(&lane.waiting.back());
  }
  ProcessMetrics().deliveries_pending.Set(static_cast<double>(keys_.size()));
}

void Dispatcher::MakeReady(Line* line, const std::string& instance, int64_t due) {
  line->lanes[instance].due = due;
  line->ready.insert({due, instance});
}

void Dispatcher::Drop(ShardId shard) {
  for (auto& [target, line] : lines_) {
    for (auto it = line.lanes.begin(); it != line.lanes.end();) {
      Lane& lane = it->second;
      // All of an instance come from one shard.
      if (lane.waiting.empty() || lane.waiting.front().shard != shard) {
        ++it;
        continue;
      }
      for (const Delivery& delivery : lane.waiting) keys_.erase(delivery.Key());
      line.ready.erase({lane.due, it->first});
      if (lane.sending) --line.sending;
      it = line.lanes.erase(it);
    }
  }
  open_.erase(shard);
}

void Dispatcher::Tick() {
  for (auto& [name, line] : lines_) SendDue(name, &line);
  ProcessMetrics().deliveries_pending.Set(static_cast<double>(keys_.size()));
}

void Dispatcher::SendDue(const std::string& name, Line* line) {
  const Target* const target = rules_->Find(name);
  const int64_t now = Now();
  if (target == nullptr) {
    // The rules name it no more; it may come back, and until then what it has left waits parked.
    for (auto& [instance, lane] : line->lanes) {
      for (Delivery& delivery : lane.waiting) Park(&delivery);
    }
    return;
  }
  const double burst = std::max(1.0, target->per_second);
  if (line->filled_micros == 0) line->tokens = burst;
  line->tokens = std::min(burst, line->tokens + static_cast<double>(now - line->filled_micros) /
                                                    kMicros * target->per_second);
  line->filled_micros = now;
  while (line->tokens >= 1 && line->sending < kSendingPerTarget && !line->ready.empty() &&
         line->ready.begin()->first <= now) {
    const std::string instance = line->ready.begin()->second;
    line->ready.erase(line->ready.begin());
    line->tokens -= 1;
    Send(*target, line, instance);
  }
}

void Dispatcher::Send(const Target& target, Line* line, const std::string& instance) {
  Lane& lane = line->lanes[instance];
  Delivery& delivery = lane.waiting.front();
  if (delivery.first_micros == 0) delivery.first_micros = Now();
  lane.sending = true;
  ++line->sending;
  const std::string key = delivery.Key();
  parts_.sender->Send(
      target, delivery,
      [this, post = parts_.post, name = target.name, instance, key](Outcome outcome) {
        post([this, name, instance, key, outcome = std::move(outcome)] {
          Ended(name, instance, key, outcome);
        });
      });
}

void Dispatcher::Ended(const std::string& target, const std::string& instance,
                       const std::string& key, const Outcome& outcome) {
  Line& line = lines_[target];
  const auto found = line.lanes.find(instance);
  // The shard may have gone and come back meanwhile.
  if (found == line.lanes.end() || !found->second.sending ||
      found->second.waiting.front().Key() != key) {
    return;
  }
  Lane& lane = found->second;
  lane.sending = false;
  --line.sending;
  Delivery& delivery = lane.waiting.front();
  ++delivery.attempts;
  if (outcome.kind == Outcome::Kind::kSent) {
    ProcessMetrics().deliveries_sent.Increment();
    Remove(&lane);
  } else {
    ProcessMetrics().deliveries_failed.Increment();
    delivery.error = outcome.why;
    const bool too_long =
        Now() - delivery.first_micros >= int64_t{limits::kDeliverySeconds} * kMicros;
    if ((outcome.kind == Outcome::Kind::kRefused || too_long) && Bury(delivery)) {
      Remove(&lane);
    } else {
      TryLater(&lane, outcome);
    }
  }
  if (lane.waiting.empty()) {
    line.lanes.erase(found);
  } else {
    MakeReady(&line, instance, lane.waiting.front().next_micros);
  }
}

bool Dispatcher::Bury(const Delivery& delivery) {
  const absl::Status kept = parts_.dead->Keep(delivery);
  if (!kept.ok()) {
    LogWarn("a dead letter could not be kept", {{"id", delivery.id}, {"why", Message(kept)}});
    return false;
  }
  ProcessMetrics().deliveries_dead.Increment();
  LogWarn("a notification was given up", {{"id", delivery.id},
                                          {"target", delivery.target},
                                          {"attempts", delivery.attempts},
                                          {"why", delivery.error}});
  return true;
}

void Dispatcher::TryLater(Lane* lane, const Outcome& outcome) {
  Delivery& first = lane->waiting.front();
  const int64_t pause =
      std::max(PauseAfter(first.attempts, parts_.random), absl::ToInt64Microseconds(outcome.after));
  first.next_micros = Now() + pause;
  // Again where it was parked already: its attempts count after a restart too.
  if (std::exchange(first.parked, false)) ++open_[first.shard][first.sequence];
  for (Delivery& delivery : lane->waiting) Park(&delivery);
}

void Dispatcher::Park(Delivery* delivery) {
  if (delivery->parked) return;
  const auto put = parts_.bucket->Put(delivery->Key(), ToText(*delivery));
  if (!put.ok()) {
    LogWarn("a notification could not be parked",
            {{"id", delivery->id}, {"why", Message(put.status())}});
    return;
  }
  Forget(*delivery);
  delivery->parked = true;
}

void Dispatcher::Remove(Lane* lane) {
  const Delivery& delivery = lane->waiting.front();
  if (delivery.parked) {
    const absl::Status removed = parts_.bucket->Delete(delivery.Key());
    if (!removed.ok()) {
      LogWarn("a notification that was sent is still parked, and will be sent again",
              {{"id", delivery.id}, {"why", Message(removed)}});
    }
  } else {
    Forget(delivery);
  }
  keys_.erase(delivery.Key());
  lane->waiting.pop_front();
}

void Dispatcher::Forget(const Delivery& delivery) {
  const auto shard = open_.find(delivery.shard);
  if (shard == open_.end()) return;
  const auto sequence = shard->second.find(delivery.sequence);
  if (sequence != shard->second.end() && --sequence->second == 0) shard->second.erase(sequence);
}

Sequence Dispatcher::DoneThrough(ShardId shard, Sequence read) const {
  const auto open = open_.find(shard);
  if (open == open_.end() || open->second.empty()) return read;
  return std::min(read, open->second.begin()->first - 1);
}

}  // namespace jaque::notifier
