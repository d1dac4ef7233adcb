// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_command_service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/gate.h"
#include "nats/pull_consumer.h"
#include "queue/nats_command_reply.h"

namespace jaque {
namespace {

constexpr absl::Duration kLongestBackoff = absl::Seconds(10);
constexpr absl::Duration kPullWait = absl::Seconds(20);
constexpr int kPullBatch = 64;
constexpr absl::Duration kDrain = absl::Seconds(2);

// A claimed command, as far as its end needs it.
struct Claimed {
  std::string acknowledge_to, reply_to, command;
  int delivered = 1;
};

class Serving : public std::enable_shared_from_this<Serving> {
 public:
  Serving(nats::Connection* connection, const NatsServiceSpec& spec, CommandBus::Handler handler)
      : connection_(connection), spec_(spec), handler_(std::move(handler)) {}

  // That came over `connection`, which takes the answer.
  void OnCommand(nats::Connection* connection, nats::Message message);
  void Tick();
  void Close() { gate_.Close(); }
  // The pulls of a service end with it, while replies, which use this object, may come later.
  void SetIngress(nats::PullConsumer* ingress) {
    {
      absl::MutexLock lock(&mutex_);
      ingress_ = ingress;
    }
    PullMore();
  }
  void Answer(uint64_t claim, absl::StatusOr<std::string> reply);

 private:
  class Claim;

  void PullMore();
  void OnClaims(std::vector<nats::Message> messages);
  void HandBack(const Claimed& claimed, const absl::Status& why);

  nats::Connection* const connection_;
  const NatsServiceSpec spec_;
  const CommandBus::Handler handler_;
  Gate gate_;
  absl::Mutex mutex_;
  nats::PullConsumer* ingress_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool pulling_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t last_claim_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, Claimed> claims_ ABSL_GUARDED_BY(mutex_);
  absl::Duration renew_at_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
};

// The reply function of a claim; dropped uncalled, it hands the command back.
class Serving::Claim {
 public:
  Claim(std::shared_ptr<Serving> serving, uint64_t id) : serving_(std::move(serving)), id_(id) {}
  Claim(Claim&& other) noexcept = default;
  ~Claim() {
    if (serving_ != nullptr) serving_->Answer(id_, absl::UnavailableError("claim dropped"));
  }
  void operator()(absl::StatusOr<std::string> reply) {
    if (auto serving = std::exchange(serving_, nullptr)) serving->Answer(id_, std::move(reply));
  }

