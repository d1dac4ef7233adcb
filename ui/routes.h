// SPDX-License-Identifier: Apache-2.0
// Which handler serves a method and a path, "/api/v1/instances/{id}/cancel", and what it asks of
// its caller: every route says so, and a gate lets calls through to the handlers. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/access.h"
#include "ui/http.h"

namespace jaque::ui {

// A request that found its route.
struct Call {
  HttpRequest request;
  std::vector<std::string> path;  // what the {} of the pattern stand for, decoded
  HttpHeaders query;              // only parameters that the route knows, each at most once
  HttpReply reply;
  Caller caller;  // who asks; the gate sets it

  const std::string* Parameter(std::string_view name) const;
};

class Routes {
 public:
  using Handler = std::function<void(Call)>;
  // Hands a call to its handler, now or later, or answers it.
  using Gate = std::function<void(const Access& access, Call call, const Handler& handler)>;

  explicit Routes(Gate gate) : gate_(std::move(gate)) {}

  // `parameters` are the names that may stand in the query, each once; "tag*": any number of times.
  void Add(std::string method, std::string_view pattern, Access access,
           std::vector<std::string> parameters, Handler handler);

  // "GET /things/{id}" and the parameters, in the order in which they were added.
  std::vector<std::pair<std::string, std::vector<std::string>>> List() const;

  // Lets the gate call the handler, or answers 404, 405 (with Allow) or 400 (a parameter that the
  // route has not).
  void Dispatch(HttpRequest request, HttpReply reply) const;

 private:
  struct Route {
    std::string method;
    std::string pattern;
    std::vector<std::string> segments;
    Access access;
    std::vector<std::string> parameters;
    Handler handler;
  };
  static bool Matches(const Route& route, const std::vector<std::string>& segments);
  static std::optional<HttpResponse> ReadQuery(const Route& route, Call* call);

  const Gate gate_;
  std::vector<Route> routes_;
};

}  // namespace jaque::ui
