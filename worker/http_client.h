// SPDX-License-Identifier: Apache-2.0
// HTTP requests, many at once, on one thread of libcurl's multi interface driven by epoll. Runners
// call Start and Cancel from any thread; a callback runs exactly once, on the client's thread, and
// must not block. It follows no redirect and keeps no cookie: that is the caller's affair. Errors:
// DeadlineExceeded (the request's timeout), Unavailable (network, TLS; the message says what and
// where), ResourceExhausted (response too large), InvalidArgument (no http or https URL),
// Cancelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"

namespace jaque {

struct HttpClientOptions {
  // "HOST:PORT:ADDRESS[:PORT]": connections to HOST:PORT go to ADDRESS (and PORT) instead; the
  // request, its Host header and the TLS name stay. IPv6 addresses in brackets.
  std::vector<std::string> resolve;
  std::string ca_file;  // PEM, trusted in addition to the system's authorities
  std::string proxy;    // URL; empty: none, whatever the environment says
  std::string user_agent = "jaque";
  bool http2 = false;
  bool refuse_private = false;  // no connection to loopback, link-local and private addresses
  absl::Duration connect_timeout = absl::Seconds(limits::kHttpConnectSeconds);
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HttpHeaders headers;
  std::optional<std::string> body;
  struct Digest {
    std::string username, password;
  };
  std::optional<Digest> digest;  // answers a challenge of RFC 7616
  absl::Duration timeout = absl::Seconds(limits::kHttpSeconds);
  size_t max_response_bytes = limits::kHttpResponseBytes;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // in order, names as sent
  std::string body;

  // The first header of that name, whatever its case; nullptr if absent.
  const std::string* FindHeader(std::string_view name) const;
};

class HttpClient {
 public:
  using Callback = absl::AnyInvocable<void(absl::StatusOr<HttpResponse>)>;

  // InvalidArgument for options that cannot work. `clock` must be a real one and outlive the
  // client.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(const HttpClientOptions& options,
                                                            const Clock* clock);
  // Requests still under way end as Cancelled.
  virtual ~HttpClient() = default;

  virtual uint64_t Start(HttpRequest request, Callback done) = 0;
  // The request ends as Cancelled, unless it has ended already.
  virtual void Cancel(uint64_t id) = 0;
};

}  // namespace jaque
