// SPDX-License-Identifier: Apache-2.0
#include "ui/guard.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/limits.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

HttpResponse Unauthenticated(std::string_view why) {
  HttpResponse response = ProblemResponse(401, why);
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"jaque\"");
  return response;
}

HttpResponse Forbidden(const Caller& caller, Role role, Metrics* metrics) {
  metrics->refused_forbidden.Increment();
  return ProblemResponse(403, fmt::format("this needs the role {}, which {} has not here",
                                          RoleName(role), caller.name));
}

HttpResponse Hidden(const Call& call) {
  return ProblemResponse(404, fmt::format("there is nothing at {}", call.request.path));
}

// "Bearer TOKEN"; Unauthenticated says what is wrong with the header.
absl::StatusOr<std::string> ReadToken(const HttpRequest& request) {
  const std::string_view header = request.Header("Authorization");
  if (header.empty()) {
    return absl::UnauthenticatedError("send a token: \"Authorization: Bearer …\"");
  }
  const size_t space = std::min(header.find(' '), header.size());
  const std::string scheme(header.substr(0, space));
  if (!absl::EqualsIgnoreCase(scheme, "Bearer") || space == header.size()) {
    return absl::UnauthenticatedError("the Authorization header is no \"Bearer …\"");
  }
  const std::string token(absl::StripAsciiWhitespace(std::string(header.substr(space + 1))));
  if (token.empty() || token.size() > limits::kTokenBytes) {
    return absl::UnauthenticatedError(
        fmt::format("a token has 1 to {} bytes", limits::kTokenBytes));
  }
  return token;
}

HttpResponse TooManyRefused(absl::Duration wait) {
  HttpResponse response = ProblemResponse(
      429, fmt::format("{} tokens of this address were refused within a minute: wait",
                       limits::kRefusedTokens));
  response.headers = {
      {"Retry-After", std::to_string(absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1))))}};
  return response;
}

HttpResponse ProblemOfCaller(const absl::Status& status, Metrics* metrics) {
  if (!absl::IsUnauthenticated(status)) return ProblemOfStatus(status);
  metrics->refused_unauthenticated.Increment();
  return Unauthenticated(std::string(status.message()));
}

}  // namespace

void Guard::Admit(const Access& access, Call call, const Routes::Handler& handler) const {
  if (access.where == Access::Where::kOpen) return handler(std::move(call));
  if (parts_.authenticator == nullptr) {
    call.caller = Anybody();
    return Authorize(access, std::move(call), handler);
  }
  Authenticate(access, std::move(call), handler);
}

void Guard::Authenticate(const Access& access, Call call, const Routes::Handler& handler) const {
  const absl::StatusOr<std::string> token = ReadToken(call.request);
  if (call.request.Header("Authorization").empty()) {
    return call.reply(ProblemOfCaller(token.status(), parts_.metrics));
  }
  const std::string address = parts_.proxies.ClientOf(call.request);
  const absl::Duration wait = parts_.refused->WaitOf(address);
  if (wait > absl::ZeroDuration()) return call.reply(TooManyRefused(wait));
  auto judged = [this, access, address, call = std::move(call),
                 &handler](absl::StatusOr<Caller> caller) mutable {
    if (absl::IsUnauthenticated(caller.status())) parts_.refused->Note(address);
    if (!caller.ok()) return call.reply(ProblemOfCaller(caller.status(), parts_.metrics));
    call.caller = *std::move(caller);
    Authorize(access, std::move(call), handler);
  };
  if (!token.ok()) return judged(token.status());
  parts_.authenticator->Authenticate(*token, std::move(judged));
}

void Guard::Authorize(const Access& access, Call call, const Routes::Handler& handler) const {
  call.caller.address = parts_.proxies.ClientOf(call.request);
  if (call.request.method != "GET") RecordWhenAnswered(&call);
  const Caller& caller = call.caller;
  switch (access.where) {
    case Access::Where::kOpen:
    case Access::Where::kCaller:
      break;
    case Access::Where::kSomewhere:
      if (!caller.MaySomewhere(access.role))
        return call.reply(Forbidden(caller, access.role, parts_.metrics));
      break;
    case Access::Where::kPath:
      if (!caller.May(Role::kViewer, call.path[0])) return call.reply(Hidden(call));
      if (!caller.May(access.role, call.path[0])) {
        return call.reply(Forbidden(caller, access.role, parts_.metrics));
      }
      break;
    case Access::Where::kInstance:
      if (caller.MayEverywhere(access.role)) break;
      return AuthorizeInstance(access.role, std::move(call), handler);
    case Access::Where::kEverywhere:
      if (!caller.MayEverywhere(access.role))
        return call.reply(Forbidden(caller, access.role, parts_.metrics));
      break;
  }
  handler(std::move(call));
}

void Guard::AuthorizeInstance(Role role, Call call, const Routes::Handler& handler) const {
  if (!call.caller.MaySomewhere(Role::kViewer)) return call.reply(Hidden(call));
  const std::string id = call.path[0];
  parts_.namespaces->Find(id, [role, metrics = parts_.metrics, call = std::move(call),
                               &handler](absl::StatusOr<std::string> found) mutable {
    if (!found.ok() && !absl::IsNotFound(found.status())) {
      return call.reply(ProblemOfStatus(found.status()));
    }
    if (!found.ok() || !call.caller.May(Role::kViewer, *found)) {
      return call.reply(Hidden(call));
    }
    if (!call.caller.May(role, *found)) return call.reply(Forbidden(call.caller, role, metrics));
    handler(std::move(call));
  });
}

void Guard::RecordWhenAnswered(Call* call) const {
  store::AuditEntry entry;
  entry.at = absl::ToUnixMicros(parts_.clock->Now());
  entry.actor = call->caller.name;
  entry.address = call->caller.address;
  entry.method = call->request.method;
  entry.path = call->request.path;
  entry.object = fmt::format("{}", fmt::join(call->path, "/"));
  call->reply = [audit = parts_.audit, entry = std::move(entry),
                 reply = std::move(call->reply)](HttpResponse response) mutable {
    entry.status = response.status;
    audit->Record(std::move(entry));
    reply(std::move(response));
  };
}

}  // namespace jaque::ui
