// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_dead_letters.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "nats/jetstream.h"

namespace jaque {
namespace {

// What nats_command_service said of it, out of the raw head of the message.
std::string ReasonIn(std::string_view headers) {
  constexpr std::string_view kName = "Jaque-Reason:";
  const size_t name = headers.find(kName);
  if (name == std::string_view::npos) return "";
  std::string_view value = headers.substr(name + kName.size());
  value = value.substr(0, value.find_first_of("\r\n"));
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  absl::StatusOr<std::string> reason = nats::DecodeToken(value);
  return reason.ok() ? *std::move(reason) : std::string(value);
}

}  // namespace

NatsDeadLetters::NatsDeadLetters(nats::Connection* connection, const nats::Names& names)
    : connection_(connection),
      stream_(names.Stream("DEAD")),
      subject_(names.Subject("dead.ingress")) {}

absl::StatusOr<DeadLetter> NatsDeadLetters::Next(uint64_t from) {
  struct Waiting {
    absl::StatusOr<nats::StoredMessage> message = absl::DeadlineExceededError("NATS is silent");
    absl::Notification done;
  };
  const auto waiting = std::make_shared<Waiting>();
  nats::NextMessage(*connection_, stream_, subject_, from,
                    [waiting](absl::StatusOr<nats::StoredMessage> message) {
                      waiting->message = std::move(message);
                      waiting->done.Notify();
                    });
  if (!waiting->done.WaitForNotificationWithTimeout(2 * nats::kApiTimeout)) {
    return absl::DeadlineExceededError("NATS is silent");
  }
  RETURN_IF_ERROR(waiting->message.status());
  DeadLetter letter;
  letter.sequence = waiting->message->sequence;
  letter.reason = ReasonIn(waiting->message->headers);
  letter.bytes = std::move(waiting->message->data);
  return letter;
}

absl::StatusOr<std::vector<DeadLetter>> NatsDeadLetters::ListDead(uint64_t after, size_t limit) {
  std::vector<DeadLetter> letters;
  while (letters.size() < limit) {
    absl::StatusOr<DeadLetter> next = Next(after + 1);
    if (absl::IsNotFound(next.status())) break;
    RETURN_IF_ERROR(next.status());
    after = next->sequence;
    letters.push_back(*std::move(next));
  }
  return letters;
}

absl::StatusOr<uint64_t> NatsDeadLetters::CountDead() {
  ASSIGN_OR_RETURN(const auto counts, nats::CountsOf(*connection_, stream_, subject_));
  return counts.empty() ? 0 : counts.begin()->second;
}

absl::StatusOr<DeadLetter> NatsDeadLetters::GetDead(uint64_t sequence) {
  absl::StatusOr<DeadLetter> letter = Next(sequence);
  if (letter.ok() && letter->sequence != sequence) {
    return absl::NotFoundError(Cat("there is no dead command ", sequence));
  }
  return letter;
}

absl::Status NatsDeadLetters::DropDead(uint64_t sequence) {
  RETURN_IF_ERROR(GetDead(sequence).status());
  return nats::CallApi(*connection_, "$JS.API.STREAM.MSG.DELETE." + stream_,
                       Cat("{\"seq\":", sequence, "}"))
      .status();
}

}  // namespace jaque
