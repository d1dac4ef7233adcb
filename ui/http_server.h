// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server: keep-alive, pipelining (answers in order), bounded in everything a client can
// make it hold. Start and Stop are called once each by its owner; handlers run on the server's
// threads. What it answers by itself (bad syntax, too large, too slow) is problem details too.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "ui/http.h"
#include "ui/tls_certificate.h"

namespace jaque::ui {

struct HttpServerOptions {
  std::string listen = "127.0.0.1:8080";  // host:port; port 0 lets the system choose
  int threads = 1;
  const TlsCertificate* tls = nullptr;  // null: HTTP without TLS; outlives the server
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  // InvalidArgument for an address that cannot be read, Unavailable for one that is taken.
  virtual absl::Status Start() = 0;
  // Closes idle connections, lets requests in flight end for at most ten seconds, then cuts them.
  virtual void Stop() = 0;
  // "127.0.0.1:8080" with the real port, once started.
  virtual std::string address() const = 0;
};

std::unique_ptr<HttpServer> MakeHttpServer(const HttpServerOptions& options, const Clock* clock,
                                           Metrics* metrics, HttpHandler handler);

}  // namespace jaque::ui
