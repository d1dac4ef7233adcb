// SPDX-License-Identifier: Apache-2.0
#include "coordination/router.h"

#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
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

// Commands on their hop, until the reply comes or the engine leaves the view.
class Router::Hops {
 public:
  uint64_t Begin(const std::string& owner, CommandBus::ReplyFn reply) {
    absl::MutexLock lock(&mutex_);
    hops_[++last_] = {owner, std::move(reply)};
    return last_;
  }

  // Null if it has ended.
  CommandBus::ReplyFn End(uint64_t hop) {
    absl::MutexLock lock(&mutex_);
    const auto found = hops_.find(hop);
    if (found == hops_.end()) return nullptr;
    CommandBus::ReplyFn reply = std::move(found->second.second);
    hops_.erase(found);
    return reply;
  }

  // Those to engines of which `over` is true.
  std::vector<CommandBus::ReplyFn> EndIf(absl::FunctionRef<bool(const std::string& owner)> over) {
    std::vector<CommandBus::ReplyFn> ended;
    absl::MutexLock lock(&mutex_);
    for (auto hop = hops_.begin(); hop != hops_.end();) {
      const auto next = std::next(hop);
      if (over(hop->second.first)) {
        ended.push_back(std::move(hop->second.second));
        hops_.erase(hop);
      }
      hop = next;
    }
    return ended;
  }

 private:
  absl::Mutex mutex_;
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::pair<std::string, CommandBus::ReplyFn>> hops_ ABSL_GUARDED_BY(mutex_);
};

Router::Router(std::string self, CommandBus* bus, Metrics* metrics, Local local)
    : self_(std::move(self)),
      bus_(bus),
      metrics_(metrics),
      local_(std::move(local)),
      hops_(std::make_shared<Hops>()) {}

Router::~Router() { Close(); }

void Router::SetOwnership(std::shared_ptr<const Ownership> ownership) {
  std::vector<CommandBus::ReplyFn> ended;
  {
    absl::MutexLock lock(&mutex_);
    ownership_ = ownership;
    ended = hops_->EndIf([&](const std::string& owner) { return !ownership->Has(owner); });
  }
  Fail(std::move(ended), "the engine that it was sent to has left");
}

void Router::Close() {
  Fail(hops_->EndIf([](const std::string&) { return true; }), "the engine that sent it on leaves");
}

void Router::Fail(std::vector<CommandBus::ReplyFn> ended, const char* why) {
  for (CommandBus::ReplyFn& reply : ended) {
    metrics_->commands_forwarded_error.Increment();
    reply(absl::UnavailableError(why));
  }
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
  RouteDecision decision;
  uint64_t hop = 0;
  {
    // A view that ends hops comes before this one begins, and has decided where to, or after it.
    absl::MutexLock lock(&mutex_);
    decision = DecideRoute(ownership_.get(), self_, command);
    if (decision.route == Route::kForward) hop = hops_->Begin(decision.owner, std::move(reply));
  }
  switch (decision.route) {
    case Route::kHere:
      return local_(std::move(command), std::move(reply));
    case Route::kForward:
      return Forward(std::move(command), decision.owner, hop);
    case Route::kNotOwned:
      metrics_->commands_not_owned.Increment();
      return reply(Reply(v1::CommandReply::CODE_NOT_OWNED,
                         absl::StrCat("engine ", self_, " does not own ", command.object_id())));
    case Route::kNobody:
      return reply(Reply(v1::CommandReply::CODE_UNAVAILABLE, "no engine owns anything yet"));
  }
}

void Router::Forward(v1::Command command, const std::string& owner, uint64_t hop) {
  command.set_forwarded(true);
  bus_->Send(owner, command.SerializeAsString(), HopTimeout(command),
             [metrics = metrics_, hops = hops_, hop](absl::StatusOr<std::string> result) {
               CommandBus::ReplyFn ended = hops->End(hop);
               if (!ended) return;
               (result.ok() ? metrics->commands_forwarded_sent : metrics->commands_forwarded_error)
                   .Increment();
               ended(std::move(result));
             });
}

}  // namespace jaque
