// SPDX-License-Identifier: Apache-2.0
#include "ui/http_connection.h"

#include <utility>

#include "base/limits.h"
#include "boost/asio/post.hpp"
#include "boost/asio/write.hpp"
#include "fmt/format.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

namespace http = boost::beast::http;

HttpRequest ToRequest(http::request<http::string_body> message) {
  HttpRequest request;
  request.method = std::string(message.method_string());
  if (request.method == "HEAD") request.method = "GET";
  const std::string_view target(message.target().data(), message.target().size());
  const size_t question = std::min(target.find('?'), target.size());
  request.path = std::string(target.substr(0, question));
  if (question < target.size()) request.query = std::string(target.substr(question + 1));
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

// Browsers come back with TLS only, for a year.
constexpr char kStrictTransport[] = "Strict-Transport-Security: max-age=31536000\r\n";

// The answer as bytes, without a body that comes in pieces. A HEAD gets the head of what a GET
// would get.
std::string Serialize(const HttpResponse& response, bool keep_alive, bool head, bool chunks,
                      bool tls) {
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  out.reserve(out.size() + response.body.size() + 256);
  if (!response.content_type.empty()) {
    out += "Content-Type: ";
    out += response.content_type;
    out += "\r\n";
  }
  if (response.stream == nullptr) {
    out += fmt::format("Content-Length: {}\r\n", response.body.size());
  } else if (chunks) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  for (const auto& [name, value] : response.headers) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  out += SecurityHeaders();
  if (tls) out += kStrictTransport;
  out += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  if (!head) out += response.body;
  return out;
}

}  // namespace

HttpConnection::HttpConnection(boost::asio::ip::tcp::socket socket, HttpTransport::TlsContext tls,
                               std::shared_ptr<HttpShared> shared)
    : stream_(std::move(socket), std::move(tls)), shared_(std::move(shared)) {
  shared_->metrics->http_connections.Increment();
}

HttpConnection::~HttpConnection() { shared_->metrics->http_connections.Decrement(); }

void HttpConnection::Start() {
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->stream_.has_tls() ? self->ShakeHands() : self->ReadHeader();
  });
}

void HttpConnection::ShakeHands() {
  reading_ = true;
  stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
  stream_.async_handshake([self = shared_from_this()](Error error) {
    if (error) return self->CloseNow();
    self->ReadHeader();
  });
}

void HttpConnection::Drain() {
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->draining_ = true;
    if (self->reading_ || self->body_ != nullptr) self->CloseNow();
  });
}

void HttpConnection::Close() {
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] { self->CloseNow(); });
}

void HttpConnection::ReadHeader() {
  if (draining_) return CloseNow();
  parser_.emplace();
  parser_->header_limit(limits::kRequestHeaderBytes);
  parser_->body_limit(limits::kRequestBytes);
  reading_ = true;
  // A request that has begun must end soon; one that has not may take its time.
  stream_.expires_after(
      std::chrono::seconds(buffer_.size() > 0 ? limits::kRequestSeconds : limits::kIdleSeconds));
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Error error, size_t) { self->OnHeader(error); });
}

void HttpConnection::OnHeader(Error error) {
  if (error) return Refuse(error);
  const auto& message = parser_->get();
  if (message.version() != 11 && message.version() != 10) return Refuse(http::error::bad_version);
  head_ = message.method() == http::verb::head;
  keep_alive_ = message.keep_alive();
  chunks_ = message.version() == 11;
  if (parser_->is_done()) return Handle();
  if (boost::beast::iequals(message[http::field::expect], "100-continue")) return SendContinue();
  ReadBody();
}

void HttpConnection::SendContinue() {
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
  boost::asio::async_write(stream_, boost::asio::buffer(out_),
                           [self = shared_from_this()](Error error, size_t) {
                             if (error) return self->CloseNow();
                             self->ReadBody();
                           });
}

void HttpConnection::ReadBody() {
  stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
  http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, size_t) {
    if (error) return self->Refuse(error);
    self->Handle();
  });
}

