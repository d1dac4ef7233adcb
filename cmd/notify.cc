// SPDX-License-Identifier: Apache-2.0
#include "cmd/notify.h"

#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/status_macros.h"
#include "coordination/rendezvous.h"
#include "nats/jetstream.h"

namespace jaque::cmd {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(500);

notifier::PublishFn PublishBy(nats::Connection* connection) {
  if (connection == nullptr) return nullptr;
  return [connection](const std::string& subject, const std::string& body,
                      const nats::Headers& headers) -> absl::Status {
    RETURN_IF_ERROR(connection->Publish(subject, "", headers, body));
    // A server takes what a connection sends in order: an answer says that it has this too.
    return nats::CallApi(*connection, "$JS.API.INFO", "").status();
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<NotifierRole>> NotifierRole::Create(
    const Flags& flags, const HttpClientOptions& http, const Clock* clock, Backends* backends,
    LogProgress* progress, notifier::KvDeadNotifications* dead) {
  std::unique_ptr<NotifierRole> role(new NotifierRole(flags, clock, backends));
  ASSIGN_OR_RETURN(role->secrets_, MakeSecretStore({.folder = flags.secrets_dir,
                                                    .environment = SecretEnvironment()}));
  ASSIGN_OR_RETURN(role->sender_,
                   notifier::MakeSender({.clock = clock,
                                         .secrets = role->secrets_.get(),
                                         .http = http,
                                         .publish = PublishBy(backends->queue_connection.get())}));
  notifier::NotifierOptions options;
  options.rules_file = flags.notify_rules;
  options.seed = EntropySeed();
  notifier::NotifierParts parts;
  parts.clock = clock;
  parts.log = backends->log.get();
  parts.definitions = backends->definitions.get();
  parts.bucket = backends->notifications.get();
  parts.dead = dead;
  // A log in memory is followed from its beginning: nothing of it is read again.
  const bool in_memory = backends->queue_connection == nullptr && backends->folder == nullptr;
  parts.progress = in_memory ? nullptr : progress;
  parts.sender = role->sender_.get();
  ASSIGN_OR_RETURN(role->notifier_, notifier::Notifier::Create(options, parts));
  return role;
}

absl::Status NotifierRole::Join(const ClusterOptions& options, std::function<void()> superseded) {
  if (backends_->notifiers == nullptr) {
    owned_.resize(flags_.shards);
    std::iota(owned_.begin(), owned_.end(), 0);
    notifier_->Own(owned_);
    return absl::OkStatus();
  }
  members_ = std::make_unique<Cluster>(clock_, backends_->notifiers.get(), nullptr, options,
                                       Cluster::Callbacks{nullptr, std::move(superseded)});
  return members_->Join();
}

// No view is agreed on: two may think that they own a shard for a moment, and the positions say
// which of them does.
void NotifierRole::FindOwned() {
  std::vector<RendezvousMember> alive;
  int self = -1;
  for (const MemberStatus& member : members_->Members()) {
    if (member.state == MemberState::kDead) continue;
    if (member.member.id() == flags_.id) self = static_cast<int>(alive.size());
    alive.push_back({member.member.id(), member.member.weight()});
  }
  if (self < 0) return;
  std::vector<ShardId> owned;
  for (ShardId shard = 0; shard < flags_.shards; ++shard) {
    if (OwnerOfShard(alive, shard) == self) owned.push_back(shard);
  }
  if (owned == owned_) return;
  owned_ = owned;
  notifier_->Own(std::move(owned));
}

void NotifierRole::Tick() {
  const absl::Duration now = clock_->Monotonic();
  if (members_ != nullptr && now - looked_at_ >= kLook) {
    looked_at_ = now;
    FindOwned();
  }
  notifier_->Tick();
}

void NotifierRole::Stop() {
  notifier_->Stop();
  if (members_ != nullptr) members_->Leave();
  members_.reset();
}

}  // namespace jaque::cmd
