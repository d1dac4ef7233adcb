// SPDX-License-Identifier: Apache-2.0
#include "ui/http_server.h"

#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/limits.h"
#include "boost/asio/connect.hpp"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/read.hpp"
#include "boost/asio/read_until.hpp"
#include "boost/asio/write.hpp"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A blocking client that sends and reads bytes.
class Client {
 public:
  explicit Client(const std::string& address) : socket_(io_) {
    const size_t colon = address.rfind(':');
    asio::connect(socket_, asio::ip::tcp::resolver(io_).resolve(address.substr(0, colon),
                                                                address.substr(colon + 1)));
  }
  void Send(const std::string& bytes) { asio::write(socket_, asio::buffer(bytes)); }
  // Reads up to and including `end`; what is read beyond it is kept for the next call.
  std::string ReadThrough(const std::string& end) {
    boost::system::error_code error;
    const size_t size = asio::read_until(socket_, asio::dynamic_buffer(buffer_), end, error);
    std::string read = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return read;
  }
  // A head, and its body up to the first ";".
  std::string ReadAnswer() {
    const std::string head = ReadThrough("\r\n\r\n");
    return head + ReadThrough(";");
  }
  // Everything until the server closes.
  std::string ReadAll() {
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(buffer_), error);
    return buffer_;
  }

 private:
  asio::io_context io_;
  asio::ip::tcp::socket socket_;
  std::string buffer_;
};

// A body that the test gives piece by piece.
class Pieces final : public HttpStream {
 public:
  explicit Pieces(absl::Notification* gone) : gone_(gone) {}
  ~Pieces() override { gone_->Notify(); }
  void Next(PieceFn piece) override {
    absl::MutexLock lock(&mutex_);
    next_ = std::move(piece);
  }
  // Once the one before is written.
  void Give(const std::string& text) {
    PieceFn piece;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](PieceFn* next) { return *next != nullptr; }, &next_));
      piece = std::exchange(next_, nullptr);
    }
    piece(text);
  }

 private:
  absl::Notification* const gone_;
  absl::Mutex mutex_;
  PieceFn next_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  // Answers with what it was asked; "/later" when the test says so, "/stream" as it says.
  HttpServerTest() {
    server_ = MakeHttpServer({.listen = "127.0.0.1:0"}, &SystemClock(), &metrics_,
                             [this](HttpRequest request, HttpReply reply) {
                               HttpResponse response;
                               if (request.path == "/stream") {
                                 response.stream = std::move(stream_);
                                 return reply(std::move(response));
                               }
                               response.body = request.method + " " + request.path + "?" +
                                               request.query + " " + request.body + ";";
                               if (request.path != "/later") return reply(std::move(response));
                               absl::MutexLock lock(&mutex_);
                               later_ = std::move(reply);
                               asked_.Notify();
                             });
    EXPECT_TRUE(server_->Start().ok());
  }

  void AnswerLater() {
    asked_.WaitForNotification();
    absl::MutexLock lock(&mutex_);
    HttpResponse response;
    response.body = "late;";
    later_(std::move(response));
  }

  // The next "/stream".
  std::shared_ptr<Pieces> Stream() {
    auto pieces = std::make_shared<Pieces>(&gone_);
    stream_ = pieces;
    return pieces;
  }

  Metrics metrics_;
  absl::Notification gone_;
  std::shared_ptr<HttpStream> stream_;
  absl::Mutex mutex_;
  HttpReply later_;
  absl::Notification asked_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOneRequestAfterAnotherOnOneConnection) {
  Client client(server_->address());
  for (int i = 0; i < 3; ++i) {
    client.Send("POST /a%20b?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_THAT(client.ReadAnswer(), HasSubstr("POST /a%20b?x=1 hello;"));
  }
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  Client client(server_->address());
  client.Send(
      "GET /later HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET /two HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET /three HTTP/1.1\r\nHost: h\r\n\r\n");
  AnswerLater();
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("late;"));
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("GET /two? ;"));
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("GET /three? ;"));
}

TEST_F(HttpServerTest, HeadGetsTheHeadOnly) {
  Client client(server_->address());
  client.Send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 9\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("GET /x")));
}

