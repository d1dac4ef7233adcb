// SPDX-License-Identifier: Apache-2.0
#include "ui/cloud_event.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::ui {
namespace {

bool IsAttributeName(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c)) return false;
  }
  return true;
}

absl::Status CheckMember(std::string_view name, const Value& value) {
  if (name == "data") return absl::OkStatus();
  if (name != "data_base64" && !IsAttributeName(name)) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no attribute name: lower-case letters and digits only", name));
  }
  if (value.is_array() || value.is_object()) {
    return absl::InvalidArgumentError(
        fmt::format("attribute \"{}\" is neither text, number nor truth value", name));
  }
  return absl::OkStatus();
}

absl::StatusOr<ReceivedEvent> Check(const Value& event) {
  if (!event.is_object()) return absl::InvalidArgumentError("it is no JSON object");
  for (const std::string_view name : {"id", "source", "specversion", "type"}) {
    if (event.StringOr(name, "").empty()) {
      return absl::InvalidArgumentError(fmt::format("attribute \"{}\" is missing", name));
    }
  }
  if (event.StringOr("specversion", "") != "1.0") {
    return absl::InvalidArgumentError(
        fmt::format("its specversion is \"{}\", not \"1.0\"", event.StringOr("specversion", "")));
  }
  if (event.Find("data") != nullptr && event.Find("data_base64") != nullptr) {
    return absl::InvalidArgumentError("it has both data and data_base64");
  }
  absl::Status status;
  event.ForEachMember([&status](std::string_view name, const Value& value) {
    status = CheckMember(name, value);
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  ReceivedEvent received;
  // The length first: no two pairs of source and id have the same text.
  const std::string_view source = event.StringOr("source", "");
  received.dedup_id = fmt::format("{}:{}:{}", source.size(), source, event.StringOr("id", ""));
  received.json = ToJson(event);
  if (received.json.size() > limits::kInputBytes) {
    return absl::ResourceExhaustedError(fmt::format("it is {} bytes long; {} are possible",
                                                    received.json.size(), limits::kInputBytes));
  }
  return received;
}

bool IsJson(std::string_view content_type) {
  const std::string type =
      absl::AsciiStrToLower(std::string(content_type.substr(0, content_type.find(';'))));
  return absl::EndsWith(type, "/json") || absl::EndsWith(type, "+json");
}

absl::Status SetData(const HttpRequest& request, Value* event) {
  const std::string_view type = request.Header("Content-Type");
  if (!type.empty()) event->Set("datacontenttype", Value::String(type));
  if (request.body.empty()) return absl::OkStatus();
  if (IsJson(type)) {
    absl::StatusOr<Value> data = ParseJson(request.body);
    if (!data.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("its data is no JSON: {}", std::string(data.status().message())));
    }
    event->Set("data", *std::move(data));
  } else if (absl::StartsWithIgnoreCase(std::string(type), "text/")) {
    event->Set("data", Value::String(request.body));
  } else {
    event->Set("data_base64", Value::String(absl::Base64Escape(request.body)));
  }
  return absl::OkStatus();
}

// The binary mode: attributes are the ce- headers, data is the body.
absl::StatusOr<Value> FromHeaders(const HttpRequest& request) {
  Value event = Value::Object();
  for (const auto& [name, value] : request.headers) {
    if (!absl::StartsWithIgnoreCase(name, "ce-")) continue;
    std::string text;
    if (!PercentDecode(value, false, &text)) text = value;
    event.Set(absl::AsciiStrToLower(name.substr(3)), Value::String(text));
  }
  RETURN_IF_ERROR(SetData(request, &event));
  return event;
}

absl::Status AtEvent(size_t position, const absl::Status& status) {
  return absl::Status(status.code(),
                      fmt::format("event {}: {}", position + 1, std::string(status.message())));
}

absl::StatusOr<std::vector<ReceivedEvent>> CheckAll(const Value& events) {
  if (events.size() > limits::kEventsPerRequest) {
    return absl::ResourceExhaustedError(
        fmt::format("a batch may hold {} events", limits::kEventsPerRequest));
  }
  std::vector<ReceivedEvent> all;
  for (size_t i = 0; i < events.size(); ++i) {
    absl::StatusOr<ReceivedEvent> received = Check(events.at(i));
    if (!received.ok()) return AtEvent(i, received.status());
    all.push_back(*std::move(received));
  }
  return all;
}

}  // namespace

absl::StatusOr<std::vector<ReceivedEvent>> ReceiveEvents(const HttpRequest& request) {
  Value events = Value::Array();
  if (!request.Header("ce-specversion").empty() || !request.Header("ce-id").empty()) {
    absl::StatusOr<Value> event = FromHeaders(request);
    if (!event.ok()) return AtEvent(0, event.status());
    events.Append(*std::move(event));
    return CheckAll(events);
  }
  absl::StatusOr<Value> body = ParseJson(request.body);
  if (!body.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("the body is no JSON: {}", std::string(body.status().message())));
  }
  if (body->is_array()) return CheckAll(*body);
  events.Append(*std::move(body));
  return CheckAll(events);
}

}  // namespace jaque::ui
