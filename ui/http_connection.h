// SPDX-License-Identifier: Apache-2.0
// One client of the HTTP server: reads a request, has it answered, writes the answer, reads the
// next. One request is in hand at a time, so answers keep the order of pipelined requests.
// Everything runs on the connection's strand except the reply, which posts to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/beast/core.hpp"
#include "boost/beast/http.hpp"
#include "ui/http.h"
#include "ui/http_transport.h"

namespace jaque::ui {

// What the connections of a server share. Lives as long as one of them: an answer may come after
// the server has gone.
struct HttpShared {
  HttpShared(const Clock* clock, Metrics* metrics, HttpHandler handler)
      : clock(clock), metrics(metrics), handler(std::move(handler)) {}

  const Clock* const clock;
  Metrics* const metrics;
  const HttpHandler handler;
  boost::asio::io_context io;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // `tls` may be null.
  HttpConnection(boost::asio::ip::tcp::socket socket, HttpTransport::TlsContext tls,
                 std::shared_ptr<HttpShared> shared);
  ~HttpConnection();

  void Start();
  // Ends the connection once its request in hand, if any, is answered. Any thread.
  void Drain();
  // Ends it now. Any thread.
  void Close();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Error = boost::beast::error_code;

  void ShakeHands();
  void ReadHeader();
  void OnHeader(Error error);
  void SendContinue();
  void ReadBody();
  void OnBody(Error error);
  void Handle();
  void Write(const HttpResponse& response);
  void OnWritten(Error error);
  // A body that comes in pieces: the next of them is awaited, and the end of the client with it.
  void AwaitPiece();
  void WritePiece(const std::string& piece);
  void WatchClient();
  // Answers a request that could not be read, then ends the connection.
  void Refuse(Error error);
  // Takes what the client still sends, for a while: closing with unread bytes would make its system
  // drop our answer.
  void Linger();
  void CloseNow();

  HttpTransport stream_;
  const std::shared_ptr<HttpShared> shared_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string out_;
  std::shared_ptr<HttpStream> body_;  // of the answer that is being written
  absl::Duration began_;
  bool head_ = false;        // the request in hand is a HEAD
  bool chunks_ = false;      // its client knows chunks
  bool keep_alive_ = false;  // the client wants to go on after the request in hand
  bool reading_ = false;     // waiting for a request's first byte or reading it
  bool draining_ = false;
  bool refused_ = false;  // what comes after the answer is not read as requests
  size_t lingered_ = 0;   // bytes
};

}  // namespace jaque::ui
