// SPDX-License-Identifier: Apache-2.0
// An output that is not the store: at least once, in the order of each object. Its positions are in
// the store, and move with every piece that the exporter has taken. Its follower's thread, but for
// Stop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sink/output.h"
#include "store/database.h"

namespace jaque {

// Where a piece of the log goes.
class Exporter {
 public:
  virtual ~Exporter() = default;
  // All of it, or an error; then it comes again, but after InvalidArgument: that who takes it never
  // wants it. How many records it made.
  virtual absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) = 0;
  // What waits for the outside ends soon, with an error. Any thread.
  virtual void Stop() {}
  // It looks into the store for what the facts do not say: so that has to have them before.
  virtual bool after_store() const { return false; }
};

// A fact for others: {"object", "seq", "at", "shard", "epoch", "kind", "fact", "data", "input",
// "context"}. The pair of shard and seq names it, also when it comes again.
struct ExportedFact {
  std::string object, kind;
  int64_t seq = 0;
  std::string line;        // JSON
  std::string short_line;  // without what a workflow may make large
};
std::vector<ExportedFact> FactsOf(const SinkBatch& batch);

class ExportOutput final : public Output {
 public:
  // `name` is what the flag says; the store outlives this.
  ExportOutput(std::string name, std::unique_ptr<Exporter> exporter, store::Database* store)
      : name_(std::move(name)), exporter_(std::move(exporter)), store_(store) {}

  const std::string& name() const override { return name_; }
  absl::Status Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) override;
  void Stop() override { exporter_->Stop(); }
  bool after_store() const override { return exporter_->after_store(); }

 private:
  absl::Status TakePiece(absl::Span<const SinkBatch> batches, SinkPositions* positions);

  const std::string name_;
  const std::unique_ptr<Exporter> exporter_;
  store::Database* const store_;
};

}  // namespace jaque
