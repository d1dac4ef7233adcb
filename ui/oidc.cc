// SPDX-License-Identifier: Apache-2.0
#include "ui/oidc.h"

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/json_web_token.h"
#include "ui/key_set.h"
#include "worker/http_client.h"

namespace jaque::ui {
namespace {

constexpr absl::Duration kFetchTimeout = absl::Seconds(10);
constexpr size_t kDocumentBytes = 1 << 20;

// Without TLS anybody on the way could give us keys.
bool IsSafe(const std::string& url) {
  return absl::StartsWith(url, "https://") || absl::StartsWith(url, "http://127.0.0.1:") ||
         absl::StartsWith(url, "http://localhost:") || absl::StartsWith(url, "http://[::1]:");
}

HttpClientOptions ClientOptions(const OidcOptions& options) {
  HttpClientOptions made;
  made.ca_file = options.ca_file;
  return made;
}

class Oidc final : public Authenticator {
 public:
  Oidc(const OidcOptions& options, const Clock* clock, std::unique_ptr<HttpClient> client)
      : options_(options), clock_(clock), client_(std::move(client)) {
    MaybeFetch(/*because_unknown=*/false);
  }
  ~Oidc() override {
    client_.reset();  // its last callbacks find the rest of this
    AnswerWaiting();
  }

  void Authenticate(const std::string& token, Answer answer) override;
  void Tick() override { MaybeFetch(/*because_unknown=*/false); }

 private:
  struct Waiting {
    JsonWebToken token;
    Answer answer;
  };
  using Keys = std::shared_ptr<const KeySet>;

  absl::StatusOr<Caller> Judge(const JsonWebToken& token, const Keys& keys) const;
  // Begins to fetch if it is time to; whether somebody fetches now.
  bool MaybeFetch(bool because_unknown);
  void FetchKeys(const absl::StatusOr<jaque::HttpResponse>& discovery);
  void TakeKeys(const absl::StatusOr<jaque::HttpResponse>& document);
  void Fetched(absl::StatusOr<KeySet> keys);
  void AnswerWaiting();
  void Get(const std::string& url, HttpClient::Callback done);

