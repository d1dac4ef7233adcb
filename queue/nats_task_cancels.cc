// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_task_cancels.h"

#include <utility>

#include "jaque/v1/task.pb.h"

namespace jaque {

void NatsTaskCancels::Publish(const TaskCancel& cancel) {
  // The message of a result names an attempt as well as any other would.
  v1::TaskResult attempt;
  attempt.set_instance_id(cancel.instance_id);
  attempt.set_frame(cancel.frame);
  attempt.set_attempt(cancel.attempt);
  connection_->Publish(subject_, "", {}, attempt.SerializeAsString()).IgnoreError();
}

std::unique_ptr<TaskCancels::Subscription> NatsTaskCancels::Subscribe(
    std::function<void(const TaskCancel&)> visit) {
  class Ears final : public TaskCancels::Subscription {
   public:
    explicit Ears(std::unique_ptr<nats::Connection::Subscription> subscription)
        : subscription_(std::move(subscription)) {}

   private:
    std::unique_ptr<nats::Connection::Subscription> subscription_;
  };
  auto subscription =
      connection_->Subscribe(subject_, [visit = std::move(visit)](const nats::Message& message) {
        v1::TaskResult attempt;
        const std::string_view data = message.data();
        if (!attempt.ParseFromArray(data.data(), static_cast<int>(data.size()))) return;
        visit({attempt.instance_id(), attempt.frame(), attempt.attempt()});
      });
  // Only a closed connection refuses; notices are best effort.
  if (!subscription.ok()) return std::make_unique<Ears>(nullptr);
  return std::make_unique<Ears>(*std::move(subscription));
}

}  // namespace jaque
