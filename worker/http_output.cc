// SPDX-License-Identifier: Apache-2.0
#include "worker/http_output.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "expression/json.h"
#include "expression/utf8.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

constexpr size_t kShownBytes = 500;  // of an error's body in its detail
constexpr size_t kSearchedBytes =
    8'000;  // masked before it is cut, so that no half of a secret is left

std::string ContentTypeOf(const HttpResponse& response) {
  const std::string* type = response.FindHeader("Content-Type");
  return type == nullptr ? "" : *type;
}

std::string FromLatin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) AppendUtf8(static_cast<unsigned char>(c), &text);
  return text;
}

Value Text(std::string_view body, std::string_view content_type) {
  const std::string charset = MediaTypeParameter(content_type, "charset");
  if (charset == "iso-8859-1" || charset == "latin1") return Value::String(FromLatin1(body));
  if (Utf8Valid(body)) return Value::String(body);
  return Value::String(EncodeBase64(body));
}

std::string_view WithoutByteOrderMark(std::string_view body) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (body.substr(0, kMark.size()) == kMark) body.remove_prefix(kMark.size());
  return body;
}

Outcome Content(const HttpAnswer& answer, const TaskRun& run) {
  const std::string& body = answer.response.body;
  if (body.empty()) return Value();
  const std::string content_type = ContentTypeOf(answer.response);
  const std::string media_type = MediaType(content_type);
  if (IsJsonType(media_type)) {
    absl::StatusOr<Value> parsed = ParseJson(WithoutByteOrderMark(body));
    if (parsed.ok()) return *std::move(parsed);
    return MakeProblem(
        dsl::kErrorCommunication,
        Cat(DescribeRequest(answer.request, run), " answered ", answer.response.status,
            " with content of type ", media_type, " that is no JSON: ", Message(parsed.status())));
  }
  if (IsTextType(media_type)) return Text(body, content_type);
  return Value::String(EncodeBase64(body));
}

// Names as in the specification's examples, whatever the server's way: several of one name are
// joined.
Value HeadersObject(const HttpHeaders& headers, const Redactor& redactor) {
  static constexpr std::string_view kHidden[] = {"Authorization", "Proxy-Authorization", "Cookie"};
  Value object = Value::Object();
  for (const auto& [name, value] : headers) {
    const std::string key = CanonicalHeaderName(name);
    const bool hidden = std::find(std::begin(kHidden), std::end(kHidden), key) != std::end(kHidden);
    std::string text = hidden ? std::string(Redactor::kMask) : redactor.Redact(value);
    const Value* earlier = object.Find(key);
    if (earlier != nullptr) text = Cat(earlier->AsString(), ", ", text);
    object.Set(key, Value::String(text));
  }
  return object;
}

v1::Problem StatusProblem(const HttpAnswer& answer, const TaskRun& run) {
  const HttpResponse& response = answer.response;
  std::string detail = Cat(DescribeRequest(answer.request, run), " answered ", response.status);
  const std::string_view phrase = ReasonPhrase(response.status);
  if (!phrase.empty()) detail += Cat(" ", phrase);
  const std::string media_type = MediaType(ContentTypeOf(response));
  if (!response.body.empty() && (IsJsonType(media_type) || IsTextType(media_type))) {
    const std::string start = Utf8Repaired(FirstPart(response.body, kSearchedBytes));
    const std::string masked = run.redactor().Redact(start);
    detail += Cat(": ", FirstPart(masked, kShownBytes));
    if (response.body.size() > kShownBytes) detail += " …";
  }
  return MakeProblem(dsl::kErrorCommunication, detail, response.status, phrase);
}

}  // namespace

Outcome ReadAnswer(const HttpAnswer& answer, const HttpOutputRule& rule, const TaskRun& run) {
  const HttpResponse& response = answer.response;
  const int highest = rule.allow_redirects ? 399 : 299;
  if (response.status < 200 || response.status > highest) return StatusProblem(answer, run);
  if (rule.output == HttpOutput::kRaw) {
    return response.body.empty() ? Value() : Value::String(EncodeBase64(response.body));
  }
  Outcome content = Content(answer, run);
  if (rule.output == HttpOutput::kContent || std::holds_alternative<v1::Problem>(content)) {
    return content;
  }
  const Redactor& redactor = run.redactor();
  return Value::Object(
      {{"request",
        Value::Object({{"method", Value::String(rule.method)},
                       {"uri", Value::String(redactor.Redact(WithoutUserInfo(answer.request.url)))},
                       {"headers", HeadersObject(answer.request.headers, redactor)}})},
       {"statusCode", Value::Int(response.status)},
       {"headers", HeadersObject(response.headers, redactor)},
       {"content", std::move(std::get<Value>(content))}});
}

}  // namespace jaque