void HttpConnection::Handle() {
  reading_ = false;
  began_ = shared_->clock->Monotonic();
  stream_.expires_never();
  HttpRequest request = ToRequest(parser_->release());
  Error gone;
  request.peer = stream_.socket().remote_endpoint(gone).address().to_string();
  // Gives the connection up when called, so that a reply which is kept longer keeps nothing alive.
  shared_->handler(std::move(request), [self = shared_from_this()](HttpResponse response) mutable {
    HttpConnection& connection = *self;
    boost::asio::post(
        connection.stream_.get_executor(),
        [self = std::move(self), response = std::move(response)] { self->Write(response); });
  });
}

void HttpConnection::Write(const HttpResponse& response) {
  shared_->metrics->CountHttpRequest(response.status, shared_->clock->Monotonic() - began_);
  keep_alive_ = keep_alive_ && !draining_ && response.stream == nullptr;
  out_ = Serialize(response, keep_alive_, head_, chunks_, stream_.has_tls());
  if (response.stream != nullptr && !head_ && !draining_) {
    body_ = response.stream;
    WatchClient();
  }
  stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
  boost::asio::async_write(
      stream_, boost::asio::buffer(out_),
      [self = shared_from_this()](Error error, size_t) { self->OnWritten(error); });
}

void HttpConnection::OnWritten(Error error) {
  if (!error && refused_) {
    Error ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
    return Linger();
  }
  if (!error && body_ != nullptr) return AwaitPiece();
  if (error || !keep_alive_) return CloseNow();
  ReadHeader();
}

void HttpConnection::AwaitPiece() {
  body_->Next([self = shared_from_this()](std::string piece) mutable {
    HttpConnection& connection = *self;
    boost::asio::post(
        connection.stream_.get_executor(),
        [self = std::move(self), piece = std::move(piece)] { self->WritePiece(piece); });
  });
}

void HttpConnection::WritePiece(const std::string& piece) {
  if (body_ == nullptr) return;  // the client went meanwhile
  if (piece.empty()) body_.reset();
  out_ = chunks_ ? fmt::format("{:x}\r\n{}\r\n", piece.size(), piece) : piece;
  stream_.expires_after(std::chrono::seconds(limits::kRequestSeconds));
  boost::asio::async_write(
      stream_, boost::asio::buffer(out_),
      [self = shared_from_this()](Error error, size_t) { self->OnWritten(error); });
}

// Nothing is expected from a client that is being sent a body but its end. What it sends all the
// same is not read as a request.
void HttpConnection::WatchClient() {
  buffer_.clear();
  stream_.expires_never();
  stream_.async_read_some(buffer_.prepare(1 << 10),
                          [self = shared_from_this()](Error error, size_t size) {
                            self->lingered_ += size;
                            if (error || self->lingered_ > limits::kRequestBytes)
                              return self->CloseNow();
                            self->WatchClient();
                          });
}

void HttpConnection::Linger() {
  buffer_.clear();
  stream_.async_read_some(
      buffer_.prepare(64 << 10), [self = shared_from_this()](Error error, size_t size) {
        self->lingered_ += size;
        if (error || self->draining_ || self->lingered_ > 16 * limits::kRequestBytes) {
          return self->CloseNow();
        }
        self->Linger();
      });
}

void HttpConnection::Refuse(Error error) {
  if (error == http::error::end_of_stream || error == boost::asio::error::operation_aborted ||
      error == boost::asio::error::connection_reset) {
    return CloseNow();
  }
  reading_ = false;
  keep_alive_ = false;
  refused_ = true;
  began_ = shared_->clock->Monotonic();
  if (error == http::error::body_limit) {
    return Write(ProblemResponse(
        413, fmt::format("a request's body may be {} bytes long", limits::kRequestBytes)));
  }
  if (error == http::error::header_limit) {
    return Write(ProblemResponse(
        431, fmt::format("a request's head may be {} bytes long", limits::kRequestHeaderBytes)));
  }
  // A timeout has closed the socket already: nobody is there to be told.
  if (error == boost::beast::error::timeout || error.category() == boost::system::system_category())
    return CloseNow();
  Write(ProblemResponse(400, "this is not HTTP/1.1: " + error.message()));
}

void HttpConnection::CloseNow() {
  body_.reset();
  Error ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.close();
}

}  // namespace jaque::ui
