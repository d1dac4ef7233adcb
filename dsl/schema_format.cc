// SPDX-License-Identifier: Apache-2.0
// JSON Schema's `format`, asserted for those that people use. Hand-written: the texts come from
// strangers.
#include <algorithm>
#include <cctype>
#include <vector>

#include "absl/strings/ascii.h"
#include "dsl/duration.h"
#include "dsl/schema_rules.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsHexadecimal(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && IsDateTime(std::string(text) + "T00:00:00Z");
}
bool IsTime(std::string_view text) { return IsDateTime("2000-01-01T" + std::string(text)); }

bool IsIpv4(std::string_view text) {
  const auto parts = Split(text, '.');
  return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return IsDigits(part) && part.size() <= 3 && (part.size() == 1 || part[0] != '0') &&
                  std::stoi(std::string(part)) <= 255;
         });
}

bool IsIpv6(std::string_view text) {
  const size_t gap = text.find("::");
  if (gap != std::string_view::npos && text.find("::", gap + 1) != std::string_view::npos)
    return false;
  size_t groups = 0;
  const auto parts = Split(text, ':');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) {
      // Only around the gap.
      const bool edge = i == 0 || i + 1 == parts.size();
      if (gap == std::string_view::npos || (edge && gap != 0 && gap + 2 != text.size()))
        return false;
    } else if (i + 1 == parts.size() && parts[i].find('.') != std::string_view::npos) {
      if (!IsIpv4(parts[i])) return false;
      groups += 2;
    } else if (parts[i].size() > 4 || !IsHexadecimal(parts[i])) {
      return false;
    } else {
      ++groups;
    }
  }
  if (text.starts_with(':') && !text.starts_with("::")) return false;
  if (text.ends_with(':') && !text.ends_with("::")) return false;
  return gap == std::string_view::npos ? groups == 8 : groups < 8;
}

bool IsHostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  for (std::string_view label : Split(text, '.')) {
    if (!CheckDnsLabel(label).empty()) return false;
  }
  return true;
}

bool IsEmail(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at), domain = text.substr(at + 1);
  const bool quoted = local.size() > 2 && local.front() == '"' && local.back() == '"';
  if (!quoted) {
    if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) {
      return false;
    }
    for (unsigned char c : local) {
      if (!absl::ascii_isalnum(c) && c < 0x80 &&
          std::string_view(".!#$%&'*+/=?^_`{|}~-").find(static_cast<char>(c)) ==
              std::string_view::npos) {
        return false;
      }
    }
  }
  if (domain.starts_with('[') && domain.ends_with(']')) {
    const std::string_view address = domain.substr(1, domain.size() - 2);
    return address.starts_with("IPv6:") ? IsIpv6(address.substr(5)) : IsIpv4(address);
  }
  return IsHostname(domain);
}

bool IsUriReference(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c <= ' ' || c >= 0x7F ||
        std::string_view("\"<>\\^`{|}").find(text[i]) != std::string_view::npos) {
      return false;
    }
    if (c == '%' && (i + 2 >= text.size() || !IsHexadecimal(text.substr(i + 1, 2)))) return false;
  }
  const size_t colon = text.find_first_of(":/?#");
  return colon != 0 || text[0] != ':';
}

bool IsUri(std::string_view text) {
  const size_t colon = text.find_first_of(":/?#");
  if (colon == std::string_view::npos || text[colon] != ':' || !IsUriReference(text)) return false;
  const std::string_view scheme = text.substr(0, colon);
  return !scheme.empty() && absl::ascii_isalpha(scheme[0]) &&
         std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '+' || c == '-' || c == '.';
         });
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !absl::ascii_isxdigit(text[i])) return false;
  }
  return true;
}

bool IsJsonPointer(std::string_view text) {
  return text.empty() || (text[0] == '/' && CheckPointerOrExpression(text).empty());
}

bool IsDuration(std::string_view text) { return ParseIsoDuration(text).ok(); }

bool IsRegex(std::string_view text) { return expression::Regex::Compile(text).ok(); }

struct Format {
  std::string_view name;
  bool (*is)(std::string_view text);
  const char* problem;
};
constexpr Format kFormats[] = {
    {"date-time", IsDateTime, "must be a time such as 2024-01-31T12:00:00Z"},
    {"date", IsDate, "must be a date such as 2024-01-31"},
    {"time", IsTime, "must be a time of day such as 12:00:00Z"},
    {"duration", IsDuration, "must be an ISO 8601 duration"},
    {"email", IsEmail, "must be an e-mail address"},
    {"idn-email", IsEmail, "must be an e-mail address"},
    {"hostname", IsHostname, "must be a host name"},
    {"ipv4", IsIpv4, "must be an IPv4 address"},
    {"ipv6", IsIpv6, "must be an IPv6 address"},
    {"uri", IsUri, "must be a URI"},
    {"uri-reference", IsUriReference, "must be a URI or a relative reference"},
    {"uuid", IsUuid, "must be a UUID"},
    {"json-pointer", IsJsonPointer, "must be a JSON pointer"},
    {"regex", IsRegex, "must be a regular expression"},
};

}  // namespace

std::string CheckFormat(std::string_view format, std::string_view text) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.is(text) ? "" : known.problem;
  }
  return "";
}

size_t CountCharacters(std::string_view utf8) {
  return std::count_if(utf8.begin(), utf8.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace jaque::dsl
