// SPDX-License-Identifier: Apache-2.0
// The output that is the store: batches become rows, in transactions with the positions. Its
// follower's thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "log/definition_store.h"
#include "sink/output.h"
#include "store/database.h"

namespace jaque {

class StoreOutput final : public Output {
 public:
  // All outlive it.
  StoreOutput(const Clock* clock, DefinitionStore* definitions, store::Database* database)
      : clock_(clock), definitions_(definitions), database_(database) {}

  const std::string& name() const override { return name_; }
  absl::Status Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) override;

 private:
  // One transaction, of the batches from `*at` on; moves it.
  absl::Status TakeSome(const std::vector<SinkBatch>& batches, size_t* at,
                        SinkPositions* positions);

  const std::string name_;
  const Clock* const clock_;
  DefinitionStore* const definitions_;
  store::Database* const database_;
  std::set<std::string> known_definitions_;
};

}  // namespace jaque
