// SPDX-License-Identifier: Apache-2.0
#include "ui/http_server.h"

#include <algorithm>
#include <charconv>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/steady_timer.hpp"
#include "boost/asio/strand.hpp"
#include "fmt/format.h"
#include "ui/http_connection.h"

namespace jaque::ui {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// "host:port", ":port" (every address) or "[v6]:port".
absl::StatusOr<tcp::endpoint> ParseListen(asio::io_context* io, const std::string& text) {
  const size_t colon = text.rfind(':');
  uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const char* const digits = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto [stop, bad] = std::from_chars(digits, end, port);
  if (bad != std::errc() || stop != end) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no address to listen on: write host:port", text));
  }
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host.empty()) return tcp::endpoint(tcp::v6(), port);
  boost::system::error_code error;
  const auto found = tcp::resolver(*io).resolve(host, "", error);
  if (error || found.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("cannot listen on \"{}\": {}", text, error.message()));
  }
  return tcp::endpoint(found.begin()->endpoint().address(), port);
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, const Clock* clock, Metrics* metrics,
              HttpHandler handler)
      : options_(options),
        shared_(std::make_shared<HttpShared>(clock, metrics, std::move(handler))),
        acceptor_(asio::make_strand(shared_->io)),
        pause_(acceptor_.get_executor()),
        drained_(acceptor_.get_executor()) {}

  ~BeastServer() override { Stop(); }

  absl::Status Start() override {
    ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseListen(&shared_->io, options_.listen));
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return absl::UnavailableError(
          fmt::format("cannot listen on {}: {}", options_.listen, error.message()));
    }
    const tcp::endpoint local = acceptor_.local_endpoint();
    address_ = local.address().is_v6()
                   ? fmt::format("[{}]:{}", local.address().to_string(), local.port())
                   : fmt::format("{}:{}", local.address().to_string(), local.port());
    Accept();
    for (int i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { shared_->io.run(); });
    }
    return absl::OkStatus();
  }

  void Stop() override {
    if (threads_.empty()) return;
    asio::post(acceptor_.get_executor(), [this] { Drain(); });
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::string address() const override { return address_; }

 private:
  using Connections = std::list<std::weak_ptr<HttpConnection>>;

  void Accept() {
    acceptor_.async_accept(asio::make_strand(shared_->io),
                           [this](boost::system::error_code error, tcp::socket socket) {
                             OnAccept(error, std::move(socket));
                           });
  }

  void OnAccept(boost::system::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      // Out of file handles, most likely: wait for some to come back.
      LogWarn("cannot accept a connection", {{"why", error.message()}});
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](boost::system::error_code cut) {
        if (!cut) Accept();
      });
      return;
    }
    if (connections_.size() >= forget_at_) ForgetClosed();
    if (connections_.size() < limits::kHttpConnections) {
      boost::system::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      auto connection = std::make_shared<HttpConnection>(
          std::move(socket), options_.tls != nullptr ? options_.tls->Current() : nullptr, shared_);
      connections_.push_back(connection);
      connection->Start();
    }
    Accept();
  }

  void ForgetClosed() {
    connections_.remove_if([](const auto& connection) { return connection.expired(); });
    forget_at_ = std::min(std::max<size_t>(64, 2 * connections_.size()), limits::kHttpConnections);
  }

  // The threads end by themselves when the last connection has gone.
  void Drain() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& weak : connections_) {
      if (auto connection = weak.lock()) connection->Drain();
    }
    WaitForConnections(limits::kDrainSeconds * 20);
  }

  void WaitForConnections(int rounds) {
    ForgetClosed();
    if (connections_.empty()) return;
    if (rounds == 0) {
      for (const auto& weak : connections_) {
        if (auto connection = weak.lock()) connection->Close();
      }
      // Handlers that never answered still hold their connections; nobody waits for them any more.
      return shared_->io.stop();
    }
    drained_.expires_after(std::chrono::milliseconds(50));
    drained_.async_wait(
        [this, rounds](boost::system::error_code) { WaitForConnections(rounds - 1); });
  }

  const HttpServerOptions options_;
  const std::shared_ptr<HttpShared> shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_, drained_;
  Connections connections_;  // on the acceptor's strand
  size_t forget_at_ = 64;    // this many entries are worth looking for closed ones among them
  std::vector<std::thread> threads_;
  std::string address_;
};

}  // namespace

std::unique_ptr<HttpServer> MakeHttpServer(const HttpServerOptions& options, const Clock* clock,
                                           Metrics* metrics, HttpHandler handler) {
  return std::make_unique<BeastServer>(options, clock, metrics, std::move(handler));
}

}  // namespace jaque::ui
