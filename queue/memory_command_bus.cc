// SPDX-License-Identifier: Apache-2.0
#include "queue/memory_command_bus.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/recent_ids.h"

namespace jaque {
namespace {

constexpr absl::Duration kLongestBackoff = absl::Seconds(10);

// A handler that can be closed: after Close it runs no more.
class ServiceState {
 public:
  explicit ServiceState(CommandBus::Handler handler) : handler_(std::move(handler)) {}

  // False, and `reply` untouched, if closed.
  bool Handle(std::string command, bool from_ingress, CommandBus::ReplyFn& reply) {
    {
      absl::MutexLock lock(&mutex_);
      if (closed_) return false;
      ++running_;
    }
    handler_(std::move(command), from_ingress, std::move(reply));
    absl::MutexLock lock(&mutex_);
    --running_;
    return true;
  }

  void Close() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    mutex_.Await(absl::Condition(
        +[](int* running) { return *running == 0; }, &running_));
  }

 private:
  const CommandBus::Handler handler_;
  absl::Mutex mutex_;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

class MemoryCommandBus::Core : public std::enable_shared_from_this<MemoryCommandBus::Core> {
 public:
  using ServicePtr = std::shared_ptr<ServiceState>;

  Core(const Clock* clock, const Options& options)
      : clock_(clock),
        options_(options),
        recent_(options.dedup_window, limits::kDeduplicationIds) {}

  void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
            ReplyFn reply);
  void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
              ReplyFn reply);
  void Add(const std::string& engine_id, ServicePtr service);
  void Remove(const ServicePtr& service);
  void ExpireOverdue();
  absl::StatusOr<std::vector<DeadLetter>> ListDead(uint64_t after, size_t limit) const;
  uint64_t CountDead() const;
  absl::StatusOr<DeadLetter> GetDead(uint64_t sequence) const;
  absl::Status DropDead(uint64_t sequence);

 private:
  struct Call {
    ReplyFn reply;
    absl::Duration deadline;
    std::string command_id;  // of an ingress command
  };
  struct IngressCommand {
    std::string command;
    std::string command_id;
    int attempts = 0;
  };
  class Claim;
  struct Answer {
    ReplyFn reply;
    absl::StatusOr<std::string> result;
  };

  static ReplyFn ReplyTo(std::weak_ptr<Core> core, uint64_t call);
  void CompleteCall(uint64_t call, absl::StatusOr<std::string> result);
  // Offers ready ingress commands to the services in turn, under no lock.
  void OfferIngress();
  void CompleteIngress(uint64_t id, std::string reply);
  void HandBack(uint64_t id, const absl::Status& why);

