// SPDX-License-Identifier: Apache-2.0
#include "nats/bucket.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "nats/compare_and_set.h"
#include "nats/jetstream.h"

namespace jaque::nats {
namespace {

constexpr char kOperation[] = "KV-Operation";  // of a marker: DEL or PURGE

}  // namespace

absl::StatusOr<Bucket> Bucket::Open(Connection* connection, const std::string& name, int replicas,
                                    absl::Duration ttl) {
  Bucket bucket(connection, name);
  StreamSpec spec;
  spec.name = bucket.stream_;
  spec.subjects = bucket.prefix_ + ">";
  spec.replicas = replicas;
  spec.max_age = ttl;
  spec.max_messages_per_subject = 1;
  spec.discard_new = true;
  spec.allow_rollup = true;
  spec.deny_delete = true;
  if (ttl > absl::ZeroDuration()) spec.dedup_window = std::min(spec.dedup_window, ttl);
  RETURN_IF_ERROR(EnsureStream(*connection, spec));
  return bucket;
}

BucketEntry Bucket::EntryOf(uint64_t sequence, const Message& message) const {
  return {std::string(message.subject().substr(std::min(prefix_.size(), message.subject().size()))),
          std::string(message.data()), sequence, !message.header(kOperation).empty()};
}

absl::StatusOr<BucketEntry> Bucket::Get(const std::string& key) const {
  ASSIGN_OR_RETURN(StoredMessage stored, LastMessage(*connection_, stream_, prefix_ + key));
  BucketEntry entry{key, std::move(stored.data), stored.sequence,
                    absl::StrContains(stored.headers, kOperation)};
  if (entry.deleted) return absl::NotFoundError("no key " + key);
  return entry;
}

absl::StatusOr<uint64_t> Bucket::Write(const std::string& key, const std::string& value,
                                       Headers headers) const {
  // The id makes it harmless that a write is tried again whose outcome is unknown.
  headers.emplace_back("Nats-Msg-Id", connection_->NewInbox());
  ASSIGN_OR_RETURN(const PublishAck ack,
                   PublishStoredAndWait(*connection_, prefix_ + key, headers, value));
  return ack.sequence;
}

absl::StatusOr<uint64_t> Bucket::Put(const std::string& key, const std::string& value) const {
  return Write(key, value, {});
}

absl::StatusOr<uint64_t> Bucket::Update(const std::string& key, const std::string& value,
                                        uint64_t revision) const {
  ConditionalWrite write{stream_, prefix_ + key, revision, connection_->NewInbox(), {}, value};
  auto written = WriteAndWait(connection_, write);
  if (revision != 0 || !absl::IsAborted(written.status())) return written;
  // A key that was deleted leaves a marker, whose sequence counts.
  const auto last = LastMessage(*connection_, stream_, prefix_ + key);
  if (!last.ok() || !absl::StrContains(last->headers, kOperation)) return written;
  write.expected = last->sequence;
  return WriteAndWait(connection_, write);
}

absl::Status Bucket::Delete(const std::string& key) const {
  return Write(key, "", {{kOperation, "DEL"}}).status();
}

absl::StatusOr<std::vector<BucketEntry>> Bucket::List() const {
  // No consumer, which may be placed on a server that has just gone: the leader answers all.
  ASSIGN_OR_RETURN(const std::vector<std::string> subjects,
                   SubjectsOf(*connection_, stream_, prefix_ + ">"));
  std::vector<BucketEntry> entries;
  for (const std::string& subject : subjects) {
    absl::StatusOr<BucketEntry> entry = Get(subject.substr(prefix_.size()));
    if (absl::IsNotFound(entry.status())) continue;  // deleted, or it has gone since
    RETURN_IF_ERROR(entry.status());
    entries.push_back(*std::move(entry));
  }
  return entries;
}

std::unique_ptr<StreamReader> Bucket::Watch(std::function<void(const BucketEntry&)> visit,
                                            std::function<void()> caught_up) const {
  ReadSpec spec{stream_, prefix_ + ">"};
  spec.last_of_subject = true;
  return std::make_unique<StreamReader>(
      connection_, spec,
      [bucket = *this, visit = std::move(visit)](uint64_t sequence, const Message& message) {
        visit(bucket.EntryOf(sequence, message));
      },
      std::move(caught_up));
}

}  // namespace jaque::nats
