// SPDX-License-Identifier: Apache-2.0
// A new folder for a test, removed with the object. What is removed is the folder that mkdtemp made
// and nothing else: the path cannot be set, changed or derived, and a folder that was not made is
// not removed.
#pragma once

#include <string>

namespace jaque::testing {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  bool ok() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  static std::string Make();

  const std::string path_;  // empty if it could not be made
  const bool made_;
};

}  // namespace jaque::testing
