// SPDX-License-Identifier: Apache-2.0
// One attempt to bring a notification to its target: webhook (signed as Standard Webhooks say),
// Slack, mail, NATS. Any thread; `done` comes once, on a thread of the sender's, and must only
// post. Secrets and addresses that are secret appear in no outcome.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "notifier/delivery.h"
#include "worker/http_client.h"
#include "worker/secrets.h"

namespace jaque::notifier {

struct Outcome {
  enum class Kind { kSent, kFailed, kRefused };  // refused: never to be tried again
  Kind kind = Kind::kFailed;
  std::string why;
  absl::Duration after;  // not before, as the target says
};

class Sender {
 public:
  using Done = absl::AnyInvocable<void(Outcome)>;
  virtual ~Sender() = default;  // attempts under way end before
  virtual void Send(const Target& target, const Delivery& delivery, Done done) = 0;
};

// Publishes with these headers; `done` once it is stored or sent.
using PublishFn =
    std::function<absl::Status(const std::string& subject, const std::string& body,
                               const std::vector<std::pair<std::string, std::string>>& headers)>;

struct SenderParts {
  const Clock* clock = nullptr;
  const SecretStore* secrets = nullptr;
  HttpClientOptions http;
  PublishFn publish;  // null: there is no NATS
};
absl::StatusOr<std::unique_ptr<Sender>> MakeSender(SenderParts parts);

// The value of the header webhook-signature: over exactly the bytes that are sent. A secret that
// begins with whsec_ is Base64 behind it.
std::string Sign(const std::string& secret, const std::string& id, int64_t timestamp,
                 const std::string& body);

}  // namespace jaque::notifier
