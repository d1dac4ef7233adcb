// SPDX-License-Identifier: Apache-2.0
// An output that is not the store: facts as lines of JSON, at least once, in the order of each
// object. Its positions are in the store, and move once the exporter has taken the lines. Its
// follower's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sink/output.h"
#include "store/database.h"

namespace jaque {

// Where lines go.
class Exporter {
 public:
  virtual ~Exporter() = default;
  // All of them, or an error; then they come again.
  virtual absl::Status Export(const std::vector<std::string>& lines) = 0;
};

// The facts of a batch: {"object", "seq", "at", "shard", "epoch", "kind", "fact", "data", "input",
// "context"}. The pair of shard and seq names a fact, also when it comes again.
std::vector<std::string> LinesOf(const SinkBatch& batch);

class ExportOutput final : public Output {
 public:
  // `name` is the flag's value; the store outlives this.
  ExportOutput(std::string name, std::unique_ptr<Exporter> exporter, store::Database* store)
      : name_(std::move(name)), exporter_(std::move(exporter)), store_(store) {}

  const std::string& name() const override { return name_; }
  absl::Status Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) override;

 private:
  const std::string name_;
  const std::unique_ptr<Exporter> exporter_;
  store::Database* const store_;
};

// "ndjson:PATH". InvalidArgument for another one, or a path that cannot be written.
absl::StatusOr<std::unique_ptr<Exporter>> MakeExporter(const std::string& url);

}  // namespace jaque
