// SPDX-License-Identifier: Apache-2.0
#include "notifier/mail.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/limits.h"
#include "base/text.h"

namespace jaque::notifier {
namespace {

struct Rest {
  std::string_view text;
};

size_t ReadOn(char* buffer, size_t size, size_t count, void* rest) {
  std::string_view& text = static_cast<Rest*>(rest)->text;
  const size_t bytes = std::min(size * count, text.size());
  std::memcpy(buffer, text.data(), bytes);
  text.remove_prefix(bytes);
  return bytes;
}

}  // namespace

absl::Status SendMail(const EmailTarget& email, const std::string& password,
                      const std::string& ca_file, const std::string& message) {
  const std::unique_ptr<CURL, void (*)(CURL*)> easy(curl_easy_init(), curl_easy_cleanup);
  if (easy == nullptr) return absl::ResourceExhaustedError("no memory for a connection");
  curl_slist* list = nullptr;
  for (const std::string& address : email.to) {
    list = curl_slist_append(list, Cat("<", address, ">").c_str());
  }
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> recipients(list, curl_slist_free_all);
  const std::string from = Cat("<", email.from, ">");
  Rest rest{message};
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(easy.get(), CURLOPT_URL, email.server.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_FROM, from.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_RCPT, recipients.get());
  // A password goes over TLS alone.
  curl_easy_setopt(easy.get(), CURLOPT_USE_SSL,
                   static_cast<long>(email.username.empty() ? CURLUSESSL_TRY : CURLUSESSL_ALL));
  if (!ca_file.empty()) curl_easy_setopt(easy.get(), CURLOPT_CAINFO, ca_file.c_str());
  if (!email.username.empty()) {
    curl_easy_setopt(easy.get(), CURLOPT_USERNAME, email.username.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_PASSWORD, password.c_str());
  }
  curl_easy_setopt(easy.get(), CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_READFUNCTION, ReadOn);
  curl_easy_setopt(easy.get(), CURLOPT_READDATA, &rest);
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT, static_cast<long>(limits::kDeliveryTimeoutSeconds));
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OK) return absl::OkStatus();
  return absl::UnavailableError(error[0] != '\0' ? error : curl_easy_strerror(code));
}

}  // namespace jaque::notifier
