// SPDX-License-Identifier: Apache-2.0
#include "worker/secrets.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/text.h"
#include "expression/json.h"

namespace jaque {
namespace {

constexpr std::string_view kPrefix = "JAQUE_SECRET_";
constexpr size_t kSecretBytes = 1 << 20;

// What may be a file's name without leading anywhere else.
bool IsFileName(const std::string& name) {
  if (name.empty() || name.size() > 255 || name[0] == '.') return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

std::string VariableName(const std::string& name) {
  std::string variable(kPrefix);
  for (const char c : name) {
    variable.push_back(absl::ascii_isalnum(c) ? absl::ascii_toupper(c) : '_');
  }
  return variable;
}

Value FromText(std::string text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    absl::StatusOr<Value> parsed = ParseJson(text);
    if (parsed.ok()) return *std::move(parsed);
  }
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return Value::String(text);
}

class FolderSecretStore final : public SecretStore {
 public:
  explicit FolderSecretStore(const SecretStoreOptions& options) : options_(options) {}

  absl::StatusOr<Value> Get(const std::string& name) const override {
    if (!options_.folder.empty() && IsFileName(name)) {
      if (std::optional<std::string> text = ReadFile(options_.folder + "/" + name)) {
        return FromText(*std::move(text));
      }
    }
    const auto variable = options_.environment.find(VariableName(name));
    if (variable != options_.environment.end()) return FromText(variable->second);
    return absl::NotFoundError(Cat("the secret \"", name, "\" is not known to this worker"));
  }

 private:
  static std::optional<std::string> ReadFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    std::string text(kSecretBytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.gcount() == 0 && !in.eof()) return std::nullopt;
    text.resize(static_cast<size_t>(in.gcount()));
    return text;
  }

  const SecretStoreOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SecretStore>> MakeSecretStore(const SecretStoreOptions& options) {
  std::error_code error;
  if (!options.folder.empty() && !std::filesystem::is_directory(options.folder, error)) {
    return absl::InvalidArgumentError(
        Cat("the folder of secrets ", options.folder, " is no folder"));
  }
  return std::make_unique<FolderSecretStore>(options);
}

std::map<std::string, std::string> SecretEnvironment() {
  std::map<std::string, std::string> secrets;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.substr(0, kPrefix.size()) != kPrefix) continue;
    secrets.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return secrets;
}

}  // namespace jaque
