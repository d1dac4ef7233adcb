// SPDX-License-Identifier: Apache-2.0
#include "expression/formats.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "expression/describe.h"
#include "expression/json.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

// Appends `text` with each byte that `escape` knows replaced.
template <typename Escape>
void AppendEscaped(std::string_view text, Escape escape, std::string* out) {
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view with = escape(text[i]);
    if (with.empty()) continue;
    out->append(text.substr(copied, i - copied));
    out->append(with);
    copied = i + 1;
  }
  out->append(text.substr(copied));
}

std::string_view CsvEscape(char c) { return c == '"' ? "\"\"" : ""; }

std::string_view TsvEscape(char c) {
  switch (c) {
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\n':
      return "\\n";
    case '\\':
      return "\\\\";
    default:
      return "";
  }
}

std::string_view HtmlEscape(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\'':
      return "&apos;";
    case '"':
      return "&quot;";
    default:
      return "";
  }
}

std::string_view ShEscape(char c) { return c == '\'' ? "'\\''" : ""; }

// One field of a CSV or TSV row.
absl::Status AppendField(const Value& field, bool csv, std::string* out) {
  if (field.is_null()) return absl::OkStatus();
  if (field.is_array() || field.is_object()) {
    return TypeError(field, "is not valid in a csv row");
  }
  if (field.is_string()) {
    if (csv) out->push_back('"');
    AppendEscaped(field.AsString(), csv ? CsvEscape : TsvEscape, out);
    if (csv) out->push_back('"');
    return absl::OkStatus();
  }
  if (field.is_number() && std::isnan(field.AsDouble())) return absl::OkStatus();
  AppendJson(field, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Row(const Value& value, bool csv) {
  if (!value.is_array()) {
    return TypeError(
        value, csv ? "cannot be csv-formatted, only array" : "cannot be tsv-formatted, only array");
  }
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out.push_back(csv ? ',' : '\t');
    if (absl::Status status = AppendField(value.at(i), csv, &out); !status.ok()) return status;
  }
  return out;
}

std::string Html(const Value& value) {
  std::string out;
  AppendEscaped(ToText(value), HtmlEscape, &out);
  return out;
}

absl::Status AppendShellWord(const Value& word, std::string* out) {
  if (word.is_array() || word.is_object()) return TypeError(word, "can not be escaped for shell");
  if (!word.is_string()) {
    AppendJson(word, out);
    return absl::OkStatus();
  }
  out->push_back('\'');
  AppendEscaped(word.AsString(), ShEscape, out);
  out->push_back('\'');
  return absl::OkStatus();
}

absl::StatusOr<std::string> Shell(const Value& value) {
  std::string out;
  if (!value.is_array()) {
    absl::Status status = AppendShellWord(value, &out);
    if (!status.ok()) return status;
    return out;
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out.push_back(' ');
    if (absl::Status status = AppendShellWord(value.at(i), &out); !status.ok()) return status;
  }
  return out;
}

// RFC 3986, section 2.3.
bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

std::string UriEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> UriDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]), low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  if (!Utf8Valid(out)) return std::nullopt;
  return out;
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// As jq: the first '=' ends the data, whatever follows; padding may be missing.
absl::StatusOr<std::string> Base64Decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int held = 0;  // bits not yet written
  size_t digits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int digit = Base64Digit(c);
    if (digit < 0) return TypeError(Value::String(text), "is not valid base64 data");
    ++digits;
    bits = (bits << 6 | static_cast<uint32_t>(digit)) & 0xFFFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>(bits >> held & 0xFF));
  }
  if (digits % 4 == 1) return TypeError(Value::String(text), "trailing base64 byte found");
  return out;
}

}  // namespace

std::optional<Format> FindFormat(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Format>, 10> kFormats = {
      {{"text", Format::kText},
       {"json", Format::kJson},
       {"csv", Format::kCsv},
       {"tsv", Format::kTsv},
       {"html", Format::kHtml},
       {"uri", Format::kUri},
       {"urid", Format::kUrid},
       {"sh", Format::kSh},
       {"base64", Format::kBase64},
       {"base64d", Format::kBase64d}}};
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string ToText(const Value& value) {
  return value.is_string() ? std::string(value.AsString()) : ToJson(value);
}

absl::StatusOr<std::string> ApplyFormat(Format format, const Value& value) {
  switch (format) {
    case Format::kText:
      return ToText(value);
    case Format::kJson:
      return ToJson(value);
    case Format::kCsv:
      return Row(value, /*csv=*/true);
    case Format::kTsv:
      return Row(value, /*csv=*/false);
    case Format::kHtml:
      return Html(value);
    case Format::kUri:
      return UriEncode(ToText(value));
    case Format::kUrid: {
      const std::string text = ToText(value);
      if (std::optional<std::string> decoded = UriDecode(text)) return *std::move(decoded);
      return TypeError(Value::String(text), "is not a valid uri encoding");
    }
    case Format::kSh:
      return Shell(value);
    case Format::kBase64:
      return absl::Base64Escape(ToText(value));
    case Format::kBase64d:
      return Base64Decode(ToText(value));
  }
  return absl::InternalError("unknown format");
}

}  // namespace jaque::expression
