// SPDX-License-Identifier: Apache-2.0
// From the evaluated arguments of a call to a request: endpoint, headers, query, body. Shared by
// call http and call openapi. What cannot be sent is a problem (validation 400), never a broken
// request. Pure but for the evaluation; the run's thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "dsl/template.h"
#include "worker/authentication.h"
#include "worker/http_output.h"
#include "worker/task_run.h"

namespace jaque {

// A member of an object template, whether it is constant or not; nullopt if absent.
std::optional<dsl::Template> MemberOf(const dsl::Template& object, std::string_view key);
// Evaluates it; null if absent.
absl::StatusOr<Value> EvaluateMember(const dsl::Template& object, std::string_view key,
                                     const TaskRun& run);

// Evaluates all, one by one, so that what one may not show does not hide what is wrong with
// another.
absl::StatusOr<Value> EvaluateMembers(const dsl::Template& object, const TaskRun& run);

struct Endpoint {
  std::string uri;  // absolute, http or https, escaped
  Credentials credentials;
};
// A URI template (expanded over the input), an expression, or an object with `uri` and
// `authentication`. Authentication is resolved first, so that `$authorization` is known to
// everything else.
std::variant<Endpoint, v1::Problem> ResolveEndpoint(const dsl::Template& endpoint, TaskRun* run);

// A string as it is, anything else as JSON: 1000, true, [1,2].
std::string ScalarText(const Value& value);

// The following give BadArgument for what cannot be sent.
absl::StatusOr<std::string> MethodOf(const Value& value);
// An object; null members are left out, lists are joined by commas.
absl::Status AddHeaders(const Value& headers, HttpHeaders* out);
absl::Status AddHeader(std::string_view name, std::string_view value, HttpHeaders* out);
// An object; null members are left out, lists repeat the name.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> QueryOf(const Value& query);
// A string under a Content-Type other than JSON as it is, an object under a form's type as a form,
// and all else as JSON; null sends no body.
absl::Status SetBody(const Value& body, HttpRequest* request);
absl::StatusOr<HttpOutput> OutputOf(const Value& output);
// What a call prefers, unless its author says otherwise.
void AddDefaultAccept(HttpHeaders* headers);

}  // namespace jaque
