// SPDX-License-Identifier: Apache-2.0
// An event of the log with its JSON decoded: what Decide emits and Apply consumes, live and in
// replay. Live, the values are those that Decide computed; in replay they are parsed from the
// event.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "expression/value.h"
#include "jaque/v1/event.pb.h"
#include "log/definition_store.h"

namespace jaque::engine {

struct Fact {
  v1::Event event;
  std::optional<Value> data, input, context;
  DefinitionStore::WorkflowPtr workflow;  // of InstanceStarted and ScheduleSet only

  // Sets the value and its JSON together, so that they cannot differ.
  void SetData(Value value);
  void SetInput(Value value);
  void SetContext(Value value);
  // Bytes of the event, as far as it is set: values, and what else may be large.
  size_t ValueBytes() const { return event.ByteSizeLong(); }
};

// DataLoss if the JSON of an event cannot be read; what the store says if its definition is
// missing.
absl::StatusOr<Fact> DecodeFact(v1::Event event, DefinitionStore* definitions);

}  // namespace jaque::engine
