// SPDX-License-Identifier: Apache-2.0
#include "worker/http_exchange.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/text.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

void RemoveHeaders(std::initializer_list<std::string_view> names, HttpHeaders* headers) {
  const auto named = [&names](const auto& header) {
    return std::any_of(names.begin(), names.end(), [&header](std::string_view name) {
      return EqualsIgnoreCase(header.first, name);
    });
  };
  headers->erase(std::remove_if(headers->begin(), headers->end(), named), headers->end());
}

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(HttpClient* client, std::shared_ptr<TaskRun> run, HttpRequest request, bool follow,
           HttpAnswerFn done)
      : client_(client),
        run_(std::move(run)),
        next_(std::move(request)),
        follow_(follow),
        done_(std::move(done)) {
    sent_.method = next_.method;
    sent_.url = next_.url;
    sent_.headers = next_.headers;
  }

  void Start() {
    run_->OnCancel([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->Cancel();
    });
    Send();
  }

 private:
  void Send();
  void Cancel();
  void Receive(absl::StatusOr<HttpResponse> response);
  void Redirect(const HttpResponse& response, const std::string& location);
  void Fail(v1::Problem problem) { done_(std::move(problem)); }
  v1::Problem ToProblem(const absl::Status& status) const;

  HttpClient* const client_;
  const std::shared_ptr<TaskRun> run_;
  HttpRequest next_;   // with its body only while a redirect may need it again
  HttpRequest sent_;   // the first one
  std::string where_;  // of the hop under way, for messages
  const bool follow_;
  int redirects_ = 0;
  HttpAnswerFn done_;

  absl::Mutex mutex_;
  uint64_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
};

void Exchange::Send() {
  where_ = DescribeRequest(next_, *run_);
  const absl::Duration left = run_->TimeLeft();
  if (run_->cancelled()) return Receive(absl::CancelledError("the task was cancelled"));
  if (left <= absl::ZeroDuration()) {
    return Receive(absl::DeadlineExceededError("the task's time is over"));
  }
  next_.timeout = left;
  HttpRequest hop;
  if (follow_) {
    hop = next_;
  } else {
    hop = std::move(next_);
  }
  // Held until the id is noted; the client's thread waits for it if it is faster.
  absl::MutexLock lock(&mutex_);
  under_way_ = client_->Start(std::move(hop), [self = shared_from_this()](auto response) {
    self->Receive(std::move(response));
  });
}

void Exchange::Cancel() {
  absl::MutexLock lock(&mutex_);
  if (under_way_ != 0) client_->Cancel(under_way_);
}

void Exchange::Receive(absl::StatusOr<HttpResponse> response) {
  if (!response.ok()) return Fail(ToProblem(response.status()));
  static constexpr int kRedirects[] = {301, 302, 303, 307, 308};
  const std::string* location = response->FindHeader("Location");
  if (follow_ && location != nullptr &&
      std::find(std::begin(kRedirects), std::end(kRedirects), response->status) !=
          std::end(kRedirects)) {
    return Redirect(*response, *location);
  }
  done_(HttpAnswer{*std::move(response), std::move(sent_)});
}

void Exchange::Redirect(const HttpResponse& response, const std::string& location) {
  const auto refuse = [&](std::string_view why) {
    Fail(MakeProblem(dsl::kErrorCommunication, Cat(where_, ": ", why), response.status,
                     ReasonPhrase(response.status)));
  };
  if (++redirects_ > limits::kHttpRedirects) {
    return refuse(Cat("more than ", limits::kHttpRedirects, " redirects"));
  }
  absl::StatusOr<std::string> target = ResolveUri(next_.url, location);
  if (!target.ok()) return refuse("the redirect leads to no URI");
  if (!SameOrigin(next_.url, *target)) {
    RemoveHeaders({"Authorization", "Proxy-Authorization", "Cookie", "Host"}, &next_.headers);
    next_.digest.reset();
  }
  const int status = response.status;
  const bool as_get = status == 303 || ((status == 301 || status == 302) && next_.method == "POST");
  if (as_get && next_.method != "HEAD") {
    next_.method = "GET";
    next_.body.reset();
    RemoveHeaders({"Content-Type", "Content-Encoding", "Content-Language"}, &next_.headers);
  }
  next_.url = *std::move(target);
  Send();
}

v1::Problem Exchange::ToProblem(const absl::Status& status) const {
  const std::string detail = Cat(where_, ": ", run_->redactor().Redact(Message(status)));
  if (absl::IsDeadlineExceeded(status)) return MakeProblem(dsl::kErrorTimeout, detail);
  if (absl::IsInvalidArgument(status)) return ArgumentProblem(detail);
  if (absl::IsCancelled(status)) return MakeProblem(dsl::kErrorRuntime, detail);
  return MakeProblem(dsl::kErrorCommunication, detail);
}

}  // namespace

std::string DescribeRequest(const HttpRequest& request, const TaskRun& run) {
  constexpr size_t kLongest = 2'000;
  const std::string uri = run.redactor().Redact(WithoutUserInfo(request.url));
  return Cat(request.method, " ", FirstPart(uri, kLongest));
}

void StartExchange(HttpClient* client, std::shared_ptr<TaskRun> run, HttpRequest request,
                   const Credentials& credentials, bool follow_redirects, HttpAnswerFn done) {
  credentials.ApplyTo(&request);
  std::make_shared<Exchange>(client, std::move(run), std::move(request), follow_redirects,
                             std::move(done))
      ->Start();
}

}  // namespace jaque
