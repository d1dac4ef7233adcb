// SPDX-License-Identifier: Apache-2.0
// Definitions in the KV bucket <prefix>_definitions, as the text that was submitted; loaded when
// first wanted. Any thread but the library's callbacks: Put, and Get of what this process has not
// seen, wait for the server. What another process put is listed, and is the latest, some
// milliseconds later.
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
#include "nats/bucket.h"
#include "nats/names.h"

namespace jaque {

class NatsDefinitionStore final : public DefinitionStore, public DefinitionDeletion {
 public:
  // Makes or checks the bucket and reads what it holds. The connection outlives the store.
  static absl::StatusOr<std::unique_ptr<NatsDefinitionStore>> Open(nats::Connection* connection,
                                                                   const nats::Names& names,
                                                                   int replicas);

  absl::Status Put(WorkflowPtr workflow) override;
  absl::StatusOr<WorkflowPtr> Get(std::string_view id) override;
  absl::Status Delete(std::string_view id) override;
  bool IsDeleted(std::string_view id) override;
  absl::StatusOr<WorkflowPtr> GetLatest(std::string_view namespace_name) override;
  std::vector<std::string> List() override;

 private:
  struct Known {
    std::string text;      // until it is loaded
    WorkflowPtr workflow;  // null until then
  };

  explicit NatsDefinitionStore(nats::Bucket bucket) : bucket_(std::move(bucket)) {}
  // A key of the bucket has come: remembers it.
  void OnEntry(const nats::BucketEntry& entry);
  void MarkDeleted(const std::string& id, bool deleted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remember(const std::string& id, Known known) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<WorkflowPtr> LoadAndRemember(const std::string& id, const std::string& text);

  const nats::Bucket bucket_;
  absl::Mutex mutex_;
  std::map<std::string, Known, std::less<>> by_id_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> deleted_ ABSL_GUARDED_BY(mutex_);  // ids
  // Versions by namespace/name, without those that were deleted.
  std::map<std::string, std::set<std::string, LatestOrder>, std::less<>> versions_
      ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<nats::StreamReader> watch_;  // goes first
};

}  // namespace jaque
