// SPDX-License-Identifier: Apache-2.0
#include "engine/replay.h"

#include <vector>

#include "base/status_macros.h"
#include "base/text.h"
#include "engine/apply.h"

namespace jaque::engine {

absl::Status ApplyBatch(const v1::LogBatch& batch, DefinitionStore* definitions,
                        ShardState* state) {
  if (batch.epoch() < state->epoch) return absl::OkStatus();
  // All of it or nothing: a definition may be out of reach.
  std::vector<Fact> facts;
  for (const v1::Decision& decision : batch.decisions()) {
    for (const v1::Event& event : decision.events()) {
      ASSIGN_OR_RETURN(facts.emplace_back(), DecodeFact(event, definitions));
    }
  }
  state->epoch = batch.epoch();
  auto fact = facts.begin();
  for (const v1::Decision& decision : batch.decisions()) {
    for (int i = 0; i < decision.events_size(); ++i) {
      Apply(state, decision.object_id(), decision.at_micros(), *fact++, nullptr);
    }
  }
  return absl::OkStatus();
}

absl::Status Replay(EventLog* log, ShardId shard, DefinitionStore* definitions, ShardState* state,
                    Sequence* last) {
  return log->Read(shard, *last, [&](const LogRecord& record) -> absl::Status {
    v1::LogBatch batch;
    if (!batch.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size()))) {
      return absl::DataLossError(
          Cat("record ", record.sequence, " of shard ", shard, " is no batch of events"));
    }
    RETURN_IF_ERROR(ApplyBatch(batch, definitions, state));
    *last = record.sequence;
    return absl::OkStatus();
  });
}

}  // namespace jaque::engine
