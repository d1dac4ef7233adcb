// SPDX-License-Identifier: Apache-2.0
// Definitions by namespace, name and version: immutable once stored. Siblings:
// memory_definition_store, nats_definition_store (KV jaque_definitions). Any thread; Get of a
// definition that was got before does not block.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dsl/model.h"

namespace jaque {

class DefinitionStore {
 public:
  using WorkflowPtr = std::shared_ptr<const dsl::Workflow>;

  virtual ~DefinitionStore() = default;

  // Stores a loaded definition. The same text again is OK; AlreadyExists for another text of that
  // version.
  virtual absl::Status Put(WorkflowPtr workflow) = 0;

  // NotFound if absent. `id` is namespace/name:version.
  virtual absl::StatusOr<WorkflowPtr> Get(std::string_view id) = 0;

  // The highest release by semantic-version order; where there is none, the highest pre-release.
  // NotFound if there is no version at all.
  virtual absl::StatusOr<WorkflowPtr> GetLatest(std::string_view namespace_name) = 0;

  // Ids, sorted.
  virtual std::vector<std::string> List() = 0;
};

}  // namespace jaque
