// SPDX-License-Identifier: Apache-2.0
// Request and reply between processes: commands to an engine (jaque.cmd.<engine-id>) and to
// whichever engine claims them first (jaque.work.cmd.ingress). Siblings: memory_command_bus,
// nats_command_bus. Any thread; callbacks on any thread, must only post.
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

  // Sends a serialized jaque.v1.Command to one engine. `reply` is called exactly once, perhaps
  // before Send returns. `timeout` may be infinite only in one process.
  virtual void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
                    ReplyFn reply) = 0;

  // Puts a command on the ingress, durably; one engine at a time claims it. `reply` comes from the
  // owner, or says DeadlineExceeded: the command is stored and will be executed all the same.
  // Unknown: it may be stored or not (submit it again: the id makes it safe). Aborted: it was given
  // up after limits::kIngressAttempts, and is a dead letter. Other bad statuses mean that it is not
  // stored. The same `command_id` again within the deduplication window is stored once; all callers
  // of one process that wait for that id get the reply, one that comes after the reply gets none.
  virtual void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
                      ReplyFn reply) = 0;

  // Serves commands sent to `engine_id` and takes part in the ingress until the handle goes (which
  // waits for running calls of `handler`, so not inside one; the handle goes before the bus). A
  // command from the ingress is acknowledged there when `reply` is called with an OK status; a bad
  // status, or `reply` dropped uncalled, hands it back for a later attempt. While `reply` is held,
  // the claim is. For a command that was sent, a dropped `reply` lets the caller's deadline pass.
  // `reply` may come on any thread, and after the handle has gone.
  class Service {
   public:
    virtual ~Service() = default;
  };
  using Handler = std::function<void(std::string command, bool from_ingress, ReplyFn reply)>;
  virtual std::unique_ptr<Service> Serve(const std::string& engine_id, Handler handler) = 0;
};

}  // namespace jaque