  uint64_t AddCall(absl::Duration timeout, std::string command_id, ReplyFn reply)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Call TakeCall(uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the command and takes the calls that wait for it.
  std::vector<Answer> EndIngress(uint64_t id, const absl::StatusOr<std::string>& result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock* const clock_;
  const Options options_;
  mutable absl::Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<std::string, ServicePtr>> services_ ABSL_GUARDED_BY(mutex_);
  size_t next_service_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, Call> calls_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, IngressCommand> ingress_ ABSL_GUARDED_BY(mutex_);
  std::deque<uint64_t> ready_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> handed_back_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::vector<uint64_t>> waiting_ ABSL_GUARDED_BY(mutex_);
  RecentIds recent_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_dead_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, DeadLetter> dead_ ABSL_GUARDED_BY(mutex_);
};

// The right to answer an ingress command; dropped unused, it hands the command back.
class MemoryCommandBus::Core::Claim {
 public:
  Claim(std::weak_ptr<Core> core, uint64_t id) : core_(std::move(core)), id_(id) {}
  Claim(Claim&& other) noexcept : core_(std::move(other.core_)), id_(other.id_) {
    other.core_.reset();
  }
  ~Claim() {
    if (auto core = core_.lock()) core->HandBack(id_, absl::UnavailableError("claim dropped"));
  }

  void operator()(absl::StatusOr<std::string> result) {
    auto core = core_.lock();
    core_.reset();
    if (core == nullptr) return;
    if (result.ok()) {
      core->CompleteIngress(id_, *std::move(result));
    } else {
      core->HandBack(id_, result.status());
    }
  }

 private:
  std::weak_ptr<Core> core_;
  const uint64_t id_;
};

void MemoryCommandBus::Core::Send(const std::string& engine_id, std::string command,
                                  absl::Duration timeout, ReplyFn reply) {
  ServicePtr service;
  uint64_t call = 0;
  absl::Status refused;
  {
    absl::MutexLock lock(&mutex_);
    // The newest of an id: an older one is on its way out.
    for (const auto& [id, state] : services_) {
      if (id == engine_id) service = state;
    }
    if (service == nullptr) {
      refused = absl::UnavailableError(absl::StrCat("nobody serves engine ", engine_id));
    } else if (calls_.size() >= options_.capacity) {
      refused =
          absl::ResourceExhaustedError(absl::StrCat(calls_.size(), " calls wait for replies"));
    } else {
      call = AddCall(timeout, "", std::move(reply));
    }
  }
  if (!refused.ok()) return reply(std::move(refused));
  ReplyFn answer = ReplyTo(weak_from_this(), call);
  if (!service->Handle(std::move(command), /*from_ingress=*/false, answer)) {
    CompleteCall(call, absl::UnavailableError(absl::StrCat("engine ", engine_id, " has left")));
  }
}

CommandBus::ReplyFn MemoryCommandBus::Core::ReplyTo(std::weak_ptr<Core> core, uint64_t call) {
  return [core = std::move(core), call](absl::StatusOr<std::string> result) {
    if (auto self = core.lock()) self->CompleteCall(call, std::move(result));
  };
}

void MemoryCommandBus::Core::CompleteCall(uint64_t call, absl::StatusOr<std::string> result) {
  ReplyFn reply;
  {
    absl::MutexLock lock(&mutex_);
    if (!calls_.contains(call)) return;  // its deadline was earlier
    reply = TakeCall(call).reply;
  }
  reply(std::move(result));
}

void MemoryCommandBus::Core::Submit(std::string command, const std::string& command_id,
                                    absl::Duration timeout, ReplyFn reply) {
  {
    absl::MutexLock lock(&mutex_);
    if (calls_.size() < options_.capacity && ingress_.size() < options_.capacity) {
      const uint64_t call = AddCall(timeout, command_id, std::move(reply));
      waiting_[command_id].push_back(call);
      const absl::Duration now = clock_->Monotonic();
      if (!recent_.Find(command_id, now)) {
        const uint64_t id = ++last_id_;
        recent_.Insert(command_id, id, now);
        ingress_[id] = {std::move(command), command_id, 0};
        ready_.push_back(id);
      }
      reply = nullptr;
    }
  }
  if (reply) return reply(absl::ResourceExhaustedError("the ingress is full"));
  OfferIngress();
}

void MemoryCommandBus::Core::OfferIngress() {
  while (true) {
    ServicePtr service;
    std::string command;
    uint64_t id = 0;
    {
      absl::MutexLock lock(&mutex_);
      if (ready_.empty() || services_.empty()) return;
      id = ready_.front();
      ready_.pop_front();
      service = services_[next_service_++ % services_.size()].second;
      IngressCommand& claimed = ingress_.at(id);
      ++claimed.attempts;
      command = claimed.command;
    }
    ReplyFn claim = Claim(weak_from_this(), id);
    // A service that closed in between drops the claim here, which hands the command back.
    service->Handle(std::move(command), /*from_ingress=*/true, claim);
  }
}

void MemoryCommandBus::Core::CompleteIngress(uint64_t id, std::string reply) {
  std::vector<Answer> answers;
  {
    absl::MutexLock lock(&mutex_);
    answers = EndIngress(id, std::move(reply));
  }
  for (Answer& answer : answers) answer.reply(std::move(answer.result));
}

void MemoryCommandBus::Core::HandBack(uint64_t id, const absl::Status& why) {
  std::vector<Answer> answers;
  {
    absl::MutexLock lock(&mutex_);
    const IngressCommand& command = ingress_.at(id);
    if (command.attempts < options_.ingress_attempts) {
      const absl::Duration backoff =
          options_.ingress_backoff * (1LL << std::min(command.attempts - 1, 20));
      handed_back_.insert({clock_->Monotonic() + std::min(backoff, kLongestBackoff), id});
      return;
    }
    const std::string reason =
        absl::StrCat("given up after ", command.attempts, " attempts: ", why.message());
    const uint64_t sequence = ++last_dead_;
    dead_[sequence] = {sequence, command.command, reason, absl::ToUnixMicros(clock_->Now())};
    if (dead_.size() > limits::kDeadLetters) dead_.erase(dead_.begin());
    answers = EndIngress(id, absl::AbortedError(reason));
  }
  for (Answer& answer : answers) answer.reply(std::move(answer.result));
}

std::vector<MemoryCommandBus::Core::Answer> MemoryCommandBus::Core::EndIngress(
    uint64_t id, const absl::StatusOr<std::string>& result) {
  std::vector<Answer> answers;
  const auto command = ingress_.find(id);
  const auto callers = waiting_.find(command->second.command_id);
  ingress_.erase(command);
  if (callers == waiting_.end()) return answers;
  const std::vector<uint64_t> calls = std::move(callers->second);
  waiting_.erase(callers);
  for (uint64_t call : calls) answers.push_back({TakeCall(call).reply, result});
  return answers;
}

uint64_t MemoryCommandBus::Core::AddCall(absl::Duration timeout, std::string command_id,
                                         ReplyFn reply) {
  const uint64_t id = ++last_id_;
  const absl::Duration deadline = clock_->Monotonic() + timeout;
  calls_[id] = {std::move(reply), deadline, std::move(command_id)};
  deadlines_.insert({deadline, id});
  return id;
}

MemoryCommandBus::Core::Call MemoryCommandBus::Core::TakeCall(uint64_t id) {
  const auto found = calls_.find(id);
  Call call = std::move(found->second);
  calls_.erase(found);
  deadlines_.erase({call.deadline, id});
  return call;
}

void MemoryCommandBus::Core::Add(const std::string& engine_id, ServicePtr service) {
  {
    absl::MutexLock lock(&mutex_);
    services_.emplace_back(engine_id, std::move(service));
  }
  OfferIngress();
}

void MemoryCommandBus::Core::Remove(const ServicePtr& service) {
  absl::MutexLock lock(&mutex_);
  services_.erase(std::remove_if(services_.begin(), services_.end(),
                                 [&](const auto& entry) { return entry.second == service; }),
                  services_.end());
}

void MemoryCommandBus::Core::ExpireOverdue() {
  std::vector<ReplyFn> expired;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = clock_->Monotonic();
    while (!handed_back_.empty() && handed_back_.begin()->first <= now) {
      ready_.push_back(handed_back_.begin()->second);
      handed_back_.erase(handed_back_.begin());
    }
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const uint64_t id = deadlines_.begin()->second;
      Call call = TakeCall(id);
      if (const auto callers = waiting_.find(call.command_id); callers != waiting_.end()) {
        auto& ids = callers->second;
        ids.erase(std::remove(ids.begin(), ids.end(), id), ids.end());
        if (ids.empty()) waiting_.erase(callers);
      }
      expired.push_back(std::move(call.reply));
    }
  }
  for (ReplyFn& reply : expired) reply(absl::Status(options_.unanswered, "no reply in time"));
  OfferIngress();
}

