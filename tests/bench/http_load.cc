// SPDX-License-Identifier: Apache-2.0
// The load generator of `make bench`.
//   jaque_load drive HOST:PORT PATH BODY CALLERS SECONDS
//       asks, each caller one request after another; prints one line of JSON: requests, failed,
//       seconds, p50_us, p99_us
//   jaque_load serve
//       answers at once; prints its address, ends with standard input
// A request counts if it is answered 200 and, where it starts a workflow, with "completed".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "boost/asio/connect.hpp"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/read.hpp"
#include "boost/asio/read_until.hpp"
#include "boost/asio/write.hpp"
#include "ui/http_server.h"

namespace jaque {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Load {
  asio::io_context io;
  std::string request;
  absl::Duration end;
  std::vector<double> micros;
  size_t failed = 0;
};

class Caller {
 public:
  Caller(Load* load, const tcp::resolver::results_type& address) : load_(load), socket_(load->io) {
    asio::connect(socket_, address);
    socket_.set_option(tcp::no_delay(true));
  }

  void Ask() {
    began_ = SystemClock().Monotonic();
    if (began_ >= load_->end) return;
    asio::async_write(socket_, asio::buffer(load_->request),
                      [this](boost::system::error_code error, size_t) {
                        if (error) return Fail();
                        ReadHead();
                      });
  }

 private:
  void ReadHead() {
    asio::async_read_until(socket_, asio::dynamic_buffer(buffer_), "\r\n\r\n",
                           [this](boost::system::error_code error, size_t size) {
                             if (error) return Fail();
                             ReadBody(size);
                           });
  }

  void ReadBody(size_t head) {
    const size_t at = buffer_.find("Content-Length: ");
    if (at == std::string::npos || at > head) return Fail();
    const size_t whole = head + std::strtoul(buffer_.c_str() + at + 16, nullptr, 10);
    const size_t missing = whole > buffer_.size() ? whole - buffer_.size() : 0;
    asio::async_read(socket_, asio::dynamic_buffer(buffer_), asio::transfer_exactly(missing),
                     [this, whole](boost::system::error_code error, size_t) {
                       if (error) return Fail();
                       Count();
                       buffer_.erase(0, whole);
                       Ask();
                     });
  }

  void Count() {
    const bool good = buffer_.rfind("HTTP/1.1 200 ", 0) == 0 &&
                      (buffer_.find("\"status\":") == std::string::npos ||
                       buffer_.find("\"status\":\"completed\"") != std::string::npos);
    if (!good && load_->failed++ == 0) std::cerr << buffer_ << "\n";
    load_->micros.push_back(absl::ToDoubleMicroseconds(SystemClock().Monotonic() - began_));
  }

  void Fail() { ++load_->failed; }

  Load* const load_;
  tcp::socket socket_;
  std::string buffer_;
  absl::Duration began_;
};

int Drive(char** arguments) {
  const std::string address = arguments[0], path = arguments[1], body = arguments[2];
  const int callers = std::atoi(arguments[3]);
  const double seconds = std::atof(arguments[4]);
  Load load;
  load.request = (body.empty() ? "GET " : "POST ") + path + " HTTP/1.1\r\nHost: " + address +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const size_t colon = address.rfind(':');
  const auto resolved =
      tcp::resolver(load.io).resolve(address.substr(0, colon), address.substr(colon + 1));
  std::vector<std::unique_ptr<Caller>> all;
  for (int i = 0; i < callers; ++i) all.push_back(std::make_unique<Caller>(&load, resolved));
  const absl::Duration began = SystemClock().Monotonic();
  load.end = began + absl::Seconds(seconds);
  for (auto& caller : all) caller->Ask();
  load.io.run();
  const double took = absl::ToDoubleSeconds(SystemClock().Monotonic() - began);
  std::sort(load.micros.begin(), load.micros.end());
  const auto percentile = [&load](double part) {
    return load.micros.empty() ? 0.0
                               : load.micros[static_cast<size_t>(
                                     part * static_cast<double>(load.micros.size() - 1))];
  };
  std::printf(
      "{\"requests\": %zu, \"failed\": %zu, \"seconds\": %.3f, \"p50_us\": %.0f, "
      "\"p99_us\": %.0f}\n",
      load.micros.size(), load.failed, took, percentile(0.5), percentile(0.99));
  return load.failed == 0 ? 0 : 1;
}

int Serve() {
  Metrics metrics;
  const auto server = ui::MakeHttpServer({.listen = "127.0.0.1:0"}, &SystemClock(), &metrics,
                                         [](ui::HttpRequest, ui::HttpReply reply) {
                                           ui::HttpResponse response;
                                           response.body = "{\"id\":1,\"name\":\"rex\"}";
                                           reply(std::move(response));
                                         });
  if (!server->Start().ok()) return 1;
  std::cout << server->address() << std::endl;
  while (std::cin.get() != EOF) {
  }
  server->Stop();
  return 0;
}

}  // namespace
}  // namespace jaque

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "serve") return jaque::Serve();
  if (command == "drive" && argc == 7) return jaque::Drive(argv + 2);
  std::cerr << "usage: jaque_load drive HOST:PORT PATH BODY CALLERS SECONDS | serve\n";
  return 2;
}
