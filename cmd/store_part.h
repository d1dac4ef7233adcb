// SPDX-License-Identifier: Apache-2.0
// The store of a process and the sink that fills it: built where the flags name a store. Built,
// started and stopped once by the main thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "cmd/backends.h"
#include "cmd/flags.h"
#include "coordination/cluster.h"
#include "coordination/log_progress.h"
#include "sink/sink.h"
#include "store/sql_store.h"

namespace jaque::cmd {

class StorePart {
 public:
  // Null where the process has no store. Waits for one that is away, for half a minute.
  static absl::StatusOr<std::unique_ptr<StorePart>> Create(const Flags& flags, const Clock* clock,
                                                           Backends* backends,
                                                           LogProgress* progress);

  store::Store* store() { return store_.get(); }

  // Joins the other sinks, if there may be some.
  absl::Status Join(const MembershipOptions& self, std::function<void()> superseded);
  void Start();
  void Stop();

 private:
  StorePart(const Flags& flags, const Clock* clock, Backends* backends)
      : flags_(flags), clock_(clock), backends_(*backends) {}
  absl::Status MakeTheSink(LogProgress* progress, bool in_memory);
  absl::StatusOr<std::vector<std::unique_ptr<Output>>> MakeExporters() const;
  std::vector<ShardId> Owned() const;

  const Flags flags_;
  const Clock* const clock_;
  Backends& backends_;
  std::shared_ptr<store::Database> database_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Cluster> sinks_;
  bool shared_ = false;  // with other sinks
  std::unique_ptr<Sink> sink_;
};

}  // namespace jaque::cmd
