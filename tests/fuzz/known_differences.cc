// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/known_differences.h"

#include <array>
#include <cmath>

namespace jaque::fuzz {
namespace {

struct Known {
  std::string_view in_program;
  std::string_view reason;
};

constexpr std::array kKnown = {
    Known{"input", "there is no further input"},
    Known{"halt", "a program cannot end the process"},
    Known{"env", "the environment is empty"},
    Known{"debug", "nothing is written"},
    Known{"have_decnum", "numbers are 64-bit integers or doubles"},
    Known{"getpath/1", "internal"},
    Known{"$__loc__", "the oracle wraps programs"},
    Known{"strptime", "the oracle's libc is not the one of jq's binaries"},
    Known{"strftime", "the oracle's libc is not the one of jq's binaries"},
    Known{"mktime", "-1 is a time, and the oracle's libc fails where others do not"},
    Known{"gmtime", "times before 1970 with fractions, times out of range"},
    Known{"todate", "times out of range"},
    Known{"gamma", "the oracle's libm"},
    Known{"toarray", "not in jq 1.8.2"},
    Known{"@base64d", "bytes that are no UTF-8"},
    Known{"scan(\"\"", "an empty match for each character, not for each byte"},
    Known{"(\"\";", "an empty match for each character, not for each byte"},
};

bool HasWideInteger(const Value& value) {
  if (value.is_number()) return std::fabs(value.AsDouble()) > 9e15;
  bool found = false;
  if (value.is_array()) {
    for (size_t i = 0; i < value.size() && !found; ++i) found = HasWideInteger(value.at(i));
  }
  if (value.is_object()) {
    value.ForEachMember([&](std::string_view, const Value& member) {
      found = HasWideInteger(member);
      return !found;
    });
  }
  return found;
}

// Integers of 64 bits are exact here and doubles there.
bool HasWideInteger(const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (HasWideInteger(value)) return true;
  }
  return false;
}

}  // namespace

bool IsKnownDifference(std::string_view program, const OurResult& ours, const OracleResult& jq) {
  if (ours.bounded || jq.crashed) return true;
  if (HasWideInteger(ours.outputs) || HasWideInteger(jq.outputs)) return true;
  for (const Known& known : kKnown) {
    if (program.find(known.in_program) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace jaque::fuzz
