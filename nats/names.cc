// SPDX-License-Identifier: Apache-2.0
#include "nats/names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace jaque::nats {
namespace {

constexpr char kHex[] = "0123456789ABCDEF";

bool Stays(unsigned char c) { return absl::ascii_isalnum(c) || c == '-'; }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string EncodeToken(std::string_view text) {
  if (text.empty()) return "_";
  std::string token;
  token.reserve(text.size());
  for (const unsigned char c : text) {
    if (Stays(c)) {
      token.push_back(static_cast<char>(c));
    } else {
      token.append({'_', kHex[c >> 4], kHex[c & 15]});
    }
  }
  return token;
}

absl::StatusOr<std::string> DecodeToken(std::string_view token) {
  std::string text;
  if (token == "_") return text;
  for (size_t i = 0; i < token.size(); ++i) {
    if (Stays(token[i])) {
      text.push_back(token[i]);
      continue;
    }
    const int high = i + 2 < token.size() ? HexValue(token[i + 1]) : -1;
    const int low = i + 2 < token.size() ? HexValue(token[i + 2]) : -1;
    if (token[i] != '_' || high < 0 || low < 0) break;
    text.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (token.empty() || EncodeToken(text) != token) {
    return absl::InvalidArgumentError("not an encoded name");
  }
  return text;
}

absl::StatusOr<Names> Names::Make(std::string_view prefix) {
  const bool good = !prefix.empty() && prefix.size() <= 32 && absl::ascii_islower(prefix[0]) &&
                    std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) {
                      return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
                    });
  if (!good) {
    return absl::InvalidArgumentError(
        "the prefix must be 1 to 32 of a-z, 0-9 and '-', beginning with a letter");
  }
  return Names(std::string(prefix));
}

std::string Names::Stream(std::string_view name) const {
  return absl::StrCat(absl::AsciiStrToUpper(prefix_), "_", std::string(name));
}
std::string Names::Subject(std::string_view rest) const {
  return absl::StrCat(prefix_, ".", std::string(rest));
}
std::string Names::Bucket(std::string_view name) const {
  return absl::StrCat(prefix_, "_", std::string(name));
}

}  // namespace jaque::nats
