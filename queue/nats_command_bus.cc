// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_command_bus.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "nats/jetstream.h"
#include "queue/nats_command_reply.h"
#include "queue/nats_command_service.h"

namespace jaque {
namespace {

constexpr absl::Duration kAttempt = absl::Seconds(2);
constexpr absl::Duration kBackoff = absl::Milliseconds(50);

}  // namespace

// The submitting end: commands on their way to the ingress, and calls that wait for the owner's
// reply. Calls of one command id share a group, whose number is the last token of the reply
// subject.
class NatsCommandBus::Submitter : public std::enable_shared_from_this<NatsCommandBus::Submitter> {
 public:
  Submitter(nats::Connection* connection, std::string ingress, size_t capacity)
      : connection_(connection),
        ingress_(std::move(ingress)),
        inbox_(connection->NewInbox()),
        capacity_(capacity) {}

  const std::string& inbox() const { return inbox_; }

  void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
              ReplyFn reply);
  void OnReply(nats::Message message);
  void Tick();

 private:
  struct Call {
    std::string command;
    nats::Headers headers;
    ReplyFn reply;
    uint64_t group = 0;
    absl::Duration deadline, retry_at = absl::InfiniteDuration();
    bool stored = false;
  };
  using CallPtr = std::shared_ptr<Call>;
  struct Group {
    std::string command_id;
    std::vector<uint64_t> calls;
  };

  void Publish(uint64_t id, CallPtr call);
  void OnPublished(uint64_t id, absl::StatusOr<nats::PublishAck> ack);
  // Null if it has ended.
  ReplyFn TakeReply(uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  nats::Connection* const connection_;
  const std::string ingress_, inbox_;
  const size_t capacity_;
  absl::Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, CallPtr> calls_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Group> groups_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, uint64_t> group_of_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> retries_ ABSL_GUARDED_BY(mutex_);
};

void NatsCommandBus::Submitter::Submit(std::string command, const std::string& command_id,
                                       absl::Duration timeout, ReplyFn reply) {
  auto call = std::make_shared<Call>();
  uint64_t id = 0;
  {
    absl::MutexLock lock(&mutex_);
    if (calls_.size() < capacity_) {
      id = ++last_id_;
      uint64_t& group = group_of_[command_id];
      if (group == 0) group = ++last_id_;
      groups_[group].command_id = command_id;
      groups_[group].calls.push_back(id);
      call->group = group;
      call->command = std::move(command);
      call->headers = {{"Nats-Msg-Id", nats::EncodeToken(command_id)},
                       {kReplyToHeader, absl::StrCat(inbox_, ".", group)}};
      call->reply = std::move(reply);
      call->deadline = connection_->Now() + timeout;
      calls_[id] = call;
      deadlines_.insert({call->deadline, id});
    }
  }
  if (id == 0) return reply(absl::ResourceExhaustedError("too many calls wait for replies"));
  Publish(id, std::move(call));
}

void NatsCommandBus::Submitter::Publish(uint64_t id, CallPtr call) {
  nats::PublishStored(*connection_, ingress_, call->headers, call->command, kAttempt,
                      [self = shared_from_this(), id](absl::StatusOr<nats::PublishAck> ack) {
                        self->OnPublished(id, std::move(ack));
                      });
}

void NatsCommandBus::Submitter::OnPublished(uint64_t id, absl::StatusOr<nats::PublishAck> ack) {
  ReplyFn refused;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    Call& call = *found->second;
    if (ack.ok()) {
      call.stored = true;
    } else if (nats::MaybeDone(ack.status())) {
      call.retry_at = connection_->Now() + kBackoff;
      retries_.push_back(id);
    } else {
      refused = TakeReply(id);
    }
  }
  if (refused) refused(ack.status());
}

void NatsCommandBus::Submitter::OnReply(nats::Message message) {
  const std::string_view token = message.subject().substr(inbox_.size() + 1);
  uint64_t group = 0;
  if (!absl::SimpleAtoi(absl::string_view(token.data(), token.size()), &group)) return;
  std::vector<ReplyFn> replies;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = groups_.find(group);
    if (found == groups_.end()) return;
    for (const uint64_t id : std::vector<uint64_t>(found->second.calls)) {
      replies.push_back(TakeReply(id));
    }
  }
  for (ReplyFn& reply : replies) reply(ReadReply(message));
}

