// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_task_queue.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "nats/jetstream.h"

namespace jaque {
namespace {

class NatsDelivery final : public TaskDelivery {
 public:
  NatsDelivery(nats::Connection* connection, nats::Message message)
      : connection_(connection), message_(std::move(message)), bytes_(message_.data()) {
    const auto info = nats::ParseDelivery(message_.reply());
    delivered_ = info ? info->delivered : 1;
  }
  const std::string& bytes() const override { return bytes_; }
  int delivered() const override { return delivered_; }
  void Ack() override { nats::Acknowledge(*connection_, message_.reply()); }
  void InProgress() override { nats::AcknowledgeProgress(*connection_, message_.reply()); }
  void Nak(absl::Duration delay) override { nats::HandBack(*connection_, message_.reply(), delay); }

 private:
  nats::Connection* const connection_;
  const nats::Message message_;
  const std::string bytes_;
  int delivered_ = 1;
};

}  // namespace

// Pulls that come before the pool's consumer is known to exist wait for that.
class NatsTaskQueue::Pool : public std::enable_shared_from_this<NatsTaskQueue::Pool> {
 public:
  Pool(nats::Connection* connection, const nats::ConsumerSpec& spec)
      : connection_(connection), spec_(spec), consumer_(connection, spec) {}

  void SetReady() {
    std::vector<Waiting> waiting;
    {
      absl::MutexLock lock(&mutex_);
      ready_ = true;
      waiting.swap(waiting_);
    }
    for (Waiting& w : waiting) consumer_.Pull(w.max, w.wait, std::move(w.deliver));
  }

  void Make() {
    nats::CallApiAsync(*connection_, nats::ConsumerCreateSubject(spec_),
                       nats::ConsumerCreateJson(spec_),
                       // If it failed the pulls find out, and make the consumer.
                       [weak = weak_from_this()](absl::StatusOr<Value>) {
                         if (auto self = weak.lock()) self->SetReady();
                       });
  }

  void Pull(int max, absl::Duration wait, nats::PullConsumer::Deliver deliver) {
    {
      absl::MutexLock lock(&mutex_);
      if (!ready_) {
        waiting_.push_back({max, wait, std::move(deliver)});
        return;
      }
    }
    consumer_.Pull(max, wait, std::move(deliver));
  }

 private:
  struct Waiting {
    int max;
    absl::Duration wait;
    nats::PullConsumer::Deliver deliver;
  };
  nats::Connection* const connection_;
  const nats::ConsumerSpec spec_;
  nats::PullConsumer consumer_;
  absl::Mutex mutex_;
  bool ready_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<std::unique_ptr<NatsTaskQueue>> NatsTaskQueue::Open(
    nats::Connection* connection, const nats::Names& names, const std::vector<std::string>& pools,
    const Options& options) {
  nats::StreamSpec spec;
  spec.name = names.Stream("TASKS");
  spec.subjects = names.Subject("work.task.*");
  spec.retention = nats::Retention::kWorkQueue;
  spec.replicas = options.replicas;
  spec.discard_new = true;
  RETURN_IF_ERROR(nats::EnsureStream(*connection, spec));
  std::unique_ptr<NatsTaskQueue> queue(new NatsTaskQueue(connection, names, options));
  absl::MutexLock lock(&queue->mutex_);
  for (const std::string& pool : pools) {
    const nats::ConsumerSpec consumer = queue->ConsumerOf(pool);
    RETURN_IF_ERROR(nats::EnsureConsumer(*connection, consumer));
    auto& slot = queue->pools_[pool] = std::make_shared<Pool>(connection, consumer);
    slot->SetReady();
  }
  return queue;
}

nats::ConsumerSpec NatsTaskQueue::ConsumerOf(const std::string& pool) const {
  const std::string token = nats::EncodeToken(pool);
  return {names_.Stream("TASKS"), absl::StrCat("pool-", token),
          names_.Subject("work.task." + token), options_.ack_wait};
}

void NatsTaskQueue::Publish(const std::string& pool, const std::string& id, std::string bytes,
                            absl::AnyInvocable<void(absl::Status)> done) {
  const std::string token = nats::EncodeToken(pool);
  nats::PublishStored(*connection_, names_.Subject("work.task." + token),
                      {{"Nats-Msg-Id", absl::StrCat(token, ".", nats::EncodeToken(id))}}, bytes,
                      nats::kApiTimeout,
                      [done = std::move(done)](absl::StatusOr<nats::PublishAck> ack) mutable {
                        done(ack.status());
                      });
}

void NatsTaskQueue::Pull(
    const std::string& pool, int max, absl::Duration wait,
    absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) {
  JAQUE_CHECK(max > 0);
  std::shared_ptr<Pool> puller;
  bool made = false;
  {
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<Pool>& slot = pools_[pool];
    made = slot == nullptr;
    if (made) slot = std::make_shared<Pool>(connection_, ConsumerOf(pool));
    puller = slot;
  }
  puller->Pull(
      max, wait,
      [connection = connection_,
       deliver = std::move(deliver)](std::vector<nats::Message> messages) mutable {
        std::vector<std::unique_ptr<TaskDelivery>> deliveries;
        for (nats::Message& message : messages) {
          deliveries.push_back(std::make_unique<NatsDelivery>(connection, std::move(message)));
        }
        deliver(std::move(deliveries));
      });
  if (made) puller->Make();
}

}  // namespace jaque
