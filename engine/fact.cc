// SPDX-License-Identifier: Apache-2.0
#include "engine/fact.h"

#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

absl::StatusOr<Value> Parse(const std::string& json) {
  absl::StatusOr<Value> value = ParseJson(json);
  if (!value.ok()) {
    return absl::DataLossError(Cat("an event of the log: ", value.status().message()));
  }
  return value;
}

}  // namespace

void Fact::SetData(Value value) {
  AppendJson(value, event.mutable_data());
  data = std::move(value);
}

void Fact::SetInput(Value value) {
  AppendJson(value, event.mutable_input());
  input = std::move(value);
}

void Fact::SetContext(Value value) {
  AppendJson(value, event.mutable_context());
  context = std::move(value);
}

absl::StatusOr<Fact> DecodeFact(v1::Event event, DefinitionStore* definitions) {
  Fact fact;
  if (event.has_data()) {
    ASSIGN_OR_RETURN(fact.data, Parse(event.data()));
  }
  if (event.has_input()) {
    ASSIGN_OR_RETURN(fact.input, Parse(event.input()));
  }
  if (event.has_context()) {
    ASSIGN_OR_RETURN(fact.context, Parse(event.context()));
  }
  if (event.has_instance_started()) {
    ASSIGN_OR_RETURN(fact.workflow, definitions->Get(event.instance_started().definition()));
  }
  if (event.has_schedule_set()) {
    ASSIGN_OR_RETURN(fact.workflow, definitions->Get(event.schedule_set().definition()));
  }
  fact.event = std::move(event);
  return fact;
}

}  // namespace jaque::engine
