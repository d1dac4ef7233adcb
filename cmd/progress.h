// SPDX-License-Identifier: Apache-2.0
// How `jaque run` shows what happens, on standard error: one plain line for each fact, or on a
// terminal a tree of the tasks that is redrawn in place. One thread.
#pragma once

#include <cstdio>
#include <memory>

#include "absl/time/time.h"
#include "cmd/facts.h"

namespace jaque::cmd {

class Progress {
 public:
  virtual ~Progress() = default;
  virtual void Show(const Fact& fact) = 0;
  // Time has passed: what is running has run longer.
  virtual void Tick(absl::Time now) = 0;
  // The workflow has ended; so many that it started and does not await still run.
  virtual void Remain(size_t instances) = 0;
  // Nothing more comes.
  virtual void Finish(absl::Time now) = 0;
};

// `instance` is the one that was asked for; tasks of others (its children) are named with their
// workflow.
std::unique_ptr<Progress> MakePlainProgress(std::FILE* out, std::string instance,
                                            absl::TimeZone zone);

struct TerminalOptions {
  bool colors = true;
  int columns = 80;
  int rows = 24;
};
std::unique_ptr<Progress> MakeTreeProgress(std::FILE* out, std::string instance,
                                           const TerminalOptions& options);

// The plain line of a fact, without its end.
std::string PlainLine(const Fact& fact, const std::string& instance, absl::TimeZone zone);

// Says how many remain.
std::string RemainText(size_t instances);

// The same text with control characters made visible: names and messages come from strangers.
std::string Printable(std::string_view text);

}  // namespace jaque::cmd
