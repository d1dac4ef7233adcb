// SPDX-License-Identifier: Apache-2.0
// Definitions in memory, for one process. Any thread; never blocks for long.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/semver.h"
#include "log/definition_deletion.h"
#include "log/definition_store.h"

namespace jaque {

class MemoryDefinitionStore final : public DefinitionStore, public DefinitionDeletion {
 public:
  absl::Status Put(WorkflowPtr workflow) override;
  absl::StatusOr<WorkflowPtr> Get(std::string_view id) override;
  absl::Status Delete(std::string_view id) override;
  bool IsDeleted(std::string_view id) override;
  absl::StatusOr<WorkflowPtr> GetLatest(std::string_view namespace_name) override;
  std::vector<std::string> List() override;

 private:
  using Versions = std::map<std::string, WorkflowPtr, LatestOrder>;

  absl::Mutex mutex_;
  std::map<std::string, WorkflowPtr, std::less<>> by_id_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Versions, std::less<>> by_name_ ABSL_GUARDED_BY(mutex_);  // namespace/name
  std::set<std::string, std::less<>> deleted_ ABSL_GUARDED_BY(mutex_);            // ids
};

}  // namespace jaque
