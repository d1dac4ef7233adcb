// SPDX-License-Identifier: Apache-2.0
// The role notifier of a process: its rules and targets, and which shards are its own among the
// notifiers that are alive. Built, joined and stopped by the main thread; Tick by the ticker's.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "cmd/backends.h"
#include "cmd/flags.h"
#include "coordination/cluster.h"
#include "notifier/notifier.h"
#include "notifier/sender.h"
#include "worker/http_client.h"
#include "worker/secrets.h"

namespace jaque::cmd {

class NotifierRole {
 public:
  // InvalidArgument for rules that are wrong. `backends` outlives it.
  static absl::StatusOr<std::unique_ptr<NotifierRole>> Create(
      const Flags& flags, const HttpClientOptions& http, const Clock* clock, Backends* backends,
      LogProgress* progress, notifier::KvDeadNotifications* dead);

  // Meets the others, where there are any.
  absl::Status Join(const ClusterOptions& options, std::function<void()> superseded);
  void Tick();
  absl::Status Ready() const { return notifier_->Ready(); }
  void Stop();

 private:
  NotifierRole(const Flags& flags, const Clock* clock, Backends* backends)
      : flags_(flags), clock_(clock), backends_(backends) {}
  void FindOwned();

  const Flags flags_;
  const Clock* const clock_;
  Backends* const backends_;
  std::unique_ptr<SecretStore> secrets_;
  std::unique_ptr<notifier::Sender> sender_;
  std::unique_ptr<notifier::Notifier> notifier_;
  std::unique_ptr<Cluster> members_;  // null where this process is alone
  std::vector<ShardId> owned_;
  absl::Duration looked_at_;
};

}  // namespace jaque::cmd
