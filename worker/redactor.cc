// SPDX-License-Identifier: Apache-2.0
#include "worker/redactor.h"

#include <algorithm>

#include "expression/json.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

// Base64 of a text that stands `shift` bytes after a multiple of three inside a longer one: only
// the characters that depend on nothing else.
std::string InnerBase64(std::string_view text, size_t shift) {
  const std::string encoded = EncodeBase64(std::string(shift, '\0') + std::string(text));
  const size_t bits = (shift + text.size()) * 8;
  const size_t first = (shift * 8 + 5) / 6, last = bits / 6;
  return first < last ? encoded.substr(first, last - first) : "";
}

std::string WithLowerEscapes(std::string text) {
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] != '%') continue;
    const std::string digits = Lower(text.substr(i + 1, 2));
    text.replace(i + 1, 2, digits);
  }
  return text;
}

std::string WithPlus(std::string text) {
  for (size_t at = text.find("%20"); at != std::string::npos; at = text.find("%20", at)) {
    text.replace(at, 3, "+");
  }
  return text;
}

std::string UrlSafe(std::string base64) {
  std::replace(base64.begin(), base64.end(), '+', '-');
  std::replace(base64.begin(), base64.end(), '/', '_');
  return base64;
}

}  // namespace

void Redactor::Add(std::string_view secret) {
  if (secret.size() < kShortest) return;
  AddPattern(std::string(secret), kShortest);
  const std::string json = ToJson(Value::String(secret));
  AddPattern(json.substr(1, json.size() - 2), kShortest);
  const std::string escaped = EscapeUriComponent(secret);
  AddPattern(escaped, kShortest);
  AddPattern(WithLowerEscapes(escaped), kShortest);
  AddPattern(WithPlus(escaped), kShortest);
  AddPattern(EscapeUri(secret), kShortest);
  for (size_t shift = 0; shift < 3; ++shift) {
    // A few characters of base64 are found by chance in other text.
    const std::string base64 = InnerBase64(secret, shift);
    AddPattern(base64, 5);
    AddPattern(UrlSafe(base64), 5);
  }
  while (secret.find('\n') != std::string_view::npos) {
    const size_t end = secret.find('\n');
    AddPattern(std::string(secret.substr(0, end)), 8);
    secret.remove_prefix(end + 1);
    if (secret.find('\n') == std::string_view::npos) AddPattern(std::string(secret), 8);
  }
}

void Redactor::AddAll(const Value& root) {
  // Not by recursion: a secret may be nested as deep as JSON may.
  std::vector<Value> open = {root};
  while (!open.empty()) {
    const Value value = std::move(open.back());
    open.pop_back();
    if (value.is_string()) {
      Add(value.AsString());
    } else if (value.is_number()) {
      Add(ToJson(value));
    } else if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) open.push_back(value.at(i));
    } else if (value.is_object()) {
      value.ForEachMember([&open](std::string_view, const Value& member) {
        open.push_back(member);
        return true;
      });
    }
  }
}

void Redactor::AddPattern(std::string pattern, size_t shortest) {
  if (pattern.size() < shortest) return;
  const auto longer = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  };
  const auto at = std::lower_bound(patterns_.begin(), patterns_.end(), pattern, longer);
  if (at == patterns_.end() || *at != pattern) patterns_.insert(at, std::move(pattern));
}

std::string Redactor::Redact(std::string_view text) const {
  std::string redacted(text);
  for (const std::string& pattern : patterns_) {
    for (size_t at = redacted.find(pattern); at != std::string::npos;
         at = redacted.find(pattern, at + kMask.size())) {
      redacted.replace(at, pattern.size(), kMask);
    }
  }
  return redacted;
}

}  // namespace jaque
