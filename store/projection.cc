// SPDX-License-Identifier: Apache-2.0
#include "store/projection.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "store/fact_rows.h"
#include "store/positions.h"

namespace jaque::store {
namespace {

constexpr std::string_view kDefinition =
    "INSERT INTO definitions (id, namespace, name, version, source) VALUES ($1, $2, $3, $4, $5)"
    " ON CONFLICT DO NOTHING";
constexpr std::string_view kDefinitionTask =
    "INSERT INTO definition_tasks (definition, task, pointer, name, kind)"
    " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

}  // namespace

absl::StatusOr<bool> Projection::Add(const v1::LogBatch& batch, uint64_t sequence,
                                     ShardPosition* position) {
  const bool stale = batch.epoch() < position->epoch;
  // First of all, since it can fail: what is added is added whole.
  if (!stale) RETURN_IF_ERROR(AddDefinitions(batch));
  Move& move = moves_.try_emplace(position->shard, Move{position->sequence, {}}).first->second;
  position->sequence = sequence;
  if (!stale) {
    position->epoch = batch.epoch();
    position->engine = batch.engine_id();
    if (batch.decisions_size() > 0) {
      position->at = batch.decisions(batch.decisions_size() - 1).at_micros();
    }
    AddDecisions(batch, sequence, position->shard);
  }
  move.to = *position;
  return !stale;
}

absl::Status Projection::AddDefinitions(const v1::LogBatch& batch) {
  for (const v1::Decision& decision : batch.decisions()) {
    for (const v1::Event& event : decision.events()) {
      if (!event.has_instance_started()) continue;
      const std::string& id = event.instance_started().definition();
      if (known_.contains(id) || definitions_.contains(id)) continue;
      absl::StatusOr<DefinitionRecord> record = lookup_(id);
      if (absl::IsNotFound(record.status())) record = DefinitionRecord();
      RETURN_IF_ERROR(record.status());
      const DefinitionId parts = SplitDefinitionId(id);
      std::vector<Statement>& rows = definition_rows_[id];
      rows.push_back(
          {kDefinition, {id, parts.namespace_, parts.name, parts.version, record->source}});
      for (size_t i = 0; i < record->tasks.size(); ++i) {
        const DefinitionRecord::Task& task = record->tasks[i];
        rows.push_back(
            {kDefinitionTask, {id, static_cast<int64_t>(i), task.pointer, task.name, task.kind}});
      }
      definitions_.insert(id);
    }
  }
  return absl::OkStatus();
}

void Projection::AddDecisions(const v1::LogBatch& batch, uint64_t sequence, uint32_t shard) {
  HistorySeq seq = static_cast<HistorySeq>(sequence << 20);
  std::map<std::string, FactPlace> touched;  // instances, by their last fact
  for (const v1::Decision& decision : batch.decisions()) {
    const std::string& object = decision.object_id();
    TaskRows tasks(&rows_);
    for (const v1::Event& event : decision.events()) {
      const FactPlace place{object, seq++, decision.at_micros(), shard, batch.epoch()};
      ++events_;
      if (object.empty()) {
        AddShardRows(place, event, &rows_);
      } else if (absl::StartsWith(object, "schedule/")) {
        AddScheduleRows(place, event, &rows_);
      } else {
        // Of a start it comes after the instance that it belongs to.
        if (!event.has_instance_started()) AddHistoryRow(place, event, &rows_);
        AddInstanceRows(place, event, &rows_);
        if (event.has_instance_started()) AddHistoryRow(place, event, &rows_);
        tasks.Add(place, event);
        touched.insert_or_assign(object, place);
      }
    }
  }
  for (const auto& [object, last] : touched) AddStatusRow(last, &rows_);
}

std::vector<Statement> Projection::TakeStatements() {
  std::vector<Statement> statements;
  // The shards first and in order: whoever has these rows has the shards' instances too, and no two
  // wait for each other. Then what shards share.
  for (const auto& [shard, move] : moves_) {
    statements.push_back(MovePosition(kStoreOutput, move.from, move.to));
  }
  for (auto& [id, rows] : definition_rows_) {
    for (Statement& row : rows) statements.push_back(std::move(row));
  }
  for (Statement& row : rows_) statements.push_back(std::move(row));
  definition_rows_.clear();
  rows_.clear();
  moves_.clear();
  return statements;
}

}  // namespace jaque::store
