// SPDX-License-Identifier: Apache-2.0
#include "nats/compare_and_set.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "nats/jetstream.h"

namespace jaque::nats {
namespace {

constexpr char kWriteHeader[] = "Jaque-Write";
constexpr absl::Duration kAttempt = absl::Seconds(2);

using Done = absl::AnyInvocable<void(absl::StatusOr<uint64_t>)>;

// What is contended for. A first message is checked by the server when it is stored: there the
// write itself is enough, and a place that was emptied may be taken again.
std::string MessageId(const ConditionalWrite& write) {
  if (write.expected == 0) return absl::StrCat(write.subject, " ", write.id);
  return absl::StrCat(write.subject, " after ", write.expected);
}

// Whose message is in the place that `write` wanted?
void FindHolder(Connection* connection, const ConditionalWrite& write, Done done) {
  const std::string mine = absl::StrCat(kWriteHeader, ": ", write.id, "\r\n");
  NextMessage(*connection, write.stream, write.subject, write.expected + 1,
              [mine, done = std::move(done)](absl::StatusOr<StoredMessage> holder) mutable {
                if (absl::IsNotFound(holder.status())) {
                  // Trimmed since, or expected after the end: this write is not stored.
                  return done(absl::AbortedError("another sequence was expected"));
                }
                if (!holder.ok()) return done(holder.status());
                if (absl::StrContains(holder->headers, mine)) return done(holder->sequence);
                done(absl::AbortedError(absl::StrCat("message ", holder->sequence, " came first")));
              });
}

}  // namespace

void TryWrite(Connection* connection, const ConditionalWrite& write, absl::Duration timeout,
              Done done) {
  Headers headers = write.headers;
  headers.emplace_back("Nats-Msg-Id", MessageId(write));
  headers.emplace_back("Nats-Expected-Last-Subject-Sequence", absl::StrCat(write.expected));
  headers.emplace_back(kWriteHeader, write.id);
  // Only what FindHolder needs is kept.
  ConditionalWrite place{write.stream, write.subject, write.expected, write.id, {}, {}};
  PublishStored(*connection, write.subject, headers, write.data, timeout,
                [connection, place = std::move(place),
                 done = std::move(done)](absl::StatusOr<PublishAck> ack) mutable {
                  const bool taken = ack.ok() && ack->duplicate && place.expected != 0;
                  if (taken || absl::IsAborted(ack.status())) {
                    return FindHolder(connection, place, std::move(done));
                  }
                  if (!ack.ok()) return done(ack.status());
                  done(ack->sequence);
                });
}

absl::StatusOr<uint64_t> WriteAndWait(Connection* connection, const ConditionalWrite& write) {
  constexpr int kAttempts = 5;
  struct Attempt {
    absl::Notification ended;
    absl::StatusOr<uint64_t> outcome;
  };
  absl::StatusOr<uint64_t> last;
  for (int i = 0; i < kAttempts; ++i) {
    auto attempt = std::make_shared<Attempt>();
    TryWrite(connection, write, kAttempt, [attempt](absl::StatusOr<uint64_t> outcome) {
      attempt->outcome = std::move(outcome);
      attempt->ended.Notify();
    });
    attempt->ended.WaitForNotification();
    last = attempt->outcome;
    if (last.ok() || !MaybeDone(last.status())) return last;
  }
  return last;
}

}  // namespace jaque::nats
