// SPDX-License-Identifier: Apache-2.0
// From batches of the log to rows. It knows nothing of earlier batches: what a fact needs to know
// is in the rows, so its statements ask them, and whoever goes on after a crash makes the same
// rows. One object is one transaction. One thread; only AddStatements of a definition that is new
// waits (for where definitions are).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "jaque/v1/event.pb.h"
#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

// Of a definition, what rows are made of.
struct DefinitionRecord {
  struct Task {
    std::string pointer, name, kind;
  };
  std::string source;
  std::vector<Task> tasks;  // by dsl::Task::index
};
// NotFound: nobody has it, or this program cannot read it; its tasks have no names then. Any other
// error: the batch is to be tried again.
using DefinitionLookup = std::function<absl::StatusOr<DefinitionRecord>(const std::string& id)>;

class Projection {
 public:
  // `known`: definitions whose rows are stored already; outlives this.
  Projection(DefinitionLookup lookup, const std::set<std::string>* known)
      : lookup_(std::move(lookup)), known_(*known) {}

  // The batch that follows the one at `position->sequence`, which is moved to it. False for one of
  // an epoch that has passed, which gives no rows.
  absl::StatusOr<bool> Add(const v1::LogBatch& batch, uint64_t sequence, ShardPosition* position);

  // One transaction. Aborted if a position is not where it was.
  std::vector<Statement> TakeStatements();
  size_t events() const { return events_; }
  // That are among the statements.
  const std::set<std::string>& definitions() const { return definitions_; }

 private:
  struct Move {
    uint64_t from = 0;
    ShardPosition to;
  };
  absl::Status AddDefinitions(const v1::LogBatch& batch);
  void AddDecisions(const v1::LogBatch& batch, uint64_t sequence, uint32_t shard);

  const DefinitionLookup lookup_;
  const std::set<std::string>& known_;
  std::set<std::string> definitions_;
  std::map<uint32_t, Move> moves_;
  std::map<std::string, std::vector<Statement>> definition_rows_;
  std::vector<Statement> rows_;
  size_t events_ = 0;
};

}  // namespace jaque::store
