// SPDX-License-Identifier: Apache-2.0
#include "worker/curl_transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/duration.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

constexpr size_t kHeaderBytes = 256 << 10;  // of one response
constexpr char kAuthorityBundle[] = "/etc/ssl/certs/ca-certificates.crt";
constexpr char kAuthorityFolder[] = "/etc/ssl/certs";

template <typename T>
void Set(CURL* easy, CURLoption option, T value) {
  // Fails only without memory or for options that this libcurl was built without.
  JAQUE_CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
}

bool IsPrivateV4(uint32_t a) {
  return a >> 24 == 127 || a >> 24 == 10 || a >> 24 == 0 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 ||
         a >> 16 == 0xa9fe || a >> 22 == (0x64400000u >> 22) || a >> 28 >= 14;
}

bool IsPrivate(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return IsPrivateV4(ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr));
  }
  if (address->sa_family != AF_INET6) return true;
  const in6_addr& a = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  const uint8_t* b = a.s6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&a)) {
    return IsPrivateV4(uint32_t{b[12]} << 24 | uint32_t{b[13]} << 16 | uint32_t{b[14]} << 8 |
                       b[15]);
  }
  // Unspecified and loopback, unique local fc00::/7, link-local fe80::/10, multicast.
  return (std::all_of(b, b + 15, [](uint8_t x) { return x == 0; }) && b[15] <= 1) ||
         (b[0] & 0xfe) == 0xfc || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80) || b[0] == 0xff;
}

curl_socket_t OpenPublicSocket(void*, curlsocktype, curl_sockaddr* address) {
  if (IsPrivate(&address->addr)) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

curl_socket_t OpenSocket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

}  // namespace

const std::string* HttpResponse::FindHeader(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoreCase(key, name)) return &value;
  }
  return nullptr;
}

CurlTransfer::CurlTransfer(const HttpClientOptions& options, curl_slist* connect_to)
    : options_(options), connect_to_(connect_to), easy_(curl_easy_init()) {
  JAQUE_CHECK(easy_ != nullptr);
  SetShared();
}

