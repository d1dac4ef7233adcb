// SPDX-License-Identifier: Apache-2.0
// Definitions in a database of this process (-data-dir), as the text that was submitted; loaded
// when first wanted. Any thread but the writer's: Put waits for the disk.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/semver.h"
#include "log/definition_deletion.h"
#include "log/definition_store.h"
#include "sqlite/group_commit.h"

namespace jaque {

class SqliteDefinitionStore final : public DefinitionStore, public DefinitionDeletion {
 public:
  static std::string Schema();
  // Reads the texts that there are. The writer outlives the store.
  static absl::StatusOr<std::unique_ptr<SqliteDefinitionStore>> Open(sqlite::GroupCommit* writer);

  absl::Status Put(WorkflowPtr workflow) override;
  absl::StatusOr<WorkflowPtr> Get(std::string_view id) override;
  absl::Status Delete(std::string_view id) override;
  bool IsDeleted(std::string_view id) override;
  absl::StatusOr<WorkflowPtr> GetLatest(std::string_view namespace_name) override;
  std::vector<std::string> List() override;

 private:
  struct Known {
    std::string text;
    WorkflowPtr workflow;  // null until it is wanted
  };

  void ForgetVersion(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  explicit SqliteDefinitionStore(sqlite::GroupCommit* writer) : writer_(writer) {}
  Known& Remember(const std::string& id, std::string text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<WorkflowPtr> Load(const std::string& id, const std::string& text);

  sqlite::GroupCommit* const writer_;
  absl::Mutex mutex_;
  std::map<std::string, Known, std::less<>> by_id_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> deleted_ ABSL_GUARDED_BY(mutex_);  // ids
  // Versions by namespace/name, without those that were deleted.
  std::map<std::string, std::set<std::string, LatestOrder>, std::less<>> versions_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
