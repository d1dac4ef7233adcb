// SPDX-License-Identifier: Apache-2.0
// How much a pattern may do between two points where Oniguruma counts. Pure, any thread, one pass.
// Oniguruma bounds backtracking only; repeats of what consumes nothing and look-arounds that scan
// ahead work without a single retry, `(?:(?:\b{9999}){9999}){9999}` for years. regex.cc divides its
// portions by this.
#pragma once

#include <cstddef>
#include <string_view>

namespace jaque::expression {

struct RegexCost {
  // Product of the nested repeat counts over parts that may consume nothing.
  double repeats = 1;
  // Nesting of repeats around look-arounds that scan ahead: each multiplies by the text's length.
  int rescans = 0;
  // The result depends on where a search began (\G): it cannot be cut into portions.
  bool from_start = false;

  // Elementary steps between two retries, on a text of `bytes`.
  double StepsPerRetry(size_t bytes, size_t pattern_bytes) const;
};

// `extended`: flag x. What it cannot follow is taken to be the worst.
RegexCost EstimateCost(std::string_view pattern, bool extended);

}  // namespace jaque::expression