void CurlTransfer::SetShared() {
  CURL* easy = easy_.get();
  Set(easy, CURLOPT_PRIVATE, this);
  Set(easy, CURLOPT_NOSIGNAL, 1L);
  Set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(easy, CURLOPT_HTTP_VERSION, options_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  Set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  Set(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  Set(easy, CURLOPT_PROXY, options_.proxy.c_str());
  Set(easy, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(absl::ToInt64Milliseconds(options_.connect_timeout)));
  // Without it a request that is cancelled while its host is looked up blocks the thread until the
  // answer.
  Set(easy, CURLOPT_QUICK_EXIT, 1L);
  Set(easy, CURLOPT_ERRORBUFFER, error_);
  Set(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  Set(easy, CURLOPT_WRITEDATA, this);
  Set(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  Set(easy, CURLOPT_HEADERDATA, this);
  Set(easy, CURLOPT_OPENSOCKETFUNCTION, options_.refuse_private ? &OpenPublicSocket : &OpenSocket);
  if (connect_to_ != nullptr) Set(easy, CURLOPT_CONNECT_TO, connect_to_);
  if (!options_.ca_file.empty()) {
    Set(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    Set(easy, CURLOPT_CAPATH, kAuthorityFolder);
  } else if (access(kAuthorityBundle, R_OK) == 0) {
    // libcurl keeps a parsed bundle for the next connections, but only if no folder is set beside
    // it.
    Set(easy, CURLOPT_CAINFO, kAuthorityBundle);
    Set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
}

void CurlTransfer::Prepare(uint64_t id, HttpRequest request, HttpClient::Callback done) {
  id_ = id;
  request_ = std::move(request);
  done_ = std::move(done);
  response_ = HttpResponse();
  header_bytes_ = 0;
  in_headers_ = false;
  too_large_ = false;
  error_[0] = '\0';
  CURL* easy = easy_.get();
  Set(easy, CURLOPT_URL, request_.url.c_str());
  // 0 would mean "no timeout".
  Set(easy, CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::max<int64_t>(1, absl::ToInt64Milliseconds(request_.timeout))));
  Set(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request_.max_response_bytes));
  if (request_.digest.has_value()) {
    Set(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_DIGEST));
    Set(easy, CURLOPT_USERNAME, request_.digest->username.c_str());
    Set(easy, CURLOPT_PASSWORD, request_.digest->password.c_str());
  } else {
    // Credentials inside the URL are sent as basic authentication, as everywhere.
    Set(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    Set(easy, CURLOPT_USERNAME, static_cast<char*>(nullptr));
    Set(easy, CURLOPT_PASSWORD, static_cast<char*>(nullptr));
  }
  SetMethod();
  SetHeaders();
}

void CurlTransfer::SetMethod() {
  CURL* easy = easy_.get();
  const std::string& method = request_.method;
  Set(easy, CURLOPT_HTTPGET, 1L);  // also takes back what the last request set
  Set(easy, CURLOPT_CUSTOMREQUEST, static_cast<char*>(nullptr));
  const bool needs_length = method == "POST" || method == "PUT" || method == "PATCH";
  if (request_.body.has_value() || needs_length) {
    if (!request_.body.has_value()) request_.body.emplace();
    Set(easy, CURLOPT_POSTFIELDS, request_.body->data());
    Set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body->size()));
    if (method != "POST") Set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  } else if (method == "HEAD") {
    Set(easy, CURLOPT_NOBODY, 1L);
  } else if (method != "GET") {
    Set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
}

void CurlTransfer::SetHeaders() {
  headers_.reset();
  bool has_type = false;
  curl_slist* list = nullptr;
  const auto add = [&list](const std::string& line) {
    list = curl_slist_append(list, line.c_str());
  };
  for (const auto& [name, value] : request_.headers) {
    if (EqualsIgnoreCase(name, "Content-Type")) has_type = true;
    // "Name;" is how libcurl is told to send a header without a value.
    add(value.empty() ? Cat(name, ";") : Cat(name, ": ", value));
  }
  // Not libcurl's own: its form type for a body, and a wait of a second for "100 Continue".
  if (request_.body.has_value()) {
    if (!has_type) add("Content-Type:");
    add("Expect:");
  }
  headers_.reset(list);
  Set(easy_.get(), CURLOPT_HTTPHEADER, list);
}

void CurlTransfer::Finish(CURLcode code) {
  absl::Status status = ToStatus(code);
  if (status.ok()) {
    Release(std::move(response_));
  } else {
    Release(std::move(status));
  }
}

void CurlTransfer::Cancel() { Release(absl::CancelledError("the request was cancelled")); }

void CurlTransfer::Release(absl::StatusOr<HttpResponse> result) {
  HttpClient::Callback done = std::move(done_);
  done_ = nullptr;
  done(std::move(result));
}

absl::Status CurlTransfer::ToStatus(CURLcode code) const {
  const std::string text = error_[0] != '\0' ? error_ : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OK:
      return absl::OkStatus();
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t micros = 0;
      curl_easy_getinfo(easy_.get(), CURLINFO_TOTAL_TIME_T, &micros);
      // The connection's own timeout ends with the same code.
      if (absl::Microseconds(micros) + absl::Milliseconds(1) < request_.timeout) {
        return absl::UnavailableError(text);
      }
      return absl::DeadlineExceededError(
          Cat("no complete answer within ", DurationText(request_.timeout)));
    }
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: {
      // Also the code for an answer that is no HTTP; then something was sent.
      long sent = 0;
      curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &sent);
      return sent > 0 ? absl::UnavailableError(text) : absl::InvalidArgumentError(text);
    }
    case CURLE_FILESIZE_EXCEEDED:
      return absl::ResourceExhaustedError(
          Cat("the answer is larger than ", request_.max_response_bytes, " bytes"));
    case CURLE_WRITE_ERROR:
      if (!too_large_) return absl::UnavailableError(text);
      return absl::ResourceExhaustedError(Cat("the answer is larger than ",
                                              request_.max_response_bytes,
                                              " bytes, or its headers than ", kHeaderBytes));
    case CURLE_COULDNT_CONNECT:
      if (!options_.refuse_private) return absl::UnavailableError(text);
      return absl::UnavailableError(Cat(text, " (connections to private addresses are refused)"));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return absl::UnavailableError(Cat("TLS: ", text));
    default:
      return absl::UnavailableError(text);
  }
}

size_t CurlTransfer::OnBody(char* data, size_t size, size_t count, void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  const size_t bytes = size * count;
  if (transfer->response_.body.size() + bytes > transfer->request_.max_response_bytes) {
    transfer->too_large_ = true;
    return 0;
  }
  transfer->response_.body.append(data, bytes);
  return bytes;
}

size_t CurlTransfer::OnHeader(char* data, size_t size, size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->AddHeaderLine(std::string_view(data, size * count));
}

size_t CurlTransfer::AddHeaderLine(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kHeaderBytes) {
    too_large_ = true;
    return 0;
  }
  const std::string_view text = Trim(line);
  if (text.substr(0, 5) == "HTTP/") {
    // A status line: the first one, or the one after an interim answer or an authentication
    // challenge.
    response_ = HttpResponse();
    in_headers_ = true;
    const size_t space = text.find(' ');
    if (space != std::string_view::npos) {
      const std::string code(text.substr(space + 1, 3));
      if (!absl::SimpleAtoi(code, &response_.status)) response_.status = 0;
    }
  } else if (text.empty()) {
    in_headers_ = false;  // what comes later are trailers
  } else if (const size_t colon = text.find(':'); in_headers_ && colon != std::string_view::npos) {
    response_.headers.emplace_back(text.substr(0, colon), Trim(text.substr(colon + 1)));
  }
  return line.size();
}

}  // namespace jaque
