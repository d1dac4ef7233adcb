// SPDX-License-Identifier: Apache-2.0
// Sends commands to engines until the owner of the object has answered: to the engine that is
// named, else through the ingress, else again after a growing delay. That a command is stored in
// the ingress is not enough, since one may still be given up there. The same command may so arrive
// more than once. Any thread; `done` runs once, on any thread, under no lock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "jaque/v1/command.pb.h"
#include "queue/command_bus.h"

namespace jaque {

class CommandSender : public std::enable_shared_from_this<CommandSender> {
 public:
  // The reply of the object's owner: OK, NOT_FOUND, CONFLICT or INVALID; nullopt when the sender
  // stopped.
  using DoneFn = absl::AnyInvocable<void(std::optional<v1::CommandReply>)>;

  static std::shared_ptr<CommandSender> Create(CommandBus* bus, const Clock* clock);

  void Send(const std::string& engine_id, const v1::Command& command, DoneFn done);
  // Sends again what is due.
  void Tick();
  // What is not taken yet ends with nullopt.
  void Stop();

 private:
  struct Pending {
    std::string engine_id, command_id, bytes;
    int failures = 0;
    int submitted = 0;
    absl::Duration due;  // on the monotonic clock, if it waits
    DoneFn done;
  };
  using PendingPtr = std::shared_ptr<Pending>;

  CommandSender(CommandBus* bus, const Clock* clock) : bus_(bus), clock_(clock) {}
  void Try(const PendingPtr& pending);
  void Submit(const PendingPtr& pending);
  void Receive(const PendingPtr& pending, bool submitted, absl::StatusOr<std::string> reply);
  void TryLater(const PendingPtr& pending);

  CommandBus* const bus_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<PendingPtr> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
