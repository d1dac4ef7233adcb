// SPDX-License-Identifier: Apache-2.0
#include "nats/pull_consumer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace jaque::nats {
namespace {

// A server that does not answer a request for what is there within this has lost it, or its
// consumer.
constexpr absl::Duration kAnswerWithin = absl::Seconds(2);
// For messages that are under way when a consumer goes; what comes later waits to be acknowledged.
constexpr absl::Duration kDrain = absl::Seconds(2);

}  // namespace

// One pull goes through two requests: first for what is there at once (it ends with a status unless
// it is filled), then, if that was nothing, for one message with an expiry.
class PullConsumer::Core : public std::enable_shared_from_this<PullConsumer::Core> {
 public:
  Core(Connection* connection, const ConsumerSpec& spec)
      : connection_(connection),
        spec_(spec),
        next_(absl::StrCat("$JS.API.CONSUMER.MSG.NEXT.", spec.stream, ".", spec.name)) {}

  void Pull(int max, absl::Duration wait, Deliver deliver);
  void Tick();
  void Reconnected();
  void Close();

 private:
  enum class Phase { kIdle, kGather, kWait, kParked };
  // An inbox that serves one pull at a time.
  struct Slot {
    std::string inbox;
    std::unique_ptr<Connection::Subscription> subscription;
    Phase phase = Phase::kIdle;
    int max = 0;
    absl::Duration deadline;        // of the pull
    absl::Duration phase_deadline;  // of the request
    std::vector<Message> gathered;
    Deliver deliver;
  };
  using SlotPtr = std::shared_ptr<Slot>;
  // A finished pull, to be answered under no lock.
  struct Finished {
    Deliver deliver;
    std::vector<Message> messages;
    void Run() {
      if (deliver) deliver(std::move(messages));
    }
  };