 private:
  std::shared_ptr<Serving> serving_;
  uint64_t id_;
};

void Serving::OnCommand(nats::Connection* connection, nats::Message message) {
  GatePass pass(&gate_);
  if (!pass || message.reply().empty()) return;
  handler_(std::string(message.data()), /*from_ingress=*/false,
           [connection, to = std::string(message.reply())](absl::StatusOr<std::string> reply) {
             SendReply(*connection, to, reply);
           });
}

void Serving::PullMore() {
  absl::MutexLock lock(&mutex_);
  if (ingress_ == nullptr || pulling_ || claims_.size() >= spec_.options.claims) return;
  pulling_ = true;
  const int room = static_cast<int>(spec_.options.claims - claims_.size());
  ingress_->Pull(std::min(kPullBatch, room), kPullWait,
                 [weak = weak_from_this()](std::vector<nats::Message> messages) {
                   if (auto self = weak.lock()) self->OnClaims(std::move(messages));
                 });
}

void Serving::OnClaims(std::vector<nats::Message> messages) {
  for (const nats::Message& message : messages) {
    const auto info = nats::ParseDelivery(message.reply());
    uint64_t id = 0;
    {
      absl::MutexLock lock(&mutex_);
      id = ++last_claim_;
      claims_[id] = {std::string(message.reply()), std::string(message.header(kReplyToHeader)),
                     std::string(message.data()), info ? info->delivered : 1};
    }
    Claim claim(shared_from_this(), id);
    if (GatePass pass(&gate_); pass) {
      handler_(std::string(message.data()), /*from_ingress=*/true, std::move(claim));
    }
  }
  {
    absl::MutexLock lock(&mutex_);
    pulling_ = false;
  }
  PullMore();
}

void Serving::Answer(uint64_t claim, absl::StatusOr<std::string> reply) {
  Claimed claimed;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = claims_.find(claim);
    claimed = std::move(found->second);
    claims_.erase(found);
  }
  if (reply.ok()) {
    if (!claimed.reply_to.empty()) SendReply(*connection_, claimed.reply_to, reply);
    nats::Acknowledge(*connection_, claimed.acknowledge_to);
  } else {
    HandBack(claimed, reply.status());
  }
  PullMore();
}

void Serving::HandBack(const Claimed& claimed, const absl::Status& why) {
  const absl::Duration backoff =
      std::min(spec_.options.ingress_backoff * (1LL << std::clamp(claimed.delivered - 1, 0, 20)),
               kLongestBackoff);
  if (claimed.delivered < spec_.options.ingress_attempts) {
    return nats::HandBack(*connection_, claimed.acknowledge_to, backoff);
  }
  // It leaves the ingress only once it is stored among the dead.
  const std::string reason =
      absl::StrCat("given up after ", claimed.delivered, " attempts: ", why.message());
  nats::PublishStored(
      *connection_, spec_.dead_subject, {{"Jaque-Reason", nats::EncodeToken(reason)}},
      claimed.command, nats::kApiTimeout,
      [connection = connection_, reason, backoff, reply_to = claimed.reply_to,
       acknowledge_to = claimed.acknowledge_to](absl::StatusOr<nats::PublishAck> ack) {
        if (!ack.ok()) return nats::HandBack(*connection, acknowledge_to, backoff);
        if (!reply_to.empty()) SendReply(*connection, reply_to, absl::AbortedError(reason));
        nats::GiveUp(*connection, acknowledge_to);
      });
}

void Serving::Tick() {
  std::vector<std::string> renew;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = connection_->Now();
    if (now < renew_at_) return;
    renew_at_ = now + spec_.options.ack_wait / 4;
    for (const auto& [id, claimed] : claims_) renew.push_back(claimed.acknowledge_to);
  }
  for (const std::string& to : renew) nats::AcknowledgeProgress(*connection_, to);
}

class NatsService final : public CommandBus::Service {
 public:
  NatsService(nats::Connection* connection, nats::Connection* direct, const NatsServiceSpec& spec,
              CommandBus::Handler handler)
      : serving_(std::make_shared<Serving>(connection, spec, std::move(handler))),
        ingress_(connection, spec.ingress),
        listener_(connection->Listen(nats::OnLive(serving_, &Serving::Tick), [] {})) {
    Hear(connection, spec.subject);
    if (direct != connection) Hear(direct, spec.subject);
    serving_->SetIngress(&ingress_);
  }

  ~NatsService() override {
    serving_->SetIngress(nullptr);
    // Who sent something is answered, and who sends from now on learns that nobody is here.
    for (const auto& commands : commands_) commands->Drain(kDrain);
    commands_.clear();
    serving_->Close();
  }

 private:
  void Hear(nats::Connection* connection, const std::string& subject) {
    auto commands =
        connection->Subscribe(subject, [serving = serving_, connection](nats::Message message) {
          serving->OnCommand(connection, std::move(message));
        });
    // Only a closed connection refuses; then nothing would ever come.
    if (commands.ok()) commands_.push_back(*std::move(commands));
  }

  const std::shared_ptr<Serving> serving_;
  nats::PullConsumer ingress_;
  std::vector<std::unique_ptr<nats::Connection::Subscription>> commands_;
  std::unique_ptr<nats::Connection::Listener> listener_;
};

}  // namespace

std::unique_ptr<CommandBus::Service> ServeOverNats(nats::Connection* connection,
                                                   nats::Connection* direct,
                                                   const NatsServiceSpec& spec,
                                                   CommandBus::Handler handler) {
  return std::make_unique<NatsService>(connection, direct, spec, std::move(handler));
}

}  // namespace jaque
