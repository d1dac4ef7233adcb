// SPDX-License-Identifier: Apache-2.0
// The one place that asks "am I the owner?" (design, section 2 and invariant 7): a command that
// reached this engine is handled here or travels one hop to the owner, marked, and never a second.
// Any thread; replies come on the threads of the bus or of the local handler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/metrics.h"
#include "coordination/ownership.h"
#include "jaque/v1/command.pb.h"
#include "queue/command_bus.h"

namespace jaque {

// What is to be done with a command. Pure.
enum class Route {
  kHere,
  kForward,   // to `owner`, with the hop mark
  kNotOwned,  // it carries the mark already
  kNobody     // there is no view yet, or nobody in it may own
};
struct RouteDecision {
  Route route = Route::kNobody;
  std::string owner;
};
RouteDecision DecideRoute(const Ownership* ownership, const std::string& self,
                          const v1::Command& command);

class Router {
 public:
  // Handles a command whose object this engine owns; replies with a serialized CommandReply, or a
  // bad status.
  using Local = std::function<void(v1::Command command, CommandBus::ReplyFn reply)>;

  // The bus and the metrics outlive the router.
  Router(std::string self, CommandBus* bus, Metrics* metrics, Local local);
  ~Router();

  // Nobody waits any longer for an engine that is no member now: what it was sent ends Unavailable.
  void SetOwnership(std::shared_ptr<const Ownership> ownership);
  std::shared_ptr<const Ownership> ownership() const;

  // A CommandBus::Handler. A command from the ingress that could not be done (not owned,
  // overloaded, unavailable, no answer) ends with a bad status, which hands it back for a fresh
  // attempt; other senders get the CommandReply that says so.
  void Handle(std::string bytes, bool from_ingress, CommandBus::ReplyFn reply);

  // What waits for other engines ends Unavailable; so what came from the ingress goes back there
  // while the bus is open.
  void Close();

 private:
  class Hops;
  void Forward(v1::Command command, const std::string& owner, uint64_t hop);
  void Fail(std::vector<CommandBus::ReplyFn> ended, const char* why);

  const std::string self_;
  CommandBus* const bus_;
  Metrics* const metrics_;
  const Local local_;
  const std::shared_ptr<Hops> hops_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Ownership> ownership_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