  SlotPtr NewSlot();
  void Begin(Slot& slot, int max, absl::Duration deadline, Deliver deliver)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnMessage(const SlotPtr& slot, Message message);
  Finished OnData(Slot& slot, Message message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Finished OnStatus(Slot& slot, int status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Finished Finish(Slot& slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Gather(Slot& slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Wait(Slot& slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits for the pull's end without a request: the server cannot be asked.
  static void Park(Slot& slot);
  void MakeConsumerAnew();
  // Ends what `ends` says; slots whose request may still be at the server are thrown away.
  template <typename Predicate>
  void EndSlots(Predicate ends);

  Connection* const connection_;
  const ConsumerSpec spec_;
  const std::string next_;
  absl::Mutex mutex_;
  std::vector<SlotPtr> slots_ ABSL_GUARDED_BY(mutex_);
  absl::Duration made_at_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
};

void PullConsumer::Core::Pull(int max, absl::Duration wait, Deliver deliver) {
  const absl::Duration deadline = connection_->Now() + wait;
  {
    absl::MutexLock lock(&mutex_);
    for (const SlotPtr& slot : slots_) {
      if (slot->phase == Phase::kIdle) return Begin(*slot, max, deadline, std::move(deliver));
    }
  }
  const SlotPtr slot = NewSlot();
  absl::MutexLock lock(&mutex_);
  slots_.push_back(slot);
  Begin(*slot, max, deadline, std::move(deliver));
}

PullConsumer::Core::SlotPtr PullConsumer::Core::NewSlot() {
  auto slot = std::make_shared<Slot>();
  slot->inbox = connection_->NewInbox();
  auto subscription = connection_->Subscribe(
      slot->inbox,
      [weak = weak_from_this(), weak_slot = std::weak_ptr<Slot>(slot)](Message message) {
        const auto self = weak.lock();
        const SlotPtr strong = weak_slot.lock();
        if (self != nullptr && strong != nullptr) self->OnMessage(strong, std::move(message));
      });
  if (subscription.ok()) slot->subscription = *std::move(subscription);
  return slot;
}

void PullConsumer::Core::Begin(Slot& slot, int max, absl::Duration deadline, Deliver deliver) {
  slot.max = max;
  slot.deadline = deadline;
  slot.deliver = std::move(deliver);
  if (slot.subscription == nullptr) return Park(slot);  // the connection is closed
  Gather(slot);
}

void PullConsumer::Core::Gather(Slot& slot) {
  slot.phase = Phase::kGather;
  slot.phase_deadline = connection_->Now() + kAnswerWithin;
  const std::string request = absl::StrCat("{\"batch\":", slot.max, ",\"no_wait\":true}");
  if (!connection_->Publish(next_, slot.inbox, {}, request).ok()) Park(slot);
}

void PullConsumer::Core::Wait(Slot& slot) {
  slot.phase = Phase::kWait;
  const absl::Duration left = slot.deadline - connection_->Now();
  slot.phase_deadline = slot.deadline + kAnswerWithin;
  const std::string request =
      absl::StrCat("{\"batch\":1,\"expires\":", absl::ToInt64Nanoseconds(left), "}");
  if (!connection_->Publish(next_, slot.inbox, {}, request).ok()) Park(slot);
}

void PullConsumer::Core::Park(Slot& slot) {
  slot.phase = Phase::kParked;
  slot.phase_deadline = absl::InfiniteDuration();
}

void PullConsumer::Core::OnMessage(const SlotPtr& slot, Message message) {
  Finished finished;
  bool stray = false, gone = false;
  {
    absl::MutexLock lock(&mutex_);
    const int status = message.status();
    stray = status == 0 && slot->phase != Phase::kGather && slot->phase != Phase::kWait;
    gone = status == 409;
    if (status != 0) {
      finished = OnStatus(*slot, status);
    } else if (!stray) {
      finished = OnData(*slot, std::move(message));
    }
  }
  if (stray) HandBack(*connection_, message.reply(), absl::ZeroDuration());
  if (gone) MakeConsumerAnew();
  finished.Run();
}

PullConsumer::Core::Finished PullConsumer::Core::OnData(Slot& slot, Message message) {
  slot.gathered.push_back(std::move(message));
  const bool full =
      slot.phase == Phase::kWait || static_cast<int>(slot.gathered.size()) >= slot.max;
  return full ? Finish(slot) : Finished();
}

PullConsumer::Core::Finished PullConsumer::Core::OnStatus(Slot& slot, int status) {
  if (status == 100 || slot.phase == Phase::kIdle || slot.phase == Phase::kParked) return {};
  if (!slot.gathered.empty()) return Finish(slot);
  if (status == 409) {
    Park(slot);
    return {};
  }
  if (slot.phase == Phase::kWait || connection_->Now() >= slot.deadline) return Finish(slot);
  Wait(slot);
  return {};
}

PullConsumer::Core::Finished PullConsumer::Core::Finish(Slot& slot) {
  slot.phase = Phase::kIdle;
  return {std::exchange(slot.deliver, nullptr), std::exchange(slot.gathered, {})};
}

template <typename Predicate>
void PullConsumer::Core::EndSlots(Predicate ends) {
  std::vector<Finished> finished;
  std::vector<SlotPtr> dropped;
  {
    absl::MutexLock lock(&mutex_);
    for (const SlotPtr& slot : slots_) {
      if (slot->phase == Phase::kIdle || !ends(*slot)) continue;
      finished.push_back(Finish(*slot));
      dropped.push_back(slot);
    }
    const auto is_dropped = [&](const SlotPtr& slot) {
      return std::find(dropped.begin(), dropped.end(), slot) != dropped.end();
    };
    slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_dropped), slots_.end());
  }
  // A subscription waits for its callback, which may want the lock.
  for (const SlotPtr& slot : dropped) slot->subscription.reset();
  for (Finished& one : finished) one.Run();
}

void PullConsumer::Core::Tick() {
  const absl::Duration now = connection_->Now();
  bool silent = false;
  EndSlots([&](const Slot& slot) {
    const bool unanswered = now >= slot.phase_deadline;
    silent = silent || unanswered;
    return unanswered || (slot.phase == Phase::kParked && now >= slot.deadline);
  });
  if (silent) MakeConsumerAnew();
}

void PullConsumer::Core::Reconnected() {
  EndSlots([](const Slot&) { return true; });
}

void PullConsumer::Core::Close() {
  std::vector<SlotPtr> slots;
  std::vector<Message> unanswered;
  {
    absl::MutexLock lock(&mutex_);
    slots.swap(slots_);
    for (const SlotPtr& slot : slots) {
      Finished dropped = Finish(*slot);
      std::move(dropped.messages.begin(), dropped.messages.end(), std::back_inserter(unanswered));
    }
  }
  for (const Message& message : unanswered) {
    HandBack(*connection_, message.reply(), absl::ZeroDuration());
  }
  // What the server has sent by now comes to an idle slot, which hands it back.
  for (const SlotPtr& slot : slots) {
    if (slot->subscription != nullptr) slot->subscription->Drain(kDrain);
  }
}

// Harmless where it exists: its configuration was compared when this process began.
void PullConsumer::Core::MakeConsumerAnew() {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = connection_->Now();
    if (now - made_at_ < absl::Seconds(1)) return;
    made_at_ = now;
  }
  CallApiAsync(*connection_, ConsumerCreateSubject(spec_), ConsumerCreateJson(spec_),
               [](absl::StatusOr<Value>) {});
}

PullConsumer::PullConsumer(Connection* connection, const ConsumerSpec& spec)
    : core_(std::make_shared<Core>(connection, spec)),
      listener_(connection->Listen(OnLive(core_, &Core::Tick), OnLive(core_, &Core::Reconnected))) {
}

PullConsumer::~PullConsumer() {
  listener_.reset();
  core_->Close();
}

void PullConsumer::Pull(int max, absl::Duration wait, Deliver deliver) {
  core_->Pull(max, wait, std::move(deliver));
}

namespace {

void Answer(Connection& connection, std::string_view reply, const std::string& word) {
  // What is lost here the server finds out by itself: the acknowledgement wait passes.
  connection.Publish(std::string(reply), "", {}, word).IgnoreError();
}

}  // namespace

void Acknowledge(Connection& connection, std::string_view reply) {
  Answer(connection, reply, "+ACK");
}
void AcknowledgeProgress(Connection& connection, std::string_view reply) {
  Answer(connection, reply, "+WPI");
}
void HandBack(Connection& connection, std::string_view reply, absl::Duration delay) {
  if (delay <= absl::ZeroDuration()) return Answer(connection, reply, "-NAK");
  Answer(connection, reply, absl::StrCat("-NAK {\"delay\":", absl::ToInt64Nanoseconds(delay), "}"));
}
void GiveUp(Connection& connection, std::string_view reply) { Answer(connection, reply, "+TERM"); }

}  // namespace jaque::nats