CommandBus::ReplyFn NatsCommandBus::Submitter::TakeReply(uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  const CallPtr call = std::move(found->second);
  calls_.erase(found);
  deadlines_.erase({call->deadline, id});
  const auto group = groups_.find(call->group);
  auto& members = group->second.calls;
  members.erase(std::remove(members.begin(), members.end(), id), members.end());
  if (members.empty()) {
    group_of_.erase(group->second.command_id);
    groups_.erase(group);
  }
  return std::move(call->reply);
}

void NatsCommandBus::Submitter::Tick() {
  std::vector<std::pair<ReplyFn, bool>> late;
  std::vector<std::pair<uint64_t, CallPtr>> retry;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = connection_->Now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const uint64_t id = deadlines_.begin()->second;
      const bool stored = calls_.at(id)->stored;
      late.emplace_back(TakeReply(id), stored);
    }
    const auto due = [&](uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      const auto found = calls_.find(id);
      if (found == calls_.end()) return true;
      if (found->second->retry_at > now) return false;
      retry.emplace_back(id, found->second);
      return true;
    };
    retries_.erase(std::remove_if(retries_.begin(), retries_.end(), due), retries_.end());
  }
  for (auto& [reply, stored] : late) {
    reply(stored ? absl::DeadlineExceededError("stored, but not answered in time")
                 : absl::UnknownError("it is not known whether the command was stored"));
  }
  for (auto& [id, call] : retry) Publish(id, std::move(call));
}

absl::StatusOr<std::unique_ptr<NatsCommandBus>> NatsCommandBus::Open(nats::Connection* connection,
                                                                     nats::Connection* direct,
                                                                     const nats::Names& names,
                                                                     const Options& options) {
  nats::StreamSpec ingress;
  ingress.name = names.Stream("INGRESS");
  ingress.subjects = names.Subject("work.cmd.ingress");
  ingress.retention = nats::Retention::kWorkQueue;
  ingress.replicas = options.replicas;
  ingress.discard_new = true;
  RETURN_IF_ERROR(nats::EnsureStream(*connection, ingress));
  nats::StreamSpec dead;
  dead.name = names.Stream("DEAD");
  dead.subjects = names.Subject("dead.*");
  dead.replicas = options.replicas;
  dead.max_messages = static_cast<int64_t>(limits::kQueuedCommands);
  RETURN_IF_ERROR(nats::EnsureStream(*connection, dead));
  std::unique_ptr<NatsCommandBus> bus(new NatsCommandBus(connection, direct, names, options));
  RETURN_IF_ERROR(nats::EnsureConsumer(
      *connection, {ingress.name, "ingress", ingress.subjects, options.ack_wait}));
  const auto& submitter = bus->submitter_;
  ASSIGN_OR_RETURN(bus->replies_,
                   connection->Subscribe(submitter->inbox() + ".*", [submitter](nats::Message m) {
                     submitter->OnReply(std::move(m));
                   }));
  bus->listener_ = connection->Listen(nats::OnLive(submitter, &Submitter::Tick), [] {});
  return bus;
}

NatsCommandBus::NatsCommandBus(nats::Connection* connection, nats::Connection* direct,
                               const nats::Names& names, const Options& options)
    : connection_(connection),
      direct_(direct),
      names_(names),
      options_(options),
      submitter_(std::make_shared<Submitter>(connection, names.Subject("work.cmd.ingress"),
                                             options.capacity)) {}

NatsCommandBus::~NatsCommandBus() = default;

void NatsCommandBus::Send(const std::string& engine_id, std::string command, absl::Duration timeout,
                          ReplyFn reply) {
  nats::Connection* const way = direct_->connected() ? direct_ : connection_;
  way->Request(names_.Subject("cmd." + nats::EncodeToken(engine_id)), {}, command, timeout,
               [reply = std::move(reply)](absl::StatusOr<nats::Message> answer) mutable {
                 if (!answer.ok()) return reply(answer.status());
                 reply(ReadReply(*answer));
               });
}

void NatsCommandBus::Submit(std::string command, const std::string& command_id,
                            absl::Duration timeout, ReplyFn reply) {
  submitter_->Submit(std::move(command), command_id, timeout, std::move(reply));
}

std::unique_ptr<CommandBus::Service> NatsCommandBus::Serve(const std::string& engine_id,
                                                           Handler handler) {
  NatsServiceSpec spec;
  spec.subject = names_.Subject("cmd." + nats::EncodeToken(engine_id));
  spec.dead_subject = names_.Subject("dead.ingress");
  spec.ingress = {names_.Stream("INGRESS"), "ingress", names_.Subject("work.cmd.ingress"),
                  options_.ack_wait};
  spec.options = options_;
  return ServeOverNats(connection_, direct_, spec, std::move(handler));
}

}  // namespace jaque