  const OidcOptions options_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  Keys keys_ ABSL_GUARDED_BY(mutex_);  // null: not fetched yet
  bool fetching_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration fetched_at_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();  // or tried
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<HttpClient> client_;
};

void Oidc::Get(const std::string& url, HttpClient::Callback done) {
  jaque::HttpRequest request;
  request.url = url;
  request.timeout = kFetchTimeout;
  request.max_response_bytes = kDocumentBytes;
  client_->Start(std::move(request), std::move(done));
}

bool Oidc::MaybeFetch(bool because_unknown) {
  {
    absl::MutexLock lock(&mutex_);
    if (fetching_) return true;
    const bool soon = because_unknown || keys_ == nullptr;
    const int pause = soon ? limits::kKeyFetchSeconds : limits::kKeySetSeconds;
    if (clock_->Monotonic() - fetched_at_ < absl::Seconds(pause)) return false;
    fetching_ = true;
  }
  std::string base = options_.issuer;
  while (!base.empty() && base.back() == '/') base.pop_back();
  Get(base + "/.well-known/openid-configuration",
      [this](absl::StatusOr<jaque::HttpResponse> response) { FetchKeys(response); });
  return true;
}

absl::StatusOr<std::string> BodyOf(const absl::StatusOr<jaque::HttpResponse>& response) {
  RETURN_IF_ERROR(response.status());
  if (response->status == 200) return response->body;
  return absl::UnavailableError(fmt::format("the issuer answers {}", response->status));
}

void Oidc::FetchKeys(const absl::StatusOr<jaque::HttpResponse>& discovery) {
  const absl::StatusOr<std::string> body = BodyOf(discovery);
  if (!body.ok()) return Fetched(body.status());
  const absl::StatusOr<Value> document = ParseJson(*body);
  if (!document.ok() || !document->is_object()) {
    return Fetched(absl::InvalidArgumentError("discovery is no JSON"));
  }
  if (document->StringOr("issuer", "") != options_.issuer) {
    return Fetched(absl::InvalidArgumentError("discovery names another issuer"));
  }
  const std::string url(document->StringOr("jwks_uri", ""));
  if (!IsSafe(url)) return Fetched(absl::InvalidArgumentError("jwks_uri is no https URL"));
  Get(url, [this](absl::StatusOr<jaque::HttpResponse> response) { TakeKeys(response); });
}

void Oidc::TakeKeys(const absl::StatusOr<jaque::HttpResponse>& document) {
  const absl::StatusOr<std::string> body = BodyOf(document);
  Fetched(body.ok() ? KeySet::Parse(*body) : body.status());
}

void Oidc::Fetched(absl::StatusOr<KeySet> keys) {
  {
    absl::MutexLock lock(&mutex_);
    fetching_ = false;
    fetched_at_ = clock_->Monotonic();
    if (keys.ok()) keys_ = std::make_shared<const KeySet>(*std::move(keys));
  }
  if (!keys.ok()) {
    LogError("the issuer's keys cannot be fetched",
             {{"issuer", options_.issuer}, {"why", Message(keys.status())}});
  }
  AnswerWaiting();
}

void Oidc::AnswerWaiting() {
  std::vector<Waiting> waiting;
  Keys keys;
  {
    absl::MutexLock lock(&mutex_);
    waiting.swap(waiting_);
    keys = keys_;
  }
  for (Waiting& one : waiting) {
    absl::StatusOr<Caller> caller = Judge(one.token, keys);
    if (absl::IsNotFound(caller.status())) {
      caller = absl::UnauthenticatedError(std::string(Message(caller.status())));
    }
    one.answer(std::move(caller));
  }
}

absl::StatusOr<Caller> Oidc::Judge(const JsonWebToken& token, const Keys& keys) const {
  if (keys == nullptr) return absl::UnavailableError("the keys of the issuer are not known yet");
  RETURN_IF_ERROR(keys->Verify(token));
  RETURN_IF_ERROR(CheckClaims(token.claims, options_.issuer, options_.audience, clock_->Now()));
  return CallerOf(token.claims, options_.roles_claim);
}

void Oidc::Authenticate(const std::string& token, Answer answer) {
  absl::StatusOr<JsonWebToken> parsed = ParseToken(token);
  if (!parsed.ok()) return answer(parsed.status());
  Keys keys;
  {
    absl::MutexLock lock(&mutex_);
    keys = keys_;
  }
  absl::StatusOr<Caller> caller = Judge(*parsed, keys);
  const bool may_change = absl::IsNotFound(caller.status()) || keys == nullptr;
  if (may_change && MaybeFetch(/*because_unknown=*/true)) {
    absl::MutexLock lock(&mutex_);
    if (fetching_ && waiting_.size() < limits::kTokensWaiting) {
      waiting_.push_back({*std::move(parsed), std::move(answer)});
      return;
    }
    keys = keys_;
  }
  if (may_change) caller = Judge(*parsed, keys);
  if (absl::IsNotFound(caller.status())) {
    caller = absl::UnauthenticatedError(std::string(Message(caller.status())));
  }
  answer(std::move(caller));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Authenticator>> MakeOidc(const OidcOptions& options,
                                                        const Clock* clock,
                                                        const Clock* network_clock) {
  if (!IsSafe(options.issuer)) {
    return absl::InvalidArgumentError(
        fmt::format("-oidc-issuer {}: write https://…, else anybody on the way could forge keys",
                    options.issuer));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> client,
                   HttpClient::Create(ClientOptions(options), network_clock));
  return std::make_unique<Oidc>(options, clock, std::move(client));
}

}  // namespace jaque::ui
