// SPDX-License-Identifier: Apache-2.0
// The flags of the store and of sinks. Main thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "store/retention.h"

namespace jaque::cmd {

struct StoreFlags {
  std::string url;  // empty: see StoreUrl
  store::RetentionRules retention;
  std::vector<std::string> exports;  // further outputs of the sink
};

void AddStoreFlags(CLI::App* app, StoreFlags* flags);

// What -store names or, where it is not given, what stands for it; empty: there is none.
std::string StoreUrl(const StoreFlags& flags, const std::string& data_dir, bool sink, bool ui);

}  // namespace jaque::cmd
