// SPDX-License-Identifier: Apache-2.0
// Notices over core NATS, subject <prefix>.cancel: nothing is stored, a worker that is away misses
// them. Any thread; callbacks come on the library's threads.
#pragma once

#include <functional>
#include <memory>

#include "nats/connection.h"
#include "nats/names.h"
#include "queue/task_cancels.h"

namespace jaque {

class NatsTaskCancels final : public TaskCancels {
 public:
  // The connection outlives this.
  NatsTaskCancels(nats::Connection* connection, const nats::Names& names)
      : connection_(connection), subject_(names.Subject("cancel")) {}

  void Publish(const TaskCancel& cancel) override;
  std::unique_ptr<Subscription> Subscribe(std::function<void(const TaskCancel&)> visit) override;

 private:
  nats::Connection* const connection_;
  const std::string subject_;
};

}  // namespace jaque
