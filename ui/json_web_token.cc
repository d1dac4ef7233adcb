// SPDX-License-Identifier: Apache-2.0
#include "ui/json_web_token.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/limits.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/digest.h"

namespace jaque::ui {
namespace {

constexpr int kJsonDepth = 16;
constexpr size_t kNameBytes = 128;

absl::Status Refused(std::string_view why) {
  return absl::UnauthenticatedError(fmt::format("the token {}", why));
}

std::optional<Value> ReadPart(std::string_view part) {
  const std::optional<std::string> json = FromBase64Url(part);
  if (!json) return std::nullopt;
  absl::StatusOr<Value> value = ParseJson(*json, {.max_depth = kJsonDepth});
  if (!value.ok() || !value->is_object()) return std::nullopt;
  return *std::move(value);
}

// Seconds since 1970, which may have a fraction; nullopt if absent or no time.
std::optional<absl::Time> ReadTime(const Value& claims, std::string_view name) {
  const Value* const value = claims.Find(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double seconds = value->AsDouble();
  if (!(seconds > -1e15 && seconds < 1e15)) return std::nullopt;
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

bool IsFor(const Value& claims, const std::string& audience) {
  const Value* const value = claims.Find("aud");
  if (value == nullptr) return false;
  const auto same = [&](const Value& one) { return one.is_string() && one.AsString() == audience; };
  if (!value->is_array()) return same(*value);
  for (size_t i = 0; i < value->size(); ++i) {
    if (same(value->at(i))) return true;
  }
  return false;
}

std::string Visible(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kNameBytes)) {
    if (!absl::ascii_iscntrl(static_cast<unsigned char>(c))) out += c;
  }
  return out;
}

std::vector<std::string> Words(const Value& value) {
  if (value.is_string()) {
    return absl::StrSplit(std::string(value.AsString()), ' ', absl::SkipEmpty());
  }
  std::vector<std::string> words;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    if (value.at(i).is_string()) words.emplace_back(value.at(i).AsString());
  }
  return words;
}

}  // namespace

absl::StatusOr<JsonWebToken> ParseToken(std::string_view token) {
  const size_t first = token.find('.');
  const size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return Refused("is no JWT");
  }
  const std::optional<Value> header = ReadPart(token.substr(0, first));
  std::optional<Value> claims = ReadPart(token.substr(first + 1, second - first - 1));
  std::optional<std::string> signature = FromBase64Url(token.substr(second + 1));
  if (!header || !claims || !signature) return Refused("is no JWT");
  if (header->Find("crit") != nullptr) return Refused("asks for an extension");
  JsonWebToken parsed;
  parsed.algorithm = header->StringOr("alg", "");
  parsed.key_id = header->StringOr("kid", "");
  parsed.signed_text = token.substr(0, second);
  parsed.signature = *std::move(signature);
  parsed.claims = *std::move(claims);
  return parsed;
}

absl::Status CheckClaims(const Value& claims, const std::string& issuer,
                         const std::string& audience, absl::Time now) {
  const absl::Duration skew = absl::Seconds(limits::kClockSkewSeconds);
  if (claims.StringOr("iss", "") != issuer) return Refused("is of another issuer");
  if (!IsFor(claims, audience)) return Refused("is for another audience");
  const std::optional<absl::Time> expires = ReadTime(claims, "exp");
  if (!expires) return Refused("never expires");
  if (*expires <= now - skew) return Refused("has expired");
  if (claims.Find("nbf") == nullptr) return absl::OkStatus();
  const std::optional<absl::Time> begins = ReadTime(claims, "nbf");
  if (!begins || *begins > now + skew) return Refused("is not valid yet");
  return absl::OkStatus();
}

Caller CallerOf(const Value& claims, const std::string& path) {
  Caller caller;
  const std::string subject = Visible(claims.StringOr("sub", ""));
  const std::string name = Visible(claims.StringOr("preferred_username", ""));
  caller.name = name.empty() ? subject : fmt::format("{} ({})", name, subject);
  const Value* at = &claims;
  for (const absl::string_view part : absl::StrSplit(path, '.')) {
    at = at->is_object() ? at->Find(std::string_view(part.data(), part.size())) : nullptr;
    if (at == nullptr) return caller;
  }
  for (const std::string& word : Words(*at)) {
    absl::StatusOr<Grant> grant = ParseGrant(word);
    if (grant.ok()) caller.grants.push_back(*std::move(grant));
  }
  return caller;
}

}  // namespace jaque::ui
