// SPDX-License-Identifier: Apache-2.0
// The command that does an instance again, from its beginning or from a task of its workflow's
// `do`, as its history says. Waits for the store, so on a thread of the Api's own.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "expression/value.h"
#include "jaque/v1/command.pb.h"
#include "ui/api.h"
#include "ui/command_sender.h"

namespace jaque::ui {

struct RerunRequest {
  bool retry = false;          // from where it ended; else from `task` or `seq`
  std::string task;            // pointer of a task, or of one inside it; empty: see `seq`
  store::HistorySeq seq = 0;   // of a task's row; 0: the beginning
  std::optional<Value> input;  // instead of what the task, or the workflow, got
};

// A StartInstance without object, id and actor. NotFound; FailedPrecondition where the instance, or
// its definition, is not in a state for that; Unavailable while the store has not caught up.
absl::StatusOr<v1::Command> MakeRerun(const ApiParts& parts, const CommandSender& sender,
                                      const std::string& id, const RerunRequest& request);

}  // namespace jaque::ui
