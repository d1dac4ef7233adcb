// SPDX-License-Identifier: Apache-2.0
// Which server a command talks to, and as whom: contexts of ~/.config/jaque/config.yaml, chosen
// with -context or `jaque context use`. Main thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "cmd/client.h"

namespace jaque::cmd {

struct Context {
  std::string server, token_file, ca_file;
};

struct ContextFile {
  std::string current;  // empty: none
  std::map<std::string, Context> contexts;
};

// $JAQUE_CONFIG_FILE, else $XDG_CONFIG_HOME/jaque/config.yaml, else ~/.config/jaque/config.yaml.
using Environment = std::function<const char*(const std::string&)>;
std::string ContextFilePath(const Environment& environment);

absl::StatusOr<ContextFile> ParseContextFile(const std::string& text, const std::string& path);
std::string ContextFileText(const ContextFile& file);
// A file that is not there has nothing in it.
absl::StatusOr<ContextFile> ReadContextFile(const std::string& path);
absl::Status WriteContextFile(const std::string& path, const ContextFile& file);

// What the command line (or the environment) said; empty: nothing.
struct ServerFlags {
  std::string server, context, token_file, ca_file;
};
// The settings, without the token itself: a token goes to the server that it was named with, so
// that of a context only to the context's.
struct ResolvedServer {
  std::string server, token_file, ca_file;
};
absl::StatusOr<ResolvedServer> ResolveServer(const ServerFlags& flags, const ContextFile& file);

}  // namespace jaque::cmd
