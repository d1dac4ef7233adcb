// SPDX-License-Identifier: Apache-2.0
// For schema_agreement: reads definitions as JSON, one a line, and answers each with one line: its
// findings as "pointer: message", joined by " ;; ", or nothing. Constructs that are not built yet
// count as valid.
#include <iostream>
#include <string>

#include "dsl/load.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto result = jaque::dsl::Load(line, {.refuse_unbuilt = false});
    const char* separator = "";
    for (const auto& finding : result.findings) {
      std::cout << separator << finding.pointer << ": " << finding.message;
      separator = " ;; ";
    }
    std::cout << '\n';
  }
}
