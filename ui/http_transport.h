// SPDX-License-Identifier: Apache-2.0
// The stream below a connection: TCP, with TLS on it or without. What Asio and Beast ask of an
// asynchronous stream, so that the connection is the same code for both. On the connection's
// strand.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/ssl/context.hpp"
#include "boost/asio/ssl/stream.hpp"
#include "boost/beast/core/tcp_stream.hpp"

namespace jaque::ui {

class HttpTransport {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;
  using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

  // `tls` is null for a stream without; the connection keeps its context when another comes.
  HttpTransport(boost::asio::ip::tcp::socket socket, TlsContext tls)
      : tcp_(std::move(socket)), context_(std::move(tls)) {
    if (context_ != nullptr) tls_ = std::make_unique<Tls>(tcp_, *context_);
  }

  bool has_tls() const { return tls_ != nullptr; }
  executor_type get_executor() noexcept { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  void expires_after(std::chrono::seconds time) { tcp_.expires_after(time); }
  void expires_never() { tcp_.expires_never(); }
  void close() { tcp_.close(); }

  // Only with TLS.
  template <typename Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(Tls::server, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_ != nullptr) return tls_->async_read_some(buffers, std::forward<Handler>(handler));
    tcp_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_ != nullptr) return tls_->async_write_some(buffers, std::forward<Handler>(handler));
    tcp_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  using Tls = boost::asio::ssl::stream<boost::beast::tcp_stream&>;

  boost::beast::tcp_stream tcp_;
  const TlsContext context_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace jaque::ui
