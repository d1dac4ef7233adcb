// SPDX-License-Identifier: Apache-2.0
#include "sink/http_post.h"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

constexpr size_t kAnswerBytes = 4 << 10;  // what is read of an answer
constexpr size_t kShownBytes = 200;       // and shown
constexpr char kAuthorityFolder[] = "/etc/ssl/certs";

size_t TakeAnswer(char* data, size_t size, size_t count, void* body) {
  auto* const text = static_cast<std::string*>(body);
  text->append(data, std::min(size * count, kAnswerBytes - std::min(kAnswerBytes, text->size())));
  return size * count;
}

// Other than zero gives the transfer up.
int OnProgress(void* stopped, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<std::atomic<bool>*>(stopped)->load() ? 1 : 0;
}

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

}  // namespace

struct HttpPost::Curl {
  std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
};

absl::Status CheckHttpAddress(const std::string& url) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  const bool http = absl::StartsWith(url, "http://") || absl::StartsWith(url, "https://");
  if (!http || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return absl::InvalidArgumentError("it is no address of http or https");
  }
  char* user = nullptr;
  if (curl_url_get(parsed.get(), CURLUPART_USER, &user, 0) != CURLUE_OK) return absl::OkStatus();
  curl_free(user);
  return absl::InvalidArgumentError("an address is shown in logs: no name and password in it");
}

HttpPost::HttpPost(HttpPostOptions options)
    : options_(std::move(options)), curl_(std::make_unique<Curl>()) {
  JAQUE_CHECK(curl_->easy != nullptr);
}

HttpPost::~HttpPost() = default;

absl::StatusOr<HttpPost::Answer> HttpPost::Send(const std::vector<std::string>& headers,
                                                std::string_view body) {
  if (stopped_) return absl::CancelledError("it stops");
  CURL* const easy = curl_->easy.get();
  curl_easy_reset(easy);  // keeps the connection
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : options_.headers) list = curl_slist_append(list, header.c_str());
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> lines(list, curl_slist_free_all);
  Answer answer;
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(easy, CURLOPT_URL, options_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "jaque");
  curl_easy_setopt(easy, CURLOPT_PROXY, options_.proxy.c_str());
  if (!options_.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, kAuthorityFolder);
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, TakeAnswer);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &stopped_);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits::kHttpConnectSeconds));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, static_cast<long>(limits::kExportSeconds));
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
  const CURLcode code = curl_easy_perform(easy);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
  if (code != CURLE_OK && stopped_) return absl::CancelledError("it stops");
  if (code != CURLE_OK) {
    return absl::UnavailableError(error[0] != '\0' ? error : curl_easy_strerror(code));
  }
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

absl::Status StatusOfAnswer(const HttpPost::Answer& answer) {
  if (answer.status >= 200 && answer.status < 300) return absl::OkStatus();
  std::string said = answer.body.substr(0, kShownBytes);
  std::replace_if(
      said.begin(), said.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
  return absl::UnavailableError(Cat("HTTP ", answer.status, said.empty() ? "" : ": ", said));
}

}  // namespace jaque
