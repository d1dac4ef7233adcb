// SPDX-License-Identifier: Apache-2.0
// Whether a file is still the one that was read. One thread.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <tuple>

namespace jaque::ui {

// Changes whenever somebody writes the file or puts another in its place; nullopt: there is none.
using FileStamp = std::optional<std::tuple<ino_t, off_t, time_t, long>>;

inline FileStamp StampOf(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::tuple{info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace jaque::ui
