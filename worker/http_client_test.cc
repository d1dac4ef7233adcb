// SPDX-License-Identifier: Apache-2.0
#include "worker/http_client.h"

#include <atomic>
#include <fstream>
#include <future>
#include <semaphore>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/http_server.h"
#include "tests/support/tls_files.h"

namespace jaque {
namespace {

using ::jaque::testing::TestHttpServer;
using ::jaque::testing::TestRequest;
using ::jaque::testing::TestResponse;
using ::jaque::testing::TlsFiles;
using ::testing::HasSubstr;

std::unique_ptr<HttpClient> MakeClient(const HttpClientOptions& options = {}) {
  auto client = HttpClient::Create(options, &SystemClock());
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

absl::StatusOr<HttpResponse> Fetch(HttpClient* client, HttpRequest request) {
  std::promise<absl::StatusOr<HttpResponse>> promise;
  client->Start(std::move(request), [&promise](absl::StatusOr<HttpResponse> response) {
    promise.set_value(std::move(response));
  });
  return promise.get_future().get();
}

absl::StatusOr<HttpResponse> Get(HttpClient* client, const std::string& url) {
  HttpRequest request;
  request.url = url;
  return Fetch(client, std::move(request));
}

// A port on which nobody listens.
int ClosedPort() {
  return TestHttpServer([](const TestRequest&) { return TestResponse(); }).port();
}

TestResponse Echo(const TestRequest& request) {
  TestResponse response;
  response.body = request.method + " " + request.target + " [" + request.Header("content-type") +
                  "] " + request.Header("content-length") + " " + request.body;
  response.headers = {{"X-One", "1"}, {"x-two", "2"}};
  return response;
}

TEST(HttpClientTest, SendsMethodHeadersAndBody) {
  TestHttpServer server(Echo);
  auto client = MakeClient();
  const auto fetch = [&](const std::string& method, std::optional<std::string> body) {
    HttpRequest request;
    request.method = method;
    request.url = server.Url("/p?q=1");
    request.body = std::move(body);
    auto response = Fetch(client.get(), std::move(request));
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? response->body : "";
  };
  EXPECT_EQ(fetch("GET", std::nullopt), "GET /p?q=1 []  ");
  EXPECT_EQ(fetch("POST", "abc"), "POST /p?q=1 [] 3 abc");
  EXPECT_EQ(fetch("GET", std::nullopt), "GET /p?q=1 []  ");
  EXPECT_EQ(fetch("PUT", "x"), "PUT /p?q=1 [] 1 x");
  EXPECT_EQ(fetch("HEAD", std::nullopt), "");
  EXPECT_EQ(fetch("POST", std::nullopt), "POST /p?q=1 [] 0 ");
  EXPECT_EQ(fetch("PATCH", "{}"), "PATCH /p?q=1 [] 2 {}");
  EXPECT_EQ(fetch("DELETE", std::nullopt), "DELETE /p?q=1 []  ");
  EXPECT_EQ(fetch("DELETE", "b"), "DELETE /p?q=1 [] 1 b");
  EXPECT_EQ(fetch("REPORT", std::nullopt), "REPORT /p?q=1 []  ");
  EXPECT_EQ(fetch("GET", "with body"), "GET /p?q=1 [] 9 with body");
  EXPECT_EQ(server.connections(), 1) << "a connection is used again";
}

TEST(HttpClientTest, GivesStatusAndHeaders) {
  TestHttpServer server([](const TestRequest& request) {
    TestResponse response = Echo(request);
    response.status = 418;
    return response;
  });
  auto client = MakeClient();
  const auto response = Get(client.get(), server.Url("/"));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 418);
  ASSERT_NE(response->FindHeader("X-TWO"), nullptr);
  EXPECT_EQ(*response->FindHeader("X-TWO"), "2");
  EXPECT_EQ(response->FindHeader("absent"), nullptr);
}

TEST(HttpClientTest, ManyAtOnceShareConnections) {
  constexpr int kRequests = 2000;
  TestHttpServer server(Echo);
  auto client = MakeClient();
  absl::BlockingCounter done(kRequests);
  std::atomic<int> good{0};
  for (int i = 0; i < kRequests; ++i) {
    HttpRequest request;
    request.url = server.Url("/" + std::to_string(i));
    client->Start(std::move(request), [&, i](absl::StatusOr<HttpResponse> response) {
      const std::string expected = "GET /" + std::to_string(i) + " []  ";
      if (response.ok() && response->body == expected) ++good;
      done.DecrementCount();
    });
  }
  done.Wait();
  EXPECT_EQ(good, kRequests);
}

TEST(HttpClientTest, UnknownHostAndRefusedConnectionSayWhatAndWhere) {
  auto client = MakeClient();
  const auto unknown = Get(client.get(), "http://nowhere.invalid/");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("nowhere.invalid"));
  const int port = ClosedPort();
  const auto refused = Get(client.get(), "http://127.0.0.1:" + std::to_string(port) + "/");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(std::to_string(port)));
}

