// SPDX-License-Identifier: Apache-2.0
// From the facts of one shard's log to the lifecycle events of the DSL (reference, "Lifecycle
// Events"). Remembers of each instance that has not ended what its later facts do not say: its
// definition, and which task each frame runs. The same batch gives the same events with the same
// keys, whoever reads it. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "expression/value.h"
#include "jaque/v1/event.pb.h"
#include "log/definition_store.h"
#include "log/event_log.h"

namespace jaque::notifier {

// What a type's name begins with: "io.serverlessworkflow.workflow.faulted.v1".
inline constexpr char kTypePrefix[] = "io.serverlessworkflow.";
inline constexpr char kTypeSuffix[] = ".v1";

struct LifecycleEvent {
  std::string_view type;  // "workflow.faulted"
  std::string key;        // within its batch: unique, and always the same
  std::string instance, namespace_, name, version;
  int64_t at_micros = 0;
  uint32_t order = 0;  // in the batch
  Value data;          // as the reference says, and `definition`
};

// All types, as rules may name them.
const std::vector<std::string_view>& LifecycleTypes();

class LifecycleReader {
 public:
  explicit LifecycleReader(DefinitionStore* definitions) : definitions_(definitions) {}

  using Visit = absl::FunctionRef<void(LifecycleEvent)>;
  // Facts of instances whose start was not read (it was trimmed) make no events.
  void Read(const v1::LogBatch& batch, Visit visit);

  // What it remembers, as JSON, and back.
  std::string Save() const;
  absl::Status Restore(std::string_view saved);
  size_t instances() const { return instances_.size(); }

 private:
  struct Frame {
    uint32_t parent = 0, task = 0;
  };
  struct Instance {
    std::string definition;
    absl::btree_map<uint32_t, Frame> frames;
    Value correlation;  // keys of events that its listens took
  };
  class Decision;  // reads one

  DefinitionStore* const definitions_;
  absl::flat_hash_map<std::string, Instance> instances_;
};

}  // namespace jaque::notifier
