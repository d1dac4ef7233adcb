// SPDX-License-Identifier: Apache-2.0
#include "worker/http_arguments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "dsl/uri_template.h"
#include "expression/json.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

// They say how a message is framed, which is the client's affair.
constexpr std::string_view kFraming[] = {
    "Content-Length", "Transfer-Encoding", "Connection", "Expect", "Upgrade", "Trailer", "TE"};
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

absl::StatusOr<std::string> UriOf(const dsl::Template& uri, const TaskRun& run) {
  if (uri.is_constant()) {
    if (!uri.constant().is_string()) return BadArgument("the endpoint is no string");
    return dsl::ExpandUriTemplate(uri.constant().AsString(), run.input());
  }
  // What an expression gives is data: braces in it are not expanded.
  ASSIGN_OR_RETURN(const Value value, run.Evaluate(uri));
  if (!value.is_string()) {
    return BadArgument("the endpoint's expression gives no string");
  }
  return std::string(value.AsString());
}

bool IsAbsoluteHttp(std::string_view uri) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (uri.size() > scheme.size() && EqualsIgnoreCase(uri.substr(0, scheme.size()), scheme)) {
      return true;
    }
  }
  return false;
}

const std::string* FindHeader(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoreCase(key, name)) return &value;
  }
  return nullptr;
}

std::string JoinedList(const Value& list) {
  std::string joined;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) joined += ", ";
    joined += ScalarText(list.at(i));
  }
  return joined;
}

}  // namespace

std::optional<dsl::Template> MemberOf(const dsl::Template& object, std::string_view key) {
  if (!object.is_constant()) {
    const dsl::Template* member = object.FindMember(key);
    return member == nullptr ? std::nullopt : std::make_optional(*member);
  }
  const Value* member = object.constant().is_object() ? object.constant().Find(key) : nullptr;
  if (member == nullptr) return std::nullopt;
  return dsl::Template::Constant(*member);
}

absl::StatusOr<Value> EvaluateMember(const dsl::Template& object, std::string_view key,
                                     const TaskRun& run) {
  const std::optional<dsl::Template> member = MemberOf(object, key);
  if (!member.has_value()) return Value();
  return run.Evaluate(*member);
}

absl::StatusOr<Value> EvaluateMembers(const dsl::Template& object, const TaskRun& run) {
  if (object.is_constant()) return object.constant();
  if (object.members().empty()) return run.Evaluate(object);
  Value evaluated = Value::Object();
  for (const auto& [key, member] : object.members()) {
    ASSIGN_OR_RETURN(Value value, run.Evaluate(member));
    evaluated.Set(key, std::move(value));
  }
  return evaluated;
}

std::variant<Endpoint, v1::Problem> ResolveEndpoint(const dsl::Template& endpoint, TaskRun* run) {
  Endpoint resolved;
  dsl::Template uri = endpoint;
  if (const auto member = MemberOf(endpoint, "uri")) {
    uri = *member;
    const auto policy = MemberOf(endpoint, "authentication");
    auto credentials = ResolveAuthentication(policy.has_value() ? &*policy : nullptr, run);
    if (auto* problem = std::get_if<v1::Problem>(&credentials)) return std::move(*problem);
    resolved.credentials = std::get<Credentials>(std::move(credentials));
  }
  absl::StatusOr<std::string> text = UriOf(uri, *run);
  if (!text.ok()) return run->ToProblem(text.status());
  resolved.uri = EscapeUri(Trim(*text));
  if (!IsAbsoluteHttp(resolved.uri)) {
    return ArgumentProblem(Cat(
        "the endpoint \"", run->redactor().Redact(FirstPart(WithoutUserInfo(resolved.uri), 200)),
        "\" is no absolute URI of http or https"));
  }
  return resolved;
}

