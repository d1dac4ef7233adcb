// SPDX-License-Identifier: Apache-2.0
// Commands of the API to the engines, and their answers. Any thread; answers come on any thread.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "jaque/v1/command.pb.h"
#include "queue/command_bus.h"
#include "ui/routes.h"

namespace jaque::ui {

class CommandSender {
 public:
  using Answer = absl::AnyInvocable<void(absl::StatusOr<v1::CommandReply>)>;
  // How long a command that waits for nothing may take: a decision and an append.
  static constexpr absl::Duration kPatience = absl::Seconds(10);

  CommandSender(IdGenerator* ids, CommandBus* commands) : ids_(ids), commands_(commands) {}

  // Gives the command its id, unless it has one.
  void Submit(v1::Command command, absl::Duration timeout, Answer answer) const;
  void Describe(const std::string& instance, bool wait, absl::Duration timeout,
                Answer answer) const;
  // Waits for the answer: on a thread of the Api's own only.
  absl::StatusOr<v1::CommandReply> SubmitAndWait(v1::Command command) const;

 private:
  IdGenerator* const ids_;
  CommandBus* const commands_;
};

// Who asks, for the history.
std::string ActorOf(const Call& call);

// No answer came in time; DeadlineExceeded: but the command is stored.
bool CameTooLate(const absl::Status& status);

}  // namespace jaque::ui
