// SPDX-License-Identifier: Apache-2.0
#include "cmd/contexts.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/status_macros.h"
#include "cmd/files.h"
#include "cmd/yaml_text.h"
#include "dsl/read.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace jaque::cmd {
namespace {

constexpr char kDefaultServer[] = "http://127.0.0.1:8080";

absl::StatusOr<Context> ReadContext(std::string_view name, const Value& value,
                                    const std::string& path) {
  Context context;
  if (value.is_object()) context.server = value.StringOr("server", "");
  if (context.server.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: context {}: write \"server: URL\" in it", path, name));
  }
  context.token_file = value.StringOr("token-file", "");
  context.ca_file = value.StringOr("ca", "");
  return context;
}

}  // namespace

std::string ContextFilePath(const Environment& environment) {
  const auto get = [&environment](const char* name) {
    const char* value = environment(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string path = get("JAQUE_CONFIG_FILE"); !path.empty()) return path;
  std::string folder = get("XDG_CONFIG_HOME");
  if (folder.empty()) folder = get("HOME") + "/.config";
  return folder + "/jaque/config.yaml";
}

absl::StatusOr<ContextFile> ParseContextFile(const std::string& text, const std::string& path) {
  ContextFile file;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return file;
  dsl::Findings findings;
  const auto document = dsl::ReadDocument(text, &findings);
  if (document == nullptr || !document->is_object()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: this is no YAML with \"current\" and \"contexts\"", path));
  }
  file.current = document->value.StringOr("current", "");
  const Value* contexts = document->value.Find("contexts");
  if (contexts == nullptr) return file;
  if (!contexts->is_object()) {
    return absl::InvalidArgumentError(fmt::format("{}: contexts: a name for each", path));
  }
  for (const std::string_view name : contexts->Keys()) {
    ASSIGN_OR_RETURN(file.contexts[std::string(name)],
                     ReadContext(name, *contexts->Find(name), path));
  }
  return file;
}

std::string ContextFileText(const ContextFile& file) {
  Value contexts = Value::Object();
  for (const auto& [name, context] : file.contexts) {
    Value one = Value::Object({{"server", Value::String(context.server)}});
    if (!context.token_file.empty()) one.Set("token-file", Value::String(context.token_file));
    if (!context.ca_file.empty()) one.Set("ca", Value::String(context.ca_file));
    contexts.Set(name, one);
  }
  return YamlText(
      Value::Object({{"current", Value::String(file.current)}, {"contexts", contexts}}));
}

absl::StatusOr<ContextFile> ReadContextFile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return ContextFile();
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kConfigBytes));
  return ParseContextFile(text, path);
}

absl::Status WriteContextFile(const std::string& path, const ContextFile& file) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string fresh = path + ".new";
  std::ofstream(fresh, std::ios::trunc) << ContextFileText(file);
  if (!error) std::filesystem::rename(fresh, path, error);
  if (!error) return absl::OkStatus();
  return absl::NotFoundError(fmt::format("cannot write {}: {}", path, error.message()));
}

absl::StatusOr<ResolvedServer> ResolveServer(const ServerFlags& flags, const ContextFile& file) {
  ResolvedServer resolved{flags.server, flags.token_file, flags.ca_file};
  const std::string& name = flags.context.empty() ? file.current : flags.context;
  if (!name.empty() && (flags.server.empty() || !flags.context.empty())) {
    const auto found = file.contexts.find(name);
    if (found == file.contexts.end()) {
      std::vector<std::string> names;
      for (const auto& [known, context] : file.contexts) names.push_back(known);
      return absl::InvalidArgumentError(
          fmt::format("there is no context {}: there are {}; `jaque context set` makes one", name,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    const Context& context = found->second;
    if (resolved.server.empty()) resolved.server = context.server;
    if (resolved.server == context.server) {
      if (resolved.token_file.empty()) resolved.token_file = context.token_file;
      if (resolved.ca_file.empty()) resolved.ca_file = context.ca_file;
    }
  }
  if (resolved.server.empty()) resolved.server = kDefaultServer;
  return resolved;
}

}  // namespace jaque::cmd
