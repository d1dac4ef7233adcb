// SPDX-License-Identifier: Apache-2.0
#include "base/semver.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"

namespace jaque {
namespace {

struct Version {
  std::vector<std::string_view> core;        // major, minor, patch
  std::vector<std::string_view> prerelease;  // identifiers; empty for a release
};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

bool IsNumeric(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-';
  });
}

std::optional<Version> Parse(std::string_view text) {
  text = text.substr(0, text.find('+'));
  const size_t dash = text.find('-');
  Version version;
  version.core = Split(text.substr(0, dash));
  if (version.core.size() != 3 ||
      !std::all_of(version.core.begin(), version.core.end(), IsNumeric)) {
    return std::nullopt;
  }
  if (dash != std::string_view::npos) {
    version.prerelease = Split(text.substr(dash + 1));
    if (!std::all_of(version.prerelease.begin(), version.prerelease.end(), IsIdentifier)) {
      return std::nullopt;
    }
  }
  return version;
}

int Sign(int order) { return (order > 0) - (order < 0); }

// Of digits of any length.
int CompareNumbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return Sign(a.compare(b));
}

int CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool a_number = IsNumeric(a), b_number = IsNumeric(b);
  if (a_number && b_number) return CompareNumbers(a, b);
  if (a_number != b_number) return a_number ? -1 : 1;
  return Sign(a.compare(b));
}

int ComparePrereleases(const std::vector<std::string_view>& a,
                       const std::vector<std::string_view>& b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.empty()) - static_cast<int>(b.empty());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int order = CompareIdentifiers(a[i], b[i])) return order;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace

int CompareSemver(std::string_view a, std::string_view b) {
  const std::optional<Version> left = Parse(a), right = Parse(b);
  if (!left || !right) {
    if (left.has_value() != right.has_value()) return left ? 1 : -1;
    return Sign(a.compare(b));
  }
  for (size_t i = 0; i < left->core.size(); ++i) {
    if (int order = CompareNumbers(left->core[i], right->core[i])) return order;
  }
  return ComparePrereleases(left->prerelease, right->prerelease);
}

bool IsPrerelease(std::string_view version) {
  const std::optional<Version> parsed = Parse(version);
  return !parsed || !parsed->prerelease.empty();
}

}  // namespace jaque
