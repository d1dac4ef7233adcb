// SPDX-License-Identifier: Apache-2.0
#include "notifier/sender.h"

#include <openssl/hmac.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "notifier/mail.h"
#include "worker/threads.h"

namespace jaque::notifier {
namespace {

constexpr int kThreads = 4;  // for what waits: mail, NATS
constexpr char kSecretPrefix[] = "whsec_";
constexpr int kGone = 410, kTooLarge = 413;

Outcome Failed(std::string why) { return {Outcome::Kind::kFailed, std::move(why), {}}; }

Outcome OutcomeOf(const HttpResponse& response) {
  if (response.status >= 200 && response.status < 300) return {Outcome::Kind::kSent, "", {}};
  Outcome outcome = Failed(Cat("HTTP ", response.status));
  // The receiver does not want it, or will never take so much.
  if (response.status == kGone || response.status == kTooLarge) {
    outcome.kind = Outcome::Kind::kRefused;
  }
  int64_t seconds = 0;
  const std::string* const after = response.FindHeader("retry-after");
  if (after != nullptr && absl::SimpleAtoi(*after, &seconds) && seconds > 0) {
    outcome.after = absl::Seconds(std::min<int64_t>(seconds, limits::kDeliveryPauseSeconds));
  }
  return outcome;
}

class SenderOfAll final : public Sender {
 public:
  SenderOfAll(SenderParts parts, std::unique_ptr<HttpClient> http)
      : parts_(std::move(parts)), http_(std::move(http)), threads_(kThreads) {}

  void Send(const Target& target, const Delivery& delivery, Done done) override {
    if (const auto* webhook = std::get_if<WebhookTarget>(&target.kind)) {
      return SendWebhook(*webhook, delivery, std::move(done));
    }
    if (const auto* slack = std::get_if<SlackTarget>(&target.kind)) {
      return Post(slack->url, slack->url_secret, {}, delivery, std::move(done));
    }
    if (const auto* email = std::get_if<EmailTarget>(&target.kind)) {
      return threads_.Post([this, email = *email, body = delivery.body,
                            done = std::move(done)]() mutable { done(Mail(email, body)); });
    }
    threads_.Post([this, subject = std::get<NatsTarget>(target.kind).subject, body = delivery.body,
                   id = delivery.id, type = delivery.content_type,
                   done = std::move(done)]() mutable { done(Publish(subject, body, id, type)); });
  }

 private:
  absl::StatusOr<std::string> Secret(const std::string& name) const {
    ASSIGN_OR_RETURN(const Value value, parts_.secrets->Get(name));
    if (!value.is_string()) return absl::InvalidArgumentError("is no text");
    return std::string(value.AsString());
  }

  void SendWebhook(const WebhookTarget& webhook, const Delivery& delivery, Done done) {
    const int64_t now = absl::ToUnixSeconds(parts_.clock->Now());
    HttpHeaders headers = {{"webhook-id", delivery.id}, {"webhook-timestamp", Cat(now)}};
    if (!webhook.secret.empty()) {
      const absl::StatusOr<std::string> secret = Secret(webhook.secret);
      if (!secret.ok()) return done(Failed(Cat("the secret ", webhook.secret, " cannot be read")));
      headers.emplace_back("webhook-signature", Sign(*secret, delivery.id, now, delivery.body));
    }
    Post(webhook.url, webhook.url_secret, std::move(headers), delivery, std::move(done));
  }

  void Post(const std::string& url, const std::string& url_secret, HttpHeaders headers,
            const Delivery& delivery, Done done) {
    HttpRequest request;
    request.method = "POST";
    request.url = url;
    if (!url_secret.empty()) {
      absl::StatusOr<std::string> secret = Secret(url_secret);
      if (!secret.ok()) return done(Failed(Cat("the secret ", url_secret, " cannot be read")));
      request.url = *std::move(secret);
    }
    request.headers = std::move(headers);
    request.headers.emplace_back("Content-Type", delivery.content_type);
    for (const auto& header : delivery.headers) request.headers.push_back(header);
    request.body = delivery.body;
    request.timeout = absl::Seconds(limits::kDeliveryTimeoutSeconds);
    request.max_response_bytes = 64 << 10;  // what it says beside its status is not read
    http_->Start(std::move(request), [done = std::move(done), secret = !url_secret.empty()](
                                         absl::StatusOr<HttpResponse> response) mutable {
      if (response.ok()) return done(OutcomeOf(*response));
      // A message may name the address.
      done(Failed(secret ? absl::StatusCodeToString(response.status().code())
                         : std::string(response.status().message())));
    });
  }

  Outcome Mail(const EmailTarget& email, const std::string& message) {
    std::string password;
    if (!email.password.empty()) {
      absl::StatusOr<std::string> secret = Secret(email.password);
      if (!secret.ok()) return Failed(Cat("the secret ", email.password, " cannot be read"));
      password = *std::move(secret);
    }
    const absl::Status sent = SendMail(email, password, parts_.http.ca_file, message);
    if (sent.ok()) return {Outcome::Kind::kSent, "", {}};
    return Failed(std::string(sent.message()));
  }

  Outcome Publish(const std::string& subject, const std::string& body, const std::string& id,
                  const std::string& type) {
    if (parts_.publish == nullptr) return Failed("this process has no NATS (-queue)");
    const absl::Status sent =
        parts_.publish(subject, body, {{"Nats-Msg-Id", id}, {"Content-Type", type}});
    if (sent.ok()) return {Outcome::Kind::kSent, "", {}};
    return Failed(std::string(sent.message()));
  }

  const SenderParts parts_;
  const std::unique_ptr<HttpClient> http_;
  Threads threads_;  // goes first
};

}  // namespace

std::string Sign(const std::string& secret, const std::string& id, int64_t timestamp,
                 const std::string& body) {
  std::string key = secret;
  if (absl::StartsWith(secret, kSecretPrefix)) {
    std::string decoded;
    if (absl::Base64Unescape(secret.substr(sizeof kSecretPrefix - 1), &decoded)) key = decoded;
  }
  const std::string text = Cat(id, ".", timestamp, ".", body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return "v1," + absl::Base64Escape(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

absl::StatusOr<std::unique_ptr<Sender>> MakeSender(SenderParts parts) {
  ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> http, HttpClient::Create(parts.http, parts.clock));
  return std::make_unique<SenderOfAll>(std::move(parts), std::move(http));
}

}  // namespace jaque::notifier
