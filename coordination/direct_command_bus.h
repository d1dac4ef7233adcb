// SPDX-License-Identifier: Apache-2.0
// The command bus of a process that has an engine. What it submits goes straight to its router, as
// if this engine had claimed it, and takes the way through the ingress only where that did not do
// it: the caller is answered after the log has it in either case. Any thread; replies come on the
// threads of the router or of the bus.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "coordination/router.h"
#include "queue/command_bus.h"

namespace jaque {

class DirectCommandBus final : public CommandBus {
 public:
  // All outlive it; what they still owe it may come when it has gone.
  DirectCommandBus(std::string self, const Clock* clock, Router* router, CommandBus* bus);
  ~DirectCommandBus() override;

  void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
            ReplyFn reply) override;
  // A bad status says here: Unknown, no answer came in time, and the command may not be stored.
  void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
              ReplyFn reply) override;
  std::unique_ptr<Service> Serve(const std::string& engine_id, Handler handler) override {
    return bus_->Serve(engine_id, std::move(handler));
  }

  // Answers those whose time has passed; to be called every few tens of milliseconds.
  void ExpireOverdue();

 private:
  class Awaited;

  const std::string self_;
  const Clock* const clock_;
  Router* const router_;
  CommandBus* const bus_;
  const std::shared_ptr<Awaited> awaited_;
};

}  // namespace jaque
