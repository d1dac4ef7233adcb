// SPDX-License-Identifier: Apache-2.0
#include "tests/support/http_server.h"

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <mutex>
#include <set>
#include <thread>

namespace jaque::testing {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

TestRequest Convert(const http::request<http::string_body>& request) {
  TestRequest converted;
  converted.method = std::string(request.method_string());
  converted.target = std::string(request.target());
  converted.body = request.body();
  for (const auto& field : request) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    converted.headers[name] = std::string(field.value());
  }
  return converted;
}

}  // namespace

class TestHttpServer::Impl {
 public:
  Impl(Handler handler, const Tls* tls)
      : handler_(std::move(handler)), acceptor_(io_, Tcp::endpoint(Tcp::v4(), 0)) {
    if (tls != nullptr) {
      tls_ = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
      tls_->use_certificate_chain_file(tls->certificate_file);
      tls_->use_private_key_file(tls->key_file, asio::ssl::context::pem);
    }
    port_ = acceptor_.local_endpoint().port();
    accepting_ = std::thread([this] { Accept(); });
  }

  ~Impl() {
    stopping_ = true;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    accepting_.join();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  void Accept() {
    while (!stopping_) {
      Tcp::socket socket(io_);
      beast::error_code error;
      acceptor_.accept(socket, error);
      if (error || stopping_) continue;
      socket.set_option(Tcp::no_delay(true), error);
      const int number = ++connections_;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        open_.insert(socket.native_handle());
      }
      threads_.emplace_back([this, number, moved = std::move(socket)]() mutable {
        const int fd = moved.native_handle();
        if (tls_ == nullptr) {
          Serve(moved, fd, number);
        } else {
          beast::ssl_stream<Tcp::socket&> stream(moved, *tls_);
          beast::error_code failed;
          stream.handshake(asio::ssl::stream_base::server, failed);
          if (!failed) Serve(stream, fd, number);
        }
        std::lock_guard<std::mutex> lock(mutex_);
        open_.erase(fd);
        beast::error_code ignored;
        moved.close(ignored);
      });
    }
  }

  template <typename Stream>
  void Serve(Stream& stream, int fd, int number) {
    beast::flat_buffer buffer;
    bool keep = true;
    while (keep && !stopping_) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(64 << 20);
      beast::error_code error;
      http::read(stream, buffer, parser, error);
      if (error) return;
      ++requests_;
      TestRequest request = Convert(parser.get());
      request.connection = number;
      request.wait_closed = [fd] {
        char bytes[256];
        while (::recv(fd, bytes, sizeof bytes, 0) > 0) {
        }
      };
      keep = Answer(stream, handler_(request), parser.get().keep_alive(), request.method);
    }
  }

  template <typename Stream>
  bool Answer(Stream& stream, const TestResponse& answer, bool keep_alive,
              const std::string& method) {
    beast::error_code error;
    if (answer.raw) {
      answer.raw([&](std::string_view bytes) {
        asio::write(stream, asio::buffer(bytes.data(), bytes.size()), error);
        return !error;
      });
      return false;
    }
    http::response<http::string_body> response;
    response.result(static_cast<unsigned>(answer.status));
    response.keep_alive(keep_alive);
    for (const auto& [name, value] : answer.headers) response.insert(name, value);
    if (!answer.content_type.empty()) response.set(http::field::content_type, answer.content_type);
    if (answer.status != 204 && answer.status != 304) {
      response.content_length(answer.body.size());
      if (method != "HEAD") response.body() = answer.body;
    }
    http::write(stream, response, error);
    return !error && keep_alive;
  }

  const Handler handler_;
  asio::io_context io_;
  std::unique_ptr<asio::ssl::context> tls_;
  Tcp::acceptor acceptor_;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> requests_{0}, connections_{0};
  std::mutex mutex_;
  std::set<int> open_;
  std::thread accepting_;
  std::vector<std::thread> threads_;  // of the accepting thread, until that is joined
};

TestHttpServer::TestHttpServer(Handler handler)
    : impl_(std::make_unique<Impl>(std::move(handler), nullptr)) {}
TestHttpServer::TestHttpServer(Handler handler, const Tls& tls)
    : impl_(std::make_unique<Impl>(std::move(handler), &tls)) {}
TestHttpServer::~TestHttpServer() = default;

int TestHttpServer::port() const { return impl_->port_; }
std::string TestHttpServer::Url(const std::string& path) const {
  return (impl_->tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port()) + path;
}
int TestHttpServer::requests() const { return impl_->requests_; }
int TestHttpServer::connections() const { return impl_->connections_; }

}  // namespace jaque::testing
