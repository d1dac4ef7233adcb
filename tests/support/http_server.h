// SPDX-License-Identifier: Apache-2.0
// A real HTTP server on the loopback interface for tests: the kernel chooses the port, each
// connection has a thread, each request calls the handler on it. A handler may block; the
// destructor closes every connection and waits for the handlers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jaque::testing {

struct TestRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  // names in small letters
  int connection = 0;                          // 1 for the first one accepted

  std::string path() const { return target.substr(0, target.find('?')); }
  std::string Header(const std::string& name) const {
    const auto it = headers.find(name);
    return it == headers.end() ? "" : it->second;
  }
  // Blocks until the client has closed its side.
  std::function<void()> wait_closed;
};

struct TestResponse {
  int status = 200;
  std::string body;
  std::string content_type;  // none if empty
  std::vector<std::pair<std::string, std::string>> headers;
  // If set, is called instead of all this with a function that sends bytes as they are and says
  // whether the client is still there; the connection is closed afterwards.
  std::function<void(const std::function<bool(std::string_view)>& send)> raw;
};

class TestHttpServer {
 public:
  using Handler = std::function<TestResponse(const TestRequest&)>;
  struct Tls {
    std::string certificate_file, key_file;
  };

  explicit TestHttpServer(Handler handler);
  TestHttpServer(Handler handler, const Tls& tls);
  ~TestHttpServer();

  int port() const;
  // "http://127.0.0.1:<port>" + path; https with TLS.
  std::string Url(const std::string& path) const;
  int requests() const;
  int connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jaque::testing
