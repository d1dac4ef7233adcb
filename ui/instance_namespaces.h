// SPDX-License-Identifier: Apache-2.0
// In which namespace an instance is: what the store has, else what its engine says. The guard asks
// for callers that are bound to namespaces. Find may be called on any thread and never blocks.
#pragma once

#include <deque>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/ids.h"
#include "boost/asio/thread_pool.hpp"
#include "queue/command_bus.h"
#include "store/store.h"

namespace jaque::ui {

class InstanceNamespaces {
 public:
  // NotFound: there is no such instance. On any thread.
  using Answer = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  // `store` may be null.
  InstanceNamespaces(const Clock* clock, IdGenerator* ids, CommandBus* commands,
                     store::Store* store);
  ~InstanceNamespaces() { Join(); }

  void Find(const std::string& id, Answer answer);
  // Waits for those who ask the store. No Find comes later.
  void Join() { asking_.join(); }

 private:
  struct Known {
    std::string namespace_;
    absl::Duration until;
  };
  void AskStore(const std::string& id, Answer answer);
  void AskEngine(const std::string& id, Answer answer);
  void Remember(const std::string& id, const std::string& namespace_);

  const Clock* const clock_;
  IdGenerator* const ids_;
  CommandBus* const commands_;
  store::Store* const store_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Known> known_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> order_ ABSL_GUARDED_BY(mutex_);  // of known_, oldest first
  boost::asio::thread_pool asking_{1};
};

}  // namespace jaque::ui