TEST_F(HttpServerTest, ContinueIsSentToAClientThatAsksFirst) {
  Client client(server_->address());
  client.Send("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("POST /x? ok;"));
}

TEST_F(HttpServerTest, TooLargeABodyIs413) {
  Client client(server_->address());
  client.Send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: " +
              std::to_string(limits::kRequestBytes + 1) + "\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 Content Too Large\r\n"));
}

TEST_F(HttpServerTest, TooLongAHeadIs431) {
  Client client(server_->address());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(limits::kRequestHeaderBytes, 'x') +
              "\r\n\r\n");
  EXPECT_THAT(client.ReadThrough("\r\n"), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, OtherTextIs400AndTheNextConnectionWorks) {
  Client bad(server_->address());
  bad.Send("hello\r\n\r\n");
  const std::string answer = bad.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(answer, HasSubstr("application/problem+json"));
  Client good(server_->address());
  good.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(good.ReadAnswer(), HasSubstr("GET /? ;"));
}

TEST_F(HttpServerTest, StopLetsARequestInFlightEnd) {
  Client waiting(server_->address());
  Client idle(server_->address());
  waiting.Send("GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
  asked_.WaitForNotification();
  std::thread stop([this] { server_->Stop(); });
  EXPECT_EQ(idle.ReadAll(), "");  // closed while the other is still in flight
  AnswerLater();
  const std::string answer = waiting.ReadAll();
  EXPECT_THAT(answer, HasSubstr("late;"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  stop.join();
}

TEST_F(HttpServerTest, AStreamIsSentAsItComes) {
  auto stream = Stream();
  Client client(server_->address());
  client.Send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadThrough("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  stream->Give("one;");
  EXPECT_EQ(client.ReadThrough(";\r\n"), "4\r\none;\r\n");
  stream->Give(std::string(20, 'x') + ";");
  EXPECT_THAT(client.ReadThrough(";\r\n"), StartsWith("15\r\nxxxx"));
  stream->Give("");
  EXPECT_EQ(client.ReadAll(), "0\r\n\r\n");
  stream.reset();
  gone_.WaitForNotification();
}

TEST_F(HttpServerTest, AnOldClientGetsAStreamWithoutChunks) {
  auto stream = Stream();
  Client client(server_->address());
  client.Send("GET /stream HTTP/1.0\r\n\r\n");
  client.ReadThrough("\r\n\r\n");
  stream->Give("one;");
  stream->Give("");
  EXPECT_EQ(client.ReadAll(), "one;");
}

TEST_F(HttpServerTest, AStreamGoesWithItsClient) {
  Stream();
  {
    Client client(server_->address());
    client.Send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadThrough("\r\n\r\n");
  }
  gone_.WaitForNotification();
}

TEST_F(HttpServerTest, StopEndsStreams) {
  Stream();
  Client client(server_->address());
  client.Send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadThrough("\r\n\r\n");
  server_->Stop();
  EXPECT_EQ(client.ReadAll(), "");
  gone_.WaitForNotification();
}

TEST_F(HttpServerTest, EveryAnswerTellsBrowsersToTrustNothingElse) {
  for (const char* request : {"GET /x HTTP/1.1\r\nHost: h\r\n\r\n", "nonsense\r\n\r\n"}) {
    Client client(server_->address());
    client.Send(request);
    const std::string head = client.ReadThrough("\r\n\r\n");
    EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(head, HasSubstr("Content-Security-Policy: default-src 'none'; "));
    EXPECT_THAT(head, HasSubstr("frame-ancestors 'none'\r\n"));
    EXPECT_THAT(head, HasSubstr("Referrer-Policy: no-referrer\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("unsafe-inline")));
    EXPECT_THAT(head, Not(HasSubstr("Access-Control-")));
  }
}

TEST_F(HttpServerTest, AnAddressThatIsTakenOrUnreadableIsAnError) {
  const auto second = MakeHttpServer({.listen = server_->address()}, &SystemClock(), &metrics_,
                                     [](HttpRequest, HttpReply) {});
  EXPECT_TRUE(absl::IsUnavailable(second->Start()));
  for (const char* bad : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999"}) {
    const auto server =
        MakeHttpServer({.listen = bad}, &SystemClock(), &metrics_, [](HttpRequest, HttpReply) {});
    EXPECT_TRUE(absl::IsInvalidArgument(server->Start())) << bad;
  }
}

}  // namespace
}  // namespace jaque::ui
