// SPDX-License-Identifier: Apache-2.0
#include "coordination/router.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace jaque {
namespace {

constexpr absl::Duration kHop = absl::Seconds(10);

std::string Reply(v1::CommandReply::Code code, std::string message) {
  v1::CommandReply reply;
  reply.set_code(code);
  reply.set_message(std::move(message));
  return reply.SerializeAsString();
}

// How long the owner may take: it answers some commands only when an instance has ended.
absl::Duration HopTimeout(const v1::Command& command) {
  const bool waits = command.start_instance().wait() || command.describe_instance().wait();
  return waits ? kHop + absl::Seconds(limits::kWaitSeconds) : kHop;
}

// A reply that says that nothing was done and nothing will be.
absl::StatusOr<std::string> HandedBackUnlessDone(absl::StatusOr<std::string> reply) {
  v1::CommandReply parsed;
  if (!reply.ok() || !parsed.ParseFromString(*reply)) return reply;
  switch (parsed.code()) {
    case v1::CommandReply::CODE_NOT_OWNED:
    case v1::CommandReply::CODE_UNAVAILABLE:
      return absl::UnavailableError(parsed.message());
    case v1::CommandReply::CODE_OVERLOADED:
      return absl::ResourceExhaustedError(parsed.message());
    default:
      return reply;
  }
}

}  // namespace

RouteDecision DecideRoute(const Ownership* ownership, const std::string& self,
                          const v1::Command& command) {
  if (ownership == nullptr) return {Route::kNobody, ""};
  const std::string& owner = ownership->OwnerOfObject(command.object_id());
  if (owner == self) return {Route::kHere, owner};
  if (command.forwarded()) return {Route::kNotOwned, owner};
  if (owner.empty()) return {Route::kNobody, ""};
  return {Route::kForward, owner};
}

void Router::SetOwnership(std::shared_ptr<const Ownership> ownership) {
  absl::MutexLock lock(&mutex_);
  ownership_ = std::move(ownership);
}

std::shared_ptr<const Ownership> Router::ownership() const {
  absl::MutexLock lock(&mutex_);
  return ownership_;
}

void Router::Handle(std::string bytes, bool from_ingress, CommandBus::ReplyFn reply) {
  if (from_ingress) {
    reply = [reply = std::move(reply)](absl::StatusOr<std::string> result) mutable {
      reply(HandedBackUnlessDone(std::move(result)));
    };
  }
  v1::Command command;
  if (!command.ParseFromString(bytes)) {
    return reply(Reply(v1::CommandReply::CODE_INVALID, "a command that cannot be read"));
  }
  const RouteDecision decision = DecideRoute(ownership().get(), self_, command);
  switch (decision.route) {
    case Route::kHere:
      return local_(std::move(command), std::move(reply));
    case Route::kForward:
      return Forward(std::move(command), decision.owner, std::move(reply));
    case Route::kNotOwned:
      metrics_->commands_not_owned.Increment();
      return reply(Reply(v1::CommandReply::CODE_NOT_OWNED,
                         absl::StrCat("engine ", self_, " does not own ", command.object_id())));
    case Route::kNobody:
      return reply(Reply(v1::CommandReply::CODE_UNAVAILABLE, "no engine owns anything yet"));
  }
}

void Router::Forward(v1::Command command, const std::string& owner, CommandBus::ReplyFn reply) {
  command.set_forwarded(true);
  bus_->Send(
      owner, command.SerializeAsString(), HopTimeout(command),
      [metrics = metrics_, reply = std::move(reply)](absl::StatusOr<std::string> result) mutable {
        (result.ok() ? metrics->commands_forwarded_sent : metrics->commands_forwarded_error)
            .Increment();
        reply(std::move(result));
      });
}

}  // namespace jaque
