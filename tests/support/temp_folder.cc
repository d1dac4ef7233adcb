// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temp_folder.h"

#include <cstdlib>
#include <filesystem>

namespace jaque::testing {

TempFolder::TempFolder() : path_(Make()), made_(!path_.empty()) {}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::Make() {
  std::string name = (std::filesystem::temp_directory_path() / "jaque-test-XXXXXX").string();
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

}  // namespace jaque::testing
