// SPDX-License-Identifier: Apache-2.0
// Request and reply between processes: commands to an engine (jaque.cmd.<engine-id>) and to whichever
// engine claims them first (jaque.work.cmd.ingress). Siblings: memory_command_bus, nats_command_bus.
// Any thread; callbacks on any thread, must only post.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace jaque {

class CommandBus {
 public:
  virtual ~CommandBus() = default;

  // Serialized jaque.v1.CommandReply, or Unavailable (nobody serves that engine id),
  // DeadlineExceeded (its outcome is unknown), ResourceExhausted (bounded queue full).
  using ReplyFn = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  // Sends a serialized jaque.v1.Command to one engine. `reply` is called exactly once.
  virtual void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
                    ReplyFn reply) = 0;

  // Puts a command on the ingress, durably; exactly one engine claims it. `reply` comes from the owner,
  // or says DeadlineExceeded: the command is stored and will be executed all the same.
  virtual void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
                      ReplyFn reply) = 0;

  // Serves commands sent to `engine_id` and takes part in the ingress until the handle goes.
  class Service {
   public:
    virtual ~Service() = default;
  };
  using Handler = std::function<void(std::string command, bool from_ingress, ReplyFn reply)>;
  virtual std::unique_ptr<Service> Serve(const std::string& engine_id, Handler handler) = 0;
};

}  // namespace jaque
