// SPDX-License-Identifier: Apache-2.0
#include "ui/routes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

constexpr std::string_view kAny = "{}";

// "/a/b" as {"a", "b"}, decoded; nullopt where an escape is broken.
std::optional<std::vector<std::string>> Split(std::string_view path) {
  std::vector<std::string> segments;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    std::string segment;
    if (!PercentDecode(path.substr(0, slash), false, &segment)) return std::nullopt;
    segments.push_back(std::move(segment));
    if (slash == path.size()) return segments;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

const std::string* Call::Parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Routes::Add(std::string method, std::string_view pattern, Access access,
                 std::vector<std::string> parameters, Handler handler) {
  std::vector<std::string> segments = *Split(pattern);
  for (std::string& segment : segments) {
    if (!segment.empty() && segment.front() == '{') segment = kAny;
  }
  routes_.push_back({std::move(method), std::string(pattern), std::move(segments), access,
                     std::move(parameters), std::move(handler)});
}

std::vector<std::pair<std::string, std::vector<std::string>>> Routes::List() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> list;
  for (const Route& route : routes_) {
    list.emplace_back(route.method + " " + route.pattern, route.parameters);
  }
  return list;
}

bool Routes::Matches(const Route& route, const std::vector<std::string>& segments) {
  return std::equal(route.segments.begin(), route.segments.end(), segments.begin(), segments.end(),
                    [](const std::string& pattern, const std::string& segment) {
                      return pattern == kAny ? !segment.empty() : pattern == segment;
                    });
}

std::optional<HttpResponse> Routes::ReadQuery(const Route& route, Call* call) {
  if (!ParseQuery(call->request.query, &call->query)) {
    return ProblemResponse(400, "the query has a broken % escape");
  }
  std::set<std::string_view> seen;
  for (const auto& [name, value] : call->query) {
    const auto known = [&route](const std::string& parameter) {
      return std::find(route.parameters.begin(), route.parameters.end(), parameter) !=
             route.parameters.end();
    };
    const bool many = known(name + "*");
    if (!many && !known(name)) {
      return ProblemResponse(
          400, route.parameters.empty()
                   ? fmt::format("unknown parameter \"{}\": there are none here", name)
                   : fmt::format("unknown parameter \"{}\": there are {}", name,
                                 fmt::join(route.parameters, ", ")));
    }
    if (!seen.insert(name).second && !many) {
      return ProblemResponse(400, fmt::format("parameter \"{}\" stands twice", name));
    }
  }
  return std::nullopt;
}

void Routes::Dispatch(HttpRequest request, HttpReply reply) const {
  const std::optional<std::vector<std::string>> segments = Split(request.path);
  if (!segments) return reply(ProblemResponse(400, "the path has a broken % escape"));
  std::set<std::string> allowed;
  for (const Route& route : routes_) {
    if (!Matches(route, *segments)) continue;
    if (route.method != request.method) {
      allowed.insert(route.method);
      continue;
    }
    Call call;
    call.request = std::move(request);
    call.reply = std::move(reply);
    if (auto refused = ReadQuery(route, &call)) return call.reply(*std::move(refused));
    for (size_t i = 0; i < segments->size(); ++i) {
      if (route.segments[i] == kAny) call.path.push_back((*segments)[i]);
    }
    return gate_(route.access, std::move(call), route.handler);
  }
  if (allowed.empty()) {
    return reply(ProblemResponse(404, fmt::format("there is nothing at {}", request.path)));
  }
  HttpResponse response =
      ProblemResponse(405, fmt::format("{} is not possible at {}", request.method, request.path));
  response.headers.emplace_back("Allow", fmt::format("{}", fmt::join(allowed, ", ")));
  reply(std::move(response));
}

}  // namespace jaque::ui