TEST(HttpClientTest, OnlyHttp) {
  auto client = MakeClient();
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "",
                          "http://", "http://a b/"}) {
    EXPECT_EQ(Get(client.get(), url).status().code(), absl::StatusCode::kInvalidArgument) << url;
  }
}

TEST(HttpClientTest, ATimeoutClosesTheConnection) {
  std::counting_semaphore<> closed(0);
  TestHttpServer server([&](const TestRequest& request) {
    request.wait_closed();
    closed.release();
    return TestResponse();
  });
  auto client = MakeClient();
  HttpRequest request;
  request.url = server.Url("/");
  // Twice the time until it suffices for the request to arrive, however slow the machine is.
  for (request.timeout = absl::Milliseconds(50); server.requests() == 0; request.timeout *= 2) {
    EXPECT_EQ(Fetch(client.get(), request).status().code(), absl::StatusCode::kDeadlineExceeded);
  }
  closed.acquire();
}

TEST(HttpClientTest, CancelClosesTheConnection) {
  absl::Notification arrived, closed;
  TestHttpServer server([&](const TestRequest& request) {
    arrived.Notify();
    request.wait_closed();
    closed.Notify();
    return TestResponse();
  });
  auto client = MakeClient();
  std::promise<absl::Status> result;
  HttpRequest request;
  request.url = server.Url("/");
  const uint64_t id = client->Start(std::move(request), [&](absl::StatusOr<HttpResponse> response) {
    result.set_value(response.status());
  });
  arrived.WaitForNotification();
  client->Cancel(id);
  client->Cancel(id);
  client->Cancel(id + 17);
  EXPECT_EQ(result.get_future().get().code(), absl::StatusCode::kCancelled);
  closed.WaitForNotification();
}

TEST(HttpClientTest, GoingAwayCancelsWhatIsUnderWay) {
  absl::Notification arrived;
  TestHttpServer server([&](const TestRequest& request) {
    arrived.Notify();
    request.wait_closed();
    return TestResponse();
  });
  auto client = MakeClient();
  std::promise<absl::Status> result;
  HttpRequest request;
  request.url = server.Url("/");
  client->Start(std::move(request), [&](absl::StatusOr<HttpResponse> response) {
    result.set_value(response.status());
  });
  arrived.WaitForNotification();
  client.reset();
  EXPECT_EQ(result.get_future().get().code(), absl::StatusCode::kCancelled);
}

TEST(HttpClientTest, AFloodIsCutOff) {
  std::atomic<bool> cut{false};
  const std::string megabyte(1 << 20, 'x');
  TestHttpServer server([&](const TestRequest& request) {
    TestResponse response;
    response.raw = [&, headers = request.path() == "/headers"](const auto& send) {
      std::string first = "HTTP/1.1 200 OK\r\n";
      if (!headers) first += "\r\n";  // the body ends with the connection
      if (!send(first)) return;
      const std::string piece = headers ? "x-y: " + std::string(1000, 'z') + "\r\n" : megabyte;
      for (int i = 0; i < 100'000; ++i) {
        if (!send(piece)) {
          cut = true;
          return;
        }
      }
    };
    return response;
  });
  auto client = MakeClient();
  for (const char* path : {"/body", "/headers"}) {
    cut = false;
    const auto response = Get(client.get(), server.Url(path));
    EXPECT_FALSE(response.ok());
    // libcurl has a bound of its own for headers.
    if (std::string(path) == "/body") {
      EXPECT_EQ(response.status().code(), absl::StatusCode::kResourceExhausted)
          << response.status();
    }
  }
}

