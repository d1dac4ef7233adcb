// SPDX-License-Identifier: Apache-2.0
// JetStream's API (docs.nats.io, "NATS API reference") in JSON over a Connection; nats-server 2.9
// and newer. What waits must not be called on a callback's thread. Statuses: NotFound, Aborted
// (another last sequence than expected), AlreadyExists, FailedPrecondition (the server refuses),
// ResourceExhausted (a limit of the stream), Unavailable and DeadlineExceeded (perhaps done).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "expression/value.h"
#include "nats/connection.h"

namespace jaque::nats {

inline constexpr absl::Duration kApiTimeout = absl::Seconds(5);

// A status after which what was asked for may have been done all the same.
bool MaybeDone(const absl::Status& status);

// The answer as JSON, its "error" turned into a status.
absl::StatusOr<Value> ParseApiAnswer(std::string_view json);
absl::StatusOr<Value> CallApi(Connection& connection, const std::string& subject,
                              const std::string& json, absl::Duration timeout = kApiTimeout);
void CallApiAsync(Connection& connection, const std::string& subject, const std::string& json,
                  absl::AnyInvocable<void(absl::StatusOr<Value>)> done);

struct PublishAck {
  uint64_t sequence = 0;
  bool duplicate = false;  // the message id was stored before; `sequence` is the first one's
};
absl::StatusOr<PublishAck> ParsePublishAck(std::string_view json);

// Publishes to a stream. `done` is called once, perhaps before this returns.
void PublishStored(Connection& connection, const std::string& subject, const Headers& headers,
                   std::string_view data, absl::Duration timeout,
                   absl::AnyInvocable<void(absl::StatusOr<PublishAck>)> done);
// Waiting, and trying again while no outcome is known: `headers` hold a message id or an expected
// sequence that makes the repetition harmless.
absl::StatusOr<PublishAck> PublishStoredAndWait(Connection& connection, const std::string& subject,
                                                const Headers& headers, std::string_view data);

enum class Retention { kLimits, kWorkQueue };

// What a stream must be. File storage always: appends with an expected sequence are slow in memory.
struct StreamSpec {
  std::string name;
  std::string subjects;
  Retention retention = Retention::kLimits;
  int replicas = 1;
  absl::Duration max_age = absl::ZeroDuration();  // 0: none
  int64_t max_messages = -1;
  int64_t max_messages_per_subject = -1;
  bool discard_new = false;  // a full stream refuses; else it forgets the oldest
  absl::Duration dedup_window = absl::Minutes(2);
  bool allow_rollup = false;  // of KV buckets
  bool deny_delete = false;   // of KV buckets
};
// Creates the stream, or checks the one that exists: FailedPrecondition names what in its
// configuration would do harm (it is never changed). Any number of processes may do so at once.
absl::Status EnsureStream(Connection& connection, const StreamSpec& spec);

// A pull consumer that several processes share.
struct ConsumerSpec {
  std::string stream, name, filter;
  absl::Duration ack_wait = absl::Seconds(30);
};
absl::Status EnsureConsumer(Connection& connection, const ConsumerSpec& spec);
// For callbacks: creates, without looking at one that exists with the same name first.
std::string ConsumerCreateSubject(const ConsumerSpec& spec);
std::string ConsumerCreateJson(const ConsumerSpec& spec);

// The newest message of a subject, from the stream's leader: NotFound if there is none.
struct StoredMessage {
  uint64_t sequence = 0;
  std::string subject, headers, data;
};
absl::StatusOr<StoredMessage> LastMessage(Connection& connection, const std::string& stream,
                                          const std::string& subject);
// The first one of a subject from a sequence on. For callbacks.
void NextMessage(Connection& connection, const std::string& stream, const std::string& subject,
                 uint64_t from, absl::AnyInvocable<void(absl::StatusOr<StoredMessage>)> done);

// What the shared consumers of a stream have to do; from the stream's leader.
struct ConsumerState {
  std::string filter;      // the subject that it is for
  uint64_t delivered = 0;  // and not acknowledged
};
absl::StatusOr<std::vector<ConsumerState>> ConsumersOf(Connection& connection,
                                                       const std::string& stream);

// How many messages each subject has, of those that have some, among those of `filter`; from the
// stream's leader.
absl::StatusOr<std::map<std::string, uint64_t>> CountsOf(Connection& connection,
                                                         const std::string& stream,
                                                         const std::string& filter);
// The subjects alone, sorted.
absl::StatusOr<std::vector<std::string>> SubjectsOf(Connection& connection,
                                                    const std::string& stream,
                                                    const std::string& filter);

// Forgets the messages of `subject` whose sequence is below `below`.
absl::Status Purge(Connection& connection, const std::string& stream, const std::string& subject,
                   uint64_t below);

// Text as a JSON string, quotes included.
std::string JsonString(std::string_view text);

}  // namespace jaque::nats
