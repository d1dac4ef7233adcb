// SPDX-License-Identifier: Apache-2.0
#include "cmd/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/status_macros.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

absl::Status ReadError(const std::string& path, const std::string& why) {
  return absl::NotFoundError(fmt::format("cannot read {}: {}", path, why));
}

absl::StatusOr<std::string> ReadStream(std::FILE* file, const std::string& path, size_t limit) {
  std::string text;
  char buffer[64 << 10];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
    if (text.size() + count > limit) {
      return absl::ResourceExhaustedError(
          fmt::format("{} is longer than {} bytes, the most that is read", path, limit));
    }
    text.append(buffer, count);
  }
  if (std::ferror(file) != 0) return ReadError(path, std::strerror(errno));
  return text;
}

bool IsDefinitionFile(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit) {
  if (path == "-") return ReadStream(stdin, "standard input", limit);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return ReadError(path, "it is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) return ReadError(path, std::strerror(errno));
  return ReadStream(file.get(), path, limit);
}

absl::StatusOr<std::vector<std::string>> DefinitionFiles(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) return ReadError(path, error.message());
  if (!std::filesystem::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  std::filesystem::directory_iterator entries(path, error);
  if (error) return ReadError(path, error.message());
  for (const auto& entry : entries) {
    if (IsDefinitionFile(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace jaque::cmd