TEST(HttpClientTest, AnAnnouncedSizeOverTheLimitIsRefusedAtOnce) {
  TestHttpServer server([](const TestRequest&) {
    TestResponse response;
    response.raw = [](const auto& send) {
      send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    };
    return response;
  });
  auto client = MakeClient();
  EXPECT_EQ(Get(client.get(), server.Url("/")).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(HttpClientTest, NonsenseFromTheServerIsAnError) {
  for (const char* bytes :
       {"", "\r\n\r\n", "hello\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    TestHttpServer server([&](const TestRequest&) {
      TestResponse response;
      response.raw = [&](const auto& send) { send(bytes); };
      return response;
    });
    auto client = MakeClient();
    EXPECT_EQ(Get(client.get(), server.Url("/")).status().code(), absl::StatusCode::kUnavailable)
        << bytes;
  }
}

TEST(HttpClientTest, TlsIsVerified) {
  TlsFiles files;
  ASSERT_EQ(files.error(), "");
  TestHttpServer server(Echo, {files.certificate(), files.key()});
  const auto untrusted = Get(MakeClient().get(), server.Url("/"));
  EXPECT_EQ(untrusted.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(untrusted.status().message()), HasSubstr("TLS"));

  HttpClientOptions options;
  options.ca_file = files.authority();
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  options.resolve = {"service.example:443:" + address, "wrong.example:443:" + address};
  auto client = MakeClient(options);
  EXPECT_TRUE(Get(client.get(), server.Url("/")).ok());
  const auto mapped = Get(client.get(), "https://service.example/x");
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->body, "GET /x []  ");
  const auto wrong = Get(client.get(), "https://wrong.example/");
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kUnavailable) << wrong.status();
}

TEST(HttpClientTest, ResolveKeepsTheHostHeader) {
  TestHttpServer server([](const TestRequest& request) {
    TestResponse response;
    response.body = request.Header("host");
    return response;
  });
  HttpClientOptions options;
  options.resolve = {"api.example:80:127.0.0.1:" + std::to_string(server.port())};
  auto client = MakeClient(options);
  const auto response = Get(client.get(), "http://api.example/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "api.example");
}

TEST(HttpClientTest, RefusesOptionsThatCannotWork) {
  for (const char* entry :
       {"", "a", "a:1", "a:1:", ":1:b", "a:x:b", "a:1:b:0", "a:1:b:2:3", "a:70000:b"}) {
    HttpClientOptions options;
    options.resolve = {entry};
    EXPECT_FALSE(HttpClient::Create(options, &SystemClock()).ok()) << entry;
  }
  HttpClientOptions options;
  options.resolve = {"a:1:[::1]:2", "a:1:b"};
  EXPECT_TRUE(HttpClient::Create(options, &SystemClock()).ok());
  options.ca_file = "/nowhere/ca.pem";
  EXPECT_FALSE(HttpClient::Create(options, &SystemClock()).ok());
}

TEST(HttpClientTest, RefusesPrivateAddressesWhereAsked) {
  TestHttpServer server(Echo);
  HttpClientOptions options;
  options.refuse_private = true;
  auto client = MakeClient(options);
  const auto refused = Get(client.get(), server.Url("/"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("private"));
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpClientTest, AProxyGetsTheWholeUrl) {
  TestHttpServer proxy(Echo);
  HttpClientOptions options;
  options.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  auto client = MakeClient(options);
  const auto response = Get(client.get(), "http://far.example/a");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "GET http://far.example/a []  ");
}

}  // namespace
}  // namespace jaque
