// SPDX-License-Identifier: Apache-2.0
// The flags of the commands: what each is called, means and defaults to. A command adds the groups
// that it knows to its CLI::App; cmd/arguments fills them. Main thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/logging.h"
#include "cmd/access.h"
#include "cmd/store_flags.h"
#include "sqlite/database.h"

namespace jaque::cmd {

enum class Role { kEngine, kWorker, kSink, kNotifier, kUi };

struct Flags {
  // Serving.
  std::set<Role> roles;
  std::string queue = "memory", coordination = "memory", id;
  std::string data_dir;  // empty: what memory has is gone with the process
  sqlite::DatabaseOptions::Sync data_sync = sqlite::DatabaseOptions::Sync::kFull;
  absl::Duration heartbeat_ttl = absl::Seconds(10);
  int expected_engines = 0;  // 0: no quorum guard
  bool standby = true;

  // NATS.
  std::string nats_prefix = "jaque", nats_creds, nats_nkey, nats_ca, nats_cert, nats_key;
  bool nats_tls = false;
  int nats_replicas = 1;
  absl::Duration retention = absl::Hours(24);
  std::string http_listen = "127.0.0.1:8080";
  int http_threads = 1;
  AccessFlags access;
  StoreFlags store;
  uint32_t shards = 128;
  int executors = 1;

  // Definitions.
  std::vector<std::string> definitions;
  std::vector<std::string> samples;  // the same, but what is stored stays

  // The world outside, as workers reach it.
  int workers = 64;
  std::map<std::string, int> worker_pools;  // tasks at a time; empty: `workers` of pool default
  std::vector<std::string> http_resolve;
  std::string http_ca, http_proxy, secrets_dir;
  bool http_refuse_private = false;
  std::string notify_rules;
  absl::Duration stop_grace = absl::Seconds(10);

  // Logs.
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

// Each adds a group of flags.
void AddServeFlags(CLI::App* app, Flags* flags);
void AddClusterFlags(CLI::App* app, Flags* flags);
void AddDefinitionFlags(CLI::App* app, Flags* flags);
void AddOutsideFlags(CLI::App* app, Flags* flags);
// -log-level, -log-format, -config.
void AddProcessFlags(CLI::App* app, Flags* flags);

// "all", "engine,worker": InvalidArgument names what is unknown.
absl::StatusOr<std::set<Role>> ParseTarget(const std::string& text);

// Combinations that cannot work, each refused in one sentence.
absl::Status CheckServeFlags(const Flags& flags);

}  // namespace jaque::cmd
