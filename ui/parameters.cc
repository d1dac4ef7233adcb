// SPDX-License-Identifier: Apache-2.0
#include "ui/parameters.h"

#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace jaque::ui {
namespace {

// Digits only; false for anything else and for what does not fit.
bool ParseInt(std::string_view text, int64_t* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string ReadText(const Call& call, std::string_view name) {
  const std::string* text = call.Parameter(name);
  return text == nullptr ? std::string() : *text;
}

std::vector<std::string> ReadTexts(const Call& call, std::string_view name) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : call.query) {
    if (key == name) texts.push_back(value);
  }
  return texts;
}

absl::StatusOr<bool> ReadFlag(const Call& call, std::string_view name) {
  const std::string text = ReadText(call, name);
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  return absl::InvalidArgumentError(
      fmt::format("{}: \"{}\" is neither true nor false", name, text));
}

absl::StatusOr<int64_t> ReadNumber(const Call& call, std::string_view name, int64_t least,
                                   int64_t most, int64_t fallback) {
  const std::string* text = call.Parameter(name);
  if (text == nullptr) return fallback;
  int64_t number = 0;
  if (!ParseInt(*text, &number) || number < least || number > most) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" is no number from {} to {}", name, *text, least, most));
  }
  return number;
}

absl::StatusOr<size_t> ReadLimit(const Call& call) {
  ASSIGN_OR_RETURN(const int64_t limit,
                   ReadNumber(call, "limit", 1, limits::kPageItems, limits::kPageItemsDefault));
  return static_cast<size_t>(limit);
}

absl::StatusOr<absl::Duration> ReadWait(const Call& call) {
  const std::string* text = call.Parameter("wait");
  if (text == nullptr) return absl::ZeroDuration();
  absl::StatusOr<absl::Duration> wait = ParseGoDuration(*text);
  if (!wait.ok()) {
    return absl::InvalidArgumentError("wait: " + std::string(wait.status().message()));
  }
  return std::min(*wait, absl::Seconds(limits::kWaitSeconds));
}

absl::StatusOr<bool> ReadOrder(const Call& call, bool newest_first) {
  const std::string text = ReadText(call, "order");
  if (text.empty()) return newest_first;
  if (text == "newest") return true;
  if (text == "oldest") return false;
  return absl::InvalidArgumentError(
      fmt::format("order: \"{}\" is neither newest nor oldest", text));
}

absl::StatusOr<store::Micros> ParseTime(std::string_view name, std::string_view text) {
  if (text.empty()) return 0;
  absl::Time time;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &why)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" is no time like 2026-11-30T21:00:00Z", name, text));
  }
  // The store has microseconds of the years that people mean.
  const absl::Time last = absl::FromCivil(absl::CivilDay(9999, 12, 31), absl::UTCTimeZone());
  return absl::ToUnixMicros(std::clamp(time, absl::UnixEpoch() + absl::Microseconds(1), last));
}

absl::StatusOr<store::HistorySeq> ParseSeq(std::string_view name, std::string_view text) {
  if (text.empty()) return 0;
  int64_t seq = 0;
  if (!ParseInt(text, &seq) || seq < 0) {
    return absl::InvalidArgumentError(fmt::format("{}: \"{}\" is no place", name, text));
  }
  return seq;
}

absl::StatusOr<std::pair<std::string, std::string>> ParseTag(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  std::pair<std::string, std::string> tag(text.substr(0, colon),
                                          text.substr(std::min(colon + 1, text.size())));
  if (tag.first.empty() || tag.first.size() > limits::kTagBytes ||
      tag.second.size() > limits::kTagBytes) {
    return absl::InvalidArgumentError(fmt::format(
        "tag: a key (not empty) and a value of at most {} bytes, key:value", limits::kTagBytes));
  }
  return tag;
}

absl::StatusOr<Value> ReadObject(const Call& call, const std::vector<std::string>& members) {
  if (call.request.body.empty()) return Value::Object();
  absl::StatusOr<Value> body = ParseJson(call.request.body);
  if (!body.ok()) {
    return absl::InvalidArgumentError("the body is no JSON: " +
                                      std::string(body.status().message()));
  }
  if (!body->is_object()) return absl::InvalidArgumentError("the body is no JSON object");
  for (const std::string_view key : body->Keys()) {
    if (std::find(members.begin(), members.end(), key) == members.end()) {
      return absl::InvalidArgumentError(fmt::format(
          "unknown member \"{}\" of the body: there are {}", key, fmt::join(members, ", ")));
    }
  }
  return body;
}

absl::StatusOr<std::string> TextMember(const Value& object, std::string_view name,
                                       std::string_view fallback) {
  const Value* member = object.Find(name);
  if (member == nullptr) return std::string(fallback);
  if (!member->is_string()) {
    return absl::InvalidArgumentError(fmt::format("the member \"{}\" is no text", name));
  }
  return std::string(member->AsString());
}

absl::Status CheckReason(std::string_view reason) {
  if (reason.size() <= limits::kProblemDetailBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("the reason is {} bytes long; {} are possible",
                                                reason.size(), limits::kProblemDetailBytes));
}

absl::StatusOr<std::string> ReadReason(const Call& call, std::string_view fallback) {
  ASSIGN_OR_RETURN(const Value body, ReadObject(call, {"reason"}));
  ASSIGN_OR_RETURN(std::string reason, TextMember(body, "reason", fallback));
  RETURN_IF_ERROR(CheckReason(reason));
  return reason;
}

}  // namespace jaque::ui
