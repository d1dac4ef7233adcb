// SPDX-License-Identifier: Apache-2.0
// Masks secrets in what leaves a worker as text for people: details of errors, request headers and
// addresses, log lines. Knows a secret's own text, its lines, its base64 (at each alignment), URL
// and JSON forms. What a task outputs is the author's affair and is not masked. One thread at a
// time to Add; any to Redact.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expression/value.h"

namespace jaque {

class Redactor {
 public:
  static constexpr std::string_view kMask = "***";
  // Shorter ones cannot be told from other text.
  static constexpr size_t kShortest = 3;

  void Add(std::string_view secret);
  // Every string inside, and numbers of as many digits.
  void AddAll(const Value& value);

  std::string Redact(std::string_view text) const;

 private:
  void AddPattern(std::string pattern, size_t shortest);

  std::vector<std::string> patterns_;  // longest first, each once
};

}  // namespace jaque
