// SPDX-License-Identifier: Apache-2.0
#include "sink/store_output.h"

#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/projection.h"

namespace jaque {
namespace {

absl::StatusOr<store::DefinitionRecord> LookUp(DefinitionStore* definitions,
                                               const std::string& id) {
  const absl::StatusOr<DefinitionStore::WorkflowPtr> workflow = definitions->Get(id);
  if (!workflow.ok()) {
    const absl::Status& status = workflow.status();
    if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) return status;
    LogWarn("a definition cannot be read: its tasks have no names in the store",
            {{"definition", id}, {"why", Message(status)}});
    return absl::NotFoundError(status.message());
  }
  store::DefinitionRecord record;
  record.source = (*workflow)->source;
  for (const dsl::Task* task : (*workflow)->by_index) {
    record.tasks.push_back({task->pointer, task->name, std::string(task->kind_name())});
  }
  return record;
}

// Every batch names the one before it.
void NoteGap(const SinkBatch& batch, const store::ShardPosition& position) {
  if (batch.batch.epoch() < position.epoch || batch.batch.after() == position.sequence) return;
  if (batch.batch.after() < position.sequence) return;
  LogWarn("the log was trimmed before the sink had read it: rows are missing",
          {{"shard", batch.shard}, {"after", position.sequence}, {"through", batch.batch.after()}});
}

}  // namespace

absl::Status StoreOutput::Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) {
  for (size_t at = 0; at < batches.size();) {
    const absl::Status taken = TakeSome(batches, &at, positions);
    if (!taken.ok()) {
      known_definitions_.clear();  // the store may be another one when it comes back
      return taken;
    }
  }
  return absl::OkStatus();
}

absl::Status StoreOutput::TakeSome(const std::vector<SinkBatch>& batches, size_t* at,
                                   SinkPositions* positions) {
  store::Projection projection([this](const std::string& id) { return LookUp(definitions_, id); },
                               &known_definitions_);
  const size_t first = *at;
  for (; *at < batches.size() && projection.events() < limits::kSinkBatchEvents; ++*at) {
    const SinkBatch& batch = batches[*at];
    store::ShardPosition& position = (*positions)[batch.shard];
    NoteGap(batch, position);
    ASSIGN_OR_RETURN(const bool added, projection.Add(batch.batch, batch.sequence, &position));
    if (!added) ProcessMetrics().stale_epochs.Increment();
  }
  const absl::Duration began = clock_->Monotonic();
  const size_t events = projection.events();
  RETURN_IF_ERROR(database_->Write(projection.TakeStatements()).status());
  known_definitions_.insert(projection.definitions().begin(), projection.definitions().end());
  Metrics& metrics = ProcessMetrics();
  metrics.sink_transaction_seconds.Observe(absl::ToDoubleSeconds(clock_->Monotonic() - began));
  metrics.sink_batches.Increment(static_cast<double>(*at - first));
  metrics.sink_events.Increment(static_cast<double>(events));
  return absl::OkStatus();
}

}  // namespace jaque
