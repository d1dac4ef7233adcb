// SPDX-License-Identifier: Apache-2.0
// What an engine had of an instance at a place of its history: the stored facts go through
// engine/apply again. Bounded; waits for the store, so on a thread of the Api's own. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/fact.h"
#include "engine/state.h"
#include "log/definition_store.h"
#include "store/store.h"

namespace jaque::ui {

class InstanceReplay {
 public:
  InstanceReplay(store::Store* store, DefinitionStore* definitions, std::string id)
      : store_(store), definitions_(definitions), id_(std::move(id)) {}

  // Sees a fact before (`applied` false) and after it has changed the state; false: far enough.
  using Visit =
      std::function<bool(const store::HistoryItem& item, const engine::Fact& fact, bool applied)>;
  // NotFound if the store has no such instance, DataLoss if its history has no beginning,
  // ResourceExhausted if it is too long.
  absl::Status Run(const Visit& visit);

  // As of now; null before its start, and once it has ended and owes nothing.
  const engine::Instance* instance() const { return state_.Find(id_); }

 private:
  absl::Status ApplyPage(const store::HistoryPage& page, const Visit& visit, bool* enough);

  store::Store* const store_;
  DefinitionStore* const definitions_;
  const std::string id_;
  engine::ShardState state_;
  size_t facts_ = 0, bytes_ = 0;
};

// A task of the workflow's `do` was begun, with this.
struct TopLevelBegin {
  store::HistorySeq seq = 0;  // of the fact that led to it
  uint32_t position = 0;
  Value data, context;  // raw input of the task; context
};

// Every beginning of a task of the workflow's `do`, in order; the workflow's raw input.
struct TopLevelHistory {
  DefinitionStore::WorkflowPtr workflow;
  Value input;
  std::vector<TopLevelBegin> begins;
};
absl::StatusOr<TopLevelHistory> ReadTopLevel(store::Store* store, DefinitionStore* definitions,
                                             const std::string& id);

}  // namespace jaque::ui