std::string ScalarText(const Value& value) {
  if (value.is_string()) return std::string(value.AsString());
  std::string text = ToJson(value);
  // JSON keeps how a number was written (1E+3); here it is written out where no digit is lost.
  if (value.is_number() && text.find_first_of("eE") != std::string::npos) {
    const double number = value.AsDouble();
    if (std::abs(number) < 1e15 && number == std::floor(number)) {
      return ToJson(Value::Int(static_cast<int64_t>(number)));
    }
  }
  return text;
}

absl::StatusOr<std::string> MethodOf(const Value& value) {
  if (!value.is_string() || !IsToken(value.AsString())) {
    return BadArgument("the method must be a word such as get or post");
  }
  std::string method(value.AsString());
  absl::AsciiStrToUpper(&method);
  if (method == "CONNECT" || method == "TRACE") {
    return BadArgument(Cat("the method ", method, " is not for calls"));
  }
  return method;
}

absl::Status AddHeader(std::string_view name, std::string_view value, HttpHeaders* out) {
  if (!IsToken(name)) {
    return BadArgument(Cat("\"", FirstPart(name, 100), "\" cannot be the name of a header"));
  }
  if (!IsFieldValue(value)) {
    return BadArgument(
        Cat("the header ", name, " contains a line end or another control character"));
  }
  for (const std::string_view framing : kFraming) {
    if (EqualsIgnoreCase(name, framing)) {
      return BadArgument(Cat("the header ", name, " is set by the client alone"));
    }
  }
  out->emplace_back(name, value);
  return absl::OkStatus();
}

absl::Status AddHeaders(const Value& headers, HttpHeaders* out) {
  if (headers.is_null()) return absl::OkStatus();
  if (!headers.is_object()) return BadArgument("`headers` must be an object");
  absl::Status status;
  headers.ForEachMember([&](std::string_view name, const Value& value) {
    if (value.is_null()) return true;
    if (value.is_object()) {
      status = BadArgument(Cat("the header ", name, " is an object"));
    } else {
      status = AddHeader(name, value.is_array() ? JoinedList(value) : ScalarText(value), out);
    }
    return status.ok();
  });
  return status;
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> QueryOf(const Value& query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (query.is_null()) return pairs;
  if (!query.is_object()) return BadArgument("`query` must be an object");
  query.ForEachMember([&pairs](std::string_view name, const Value& value) {
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        pairs.emplace_back(std::string(name), ScalarText(value.at(i)));
      }
    } else if (!value.is_null()) {
      pairs.emplace_back(std::string(name), ScalarText(value));
    }
    return true;
  });
  return pairs;
}

absl::Status SetBody(const Value& body, HttpRequest* request) {
  if (body.is_null()) return absl::OkStatus();
  const std::string* header = FindHeader(request->headers, "Content-Type");
  const std::string type = header == nullptr ? "" : MediaType(*header);
  if (header != nullptr && !IsJsonType(type)) {
    if (body.is_string()) {
      request->body = std::string(body.AsString());
      return absl::OkStatus();
    }
    if (type == kForm && body.is_object()) {
      ASSIGN_OR_RETURN(const auto pairs, QueryOf(body));
      const std::string form = AddQuery("", pairs);
      request->body = form.empty() ? "" : form.substr(1);
      return absl::OkStatus();
    }
  }
  request->body = ToJson(body);
  if (header == nullptr) request->headers.emplace_back("Content-Type", "application/json");
  return absl::OkStatus();
}

absl::StatusOr<HttpOutput> OutputOf(const Value& output) {
  if (output.is_null()) return HttpOutput::kContent;
  const std::string_view word = output.is_string() ? output.AsString() : "";
  if (word == "raw") return HttpOutput::kRaw;
  if (word == "content") return HttpOutput::kContent;
  if (word == "response") return HttpOutput::kResponse;
  return BadArgument("`output` must be raw, content or response");
}

void AddDefaultAccept(HttpHeaders* headers) {
  if (FindHeader(*headers, "Accept") == nullptr) {
    headers->emplace_back("Accept", "application/json, */*;q=0.8");
  }
}

}  // namespace jaque
