// SPDX-License-Identifier: Apache-2.0
// Stores a message only if its subject's last sequence is the one expected: what the log and the
// buckets stand on. Any thread; `done` comes on the library's threads or from the call itself.
//
// The server's own check (Nats-Expected-Last-Subject-Sequence) is not enough: with replicas,
// nats-server 2.9 looks at it before it proposes a message and not again when it stores it
// (jetstream_cluster.go, "we have prechecked seq > 0"), so two writers that race both pass. Message
// ids are looked at when a message is stored, by every version; therefore the id names what is
// contended for, the place after the expected sequence, and a header names the write.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nats/connection.h"

namespace jaque::nats {

struct ConditionalWrite {
  std::string stream, subject;
  uint64_t expected = 0;  // last sequence of the subject; 0: it has no message
  std::string id;         // of this write, unique in the subject: printable, without line breaks
  Headers headers;        // further ones
  std::string data;
};

// One attempt. `done` is called once with the sequence; the same write again, whatever became of
// the first, is stored once and answered with that one's sequence. Aborted: another message is in
// that place. Unavailable, DeadlineExceeded: perhaps done.
void TryWrite(Connection* connection, const ConditionalWrite& write, absl::Duration timeout,
              absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done);

// Waiting, and trying again while the outcome is unknown. Not on a callback's thread.
absl::StatusOr<uint64_t> WriteAndWait(Connection* connection, const ConditionalWrite& write);

}  // namespace jaque::nats