absl::StatusOr<std::vector<DeadLetter>> MemoryCommandBus::Core::ListDead(uint64_t after,
                                                                         size_t limit) const {
  absl::MutexLock lock(&mutex_);
  std::vector<DeadLetter> letters;
  for (auto letter = dead_.upper_bound(after); letter != dead_.end() && letters.size() < limit;
       ++letter) {
    letters.push_back(letter->second);
  }
  return letters;
}

uint64_t MemoryCommandBus::Core::CountDead() const {
  absl::MutexLock lock(&mutex_);
  return dead_.size();
}

absl::StatusOr<DeadLetter> MemoryCommandBus::Core::GetDead(uint64_t sequence) const {
  absl::MutexLock lock(&mutex_);
  const auto letter = dead_.find(sequence);
  if (letter != dead_.end()) return letter->second;
  return absl::NotFoundError(absl::StrCat("there is no dead command ", sequence));
}

absl::Status MemoryCommandBus::Core::DropDead(uint64_t sequence) {
  absl::MutexLock lock(&mutex_);
  if (dead_.erase(sequence) > 0) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no dead command ", sequence));
}

class MemoryCommandBus::MemoryService final : public CommandBus::Service {
 public:
  MemoryService(std::shared_ptr<Core> core, std::shared_ptr<ServiceState> state)
      : core_(std::move(core)), state_(std::move(state)) {}
  ~MemoryService() override {
    core_->Remove(state_);
    state_->Close();
  }

 private:
  const std::shared_ptr<Core> core_;
  const std::shared_ptr<ServiceState> state_;
};

MemoryCommandBus::MemoryCommandBus(const Clock* clock, const Options& options)
    : core_(std::make_shared<Core>(clock, options)) {}

MemoryCommandBus::~MemoryCommandBus() = default;

void MemoryCommandBus::Send(const std::string& engine_id, std::string command,
                            absl::Duration timeout, ReplyFn reply) {
  core_->Send(engine_id, std::move(command), timeout, std::move(reply));
}

void MemoryCommandBus::Submit(std::string command, const std::string& command_id,
                              absl::Duration timeout, ReplyFn reply) {
  core_->Submit(std::move(command), command_id, timeout, std::move(reply));
}

std::unique_ptr<CommandBus::Service> MemoryCommandBus::Serve(const std::string& engine_id,
                                                             Handler handler) {
  auto state = std::make_shared<ServiceState>(std::move(handler));
  auto service = std::make_unique<MemoryService>(core_, state);
  core_->Add(engine_id, std::move(state));
  return service;
}

void MemoryCommandBus::ExpireOverdue() { core_->ExpireOverdue(); }

absl::StatusOr<std::vector<DeadLetter>> MemoryCommandBus::ListDead(uint64_t after, size_t limit) {
  return core_->ListDead(after, limit);
}

absl::StatusOr<uint64_t> MemoryCommandBus::CountDead() { return core_->CountDead(); }

absl::StatusOr<DeadLetter> MemoryCommandBus::GetDead(uint64_t sequence) {
  return core_->GetDead(sequence);
}

absl::Status MemoryCommandBus::DropDead(uint64_t sequence) { return core_->DropDead(sequence); }

}  // namespace jaque
