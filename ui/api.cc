// SPDX-License-Identifier: Apache-2.0
#include "ui/api.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "boost/asio/ip/address.hpp"
#include "boost/asio/thread_pool.hpp"
#include "fmt/format.h"
#include "ui/definitions_api.h"
#include "ui/events_api.h"
#include "ui/instances_api.h"
#include "ui/openapi.h"
#include "ui/problem.h"
#include "ui/routes.h"

namespace jaque::ui {
namespace {

// "host:8080", "[::1]:8080" and "host" without their port.
std::string HostName(std::string_view authority) {
  if (!authority.empty() && authority.front() == '[') {
    const size_t end = std::min(authority.find(']'), authority.size());
    return std::string(authority.substr(1, end - 1));
  }
  return std::string(authority.substr(0, authority.find(':')));
}

// A page of another site may make a browser post to us: definitions can run shell commands, so such
// a request is refused. Browsers name the page in Origin; a site that points its own name at our
// address has a name there, which is why on loopback only an address or "localhost" is taken.
std::optional<HttpResponse> CheckOrigin(const HttpRequest& request, bool has_host_name) {
  const std::string_view origin = request.Header("Origin");
  if (origin.empty() || request.method == "GET") return std::nullopt;
  const std::string_view host = request.Header("Host");
  const size_t scheme = origin.find("://");
  const bool same_site = scheme != std::string_view::npos && origin.substr(scheme + 3) == host;
  boost::system::error_code no_address;
  const std::string name = HostName(host);
  boost::asio::ip::make_address(name, no_address);
  if (same_site && (has_host_name || !no_address || name == "localhost")) return std::nullopt;
  return ProblemResponse(403, fmt::format("a page of {} may not do this", origin));
}

HttpResponse Text(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

class ApiImpl final : public Api {
 public:
  explicit ApiImpl(const ApiParts& parts) : parts_(parts) {
    AddHealthRoutes();
    if (parts_.operations_only) return;
    AddDefinitionRoutes(parts_, &loader_, &routes_);
    AddInstanceRoutes(parts_, &routes_);
    AddEventRoutes(parts_, &routes_);
    AddOpenApiRoutes(&routes_);
  }
  ~ApiImpl() override { loader_.join(); }

  void Serve(HttpRequest request, HttpReply reply) override {
    if (auto refused = CheckOrigin(request, parts_.has_host_name))
      return reply(*std::move(refused));
    const bool needs_engine =
        request.method != "GET" || request.path.find("/instances/") != std::string::npos;
    if (parts_.writable && needs_engine) {
      const absl::Status writable = parts_.writable();
      if (!writable.ok()) return reply(ProblemOfStatus(writable));
    }
    routes_.Dispatch(std::move(request), std::move(reply));
  }

 private:
  void AddHealthRoutes() {
    routes_.Add("GET", "/healthz", {}, [](Call call) { call.reply(Text(200, "ok\n")); });
    routes_.Add("GET", "/readyz", {}, [this](Call call) {
      const absl::Status ready = parts_.ready ? parts_.ready() : absl::OkStatus();
      if (!ready.ok()) return call.reply(ProblemResponse(503, std::string(ready.message())));
      call.reply(Text(200, "ready\n"));
    });
    routes_.Add("GET", "/metrics", {}, [this](Call call) {
      HttpResponse response = Text(200, parts_.metrics->Text());
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      call.reply(std::move(response));
    });
  }

  const ApiParts parts_;
  boost::asio::thread_pool loader_{1};
  Routes routes_;
};

}  // namespace

std::unique_ptr<Api> MakeApi(const ApiParts& parts) { return std::make_unique<ApiImpl>(parts); }

}  // namespace jaque::ui
