// SPDX-License-Identifier: Apache-2.0
#include "ui/command_sender.h"

#include <memory>
#include <utility>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"

namespace jaque::ui {
namespace {

absl::StatusOr<v1::CommandReply> ReadReply(absl::StatusOr<std::string> bytes) {
  RETURN_IF_ERROR(bytes.status());
  v1::CommandReply reply;
  if (!reply.ParseFromString(*bytes)) return absl::InternalError("the reply cannot be read");
  return reply;
}

}  // namespace

void CommandSender::Submit(v1::Command command, absl::Duration timeout, Answer answer) const {
  if (command.id().empty()) command.set_id(ids_->Ulid());
  commands_->Submit(command.SerializeAsString(), command.id(), timeout,
                    [answer = std::move(answer)](absl::StatusOr<std::string> bytes) mutable {
                      answer(ReadReply(std::move(bytes)));
                    });
}

void CommandSender::Describe(const std::string& instance, bool wait, absl::Duration timeout,
                             Answer answer) const {
  v1::Command command;
  command.set_object_id(instance);
  command.mutable_describe_instance()->set_wait(wait);
  Submit(std::move(command), timeout, std::move(answer));
}

absl::StatusOr<v1::CommandReply> CommandSender::SubmitAndWait(v1::Command command) const {
  struct Waiting {
    absl::StatusOr<v1::CommandReply> reply = absl::UnavailableError("no answer came");
    absl::Notification done;
  };
  // Shared: the bus may drop its callback, or call it when nobody waits any more.
  const auto waiting = std::make_shared<Waiting>();
  Submit(std::move(command), kPatience, [waiting](absl::StatusOr<v1::CommandReply> reply) {
    waiting->reply = std::move(reply);
    waiting->done.Notify();
  });
  if (!waiting->done.WaitForNotificationWithTimeout(2 * kPatience)) {
    return absl::DeadlineExceededError("no answer came in time");
  }
  return std::move(waiting->reply);
}

std::string ActorOf(const Call& call) { return call.caller.name; }

bool CameTooLate(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsUnknown(status);
}

}  // namespace jaque::ui
