// SPDX-License-Identifier: Apache-2.0
#include "ui/request_checks.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/limits.h"
#include "boost/asio/ip/address.hpp"
#include "fmt/format.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

// A request has one of these. A proxy may believe the first and we the second.
constexpr std::string_view kSingular[] = {
    "Authorization", "Content-Encoding", "Content-Length",    "Content-Type", "Host",
    "If-Match",      "Idempotency-Key",  "Transfer-Encoding", "Origin"};

// What a form, or a script without asking first, may send from another site.
constexpr std::string_view kFormTypes[] = {"text/plain", "application/x-www-form-urlencoded",
                                           "multipart/form-data"};

std::optional<HttpResponse> CheckHeaders(const HttpRequest& request) {
  if (request.headers.size() > limits::kRequestHeaderLines) {
    return ProblemResponse(
        431, fmt::format("a request may have {} headers", limits::kRequestHeaderLines));
  }
  for (const std::string_view name : kSingular) {
    const auto count =
        std::count_if(request.headers.begin(), request.headers.end(), [name](const auto& header) {
          return absl::EqualsIgnoreCase(header.first, std::string(name));
        });
    if (count > 1) return ProblemResponse(400, fmt::format("the header {} stands twice", name));
  }
  return std::nullopt;
}

// Segments mean themselves: nothing that a proxy, or a reader of the log, may take for another
// path.
std::optional<HttpResponse> CheckPath(const std::string& path) {
  if (path.empty() || path.front() != '/') return ProblemResponse(400, "the path begins with no /");
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    std::string segment;
    if (!PercentDecode(std::string_view(part.data(), part.size()), false, &segment)) {
      return ProblemResponse(400, "the path has a broken % escape");
    }
    const bool special = std::any_of(segment.begin(), segment.end(), [](char c) {
      return c == '/' || c == '\\' || absl::ascii_iscntrl(static_cast<unsigned char>(c));
    });
    if (special || segment == "." || segment == "..") {
      return ProblemResponse(400, "a segment of the path is . or .., or has a slash in it");
    }
  }
  return std::nullopt;
}

// "host:8080", "[::1]:8080" and "host" without their port.
std::string HostName(std::string_view authority) {
  if (!authority.empty() && authority.front() == '[') {
    const size_t end = std::min(authority.find(']'), authority.size());
    return std::string(authority.substr(1, end - 1));
  }
  return std::string(authority.substr(0, authority.find(':')));
}

std::optional<HttpResponse> CheckHost(const HttpRequest& request) {
  const std::string name = HostName(request.Header("Host"));
  if (name.empty() || name == "localhost") return std::nullopt;
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);
  if (!no_address) return std::nullopt;
  return ProblemResponse(
      403, fmt::format("this server listens on loopback without authentication, so it answers to "
                       "localhost or its address, not to {}",
                       name));
}

// A page of another site may make a browser send us a write: definitions can run shell commands, so
// such a request is refused. Browsers name the page in Origin.
std::optional<HttpResponse> CheckSite(const HttpRequest& request) {
  const std::string_view origin = request.Header("Origin");
  const size_t scheme = origin.find("://");
  const bool same_site = origin.empty() || (scheme != std::string_view::npos &&
                                            origin.substr(scheme + 3) == request.Header("Host"));
  const std::string_view site = request.Header("Sec-Fetch-Site");
  if (same_site && (site.empty() || site == "same-origin" || site == "none")) return std::nullopt;
  return ProblemResponse(
      403, fmt::format("a page of {} may not do this", origin.empty() ? "another site" : origin));
}

std::optional<HttpResponse> CheckContentType(const HttpRequest& request) {
  if (!request.Header("Authorization").empty()) return std::nullopt;
  const std::string_view header = request.Header("Content-Type");
  const std::string type = absl::AsciiStrToLower(std::string(header.substr(0, header.find(';'))));
  const std::string plain(absl::StripAsciiWhitespace(type));
  if (std::find(std::begin(kFormTypes), std::end(kFormTypes), plain) == std::end(kFormTypes)) {
    return std::nullopt;
  }
  return ProblemResponse(415, fmt::format("{} may come from a form of another site: send "
                                          "\"Content-Type: application/json\" (curl --json), or "
                                          "application/yaml",
                                          plain));
}

}  // namespace

std::optional<HttpResponse> CheckRequest(const HttpRequest& request, bool has_host_name) {
  if (auto refused = CheckHeaders(request)) return refused;
  if (auto refused = CheckPath(request.path)) return refused;
  if (!has_host_name) {
    if (auto refused = CheckHost(request)) return refused;
  }
  if (request.method == "GET") return std::nullopt;
  if (auto refused = CheckSite(request)) return refused;
  return CheckContentType(request);
}

}  // namespace jaque::ui
