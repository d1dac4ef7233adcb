// SPDX-License-Identifier: Apache-2.0
#include "log/memory_definition_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace jaque {

absl::Status MemoryDefinitionStore::Put(WorkflowPtr workflow) {
  JAQUE_CHECK(workflow != nullptr);
  absl::MutexLock lock(&mutex_);
  const auto [place, inserted] = by_id_.emplace(workflow->id(), workflow);
  if (!inserted && place->second->source != workflow->source) {
    return absl::AlreadyExistsError(
        absl::StrCat("definition ", place->first, " exists with another text"));
  }
  deleted_.erase(place->first);
  workflow = place->second;
  by_name_[workflow->namespace_ + "/" + workflow->name].emplace(workflow->version, workflow);
  return absl::OkStatus();
}

absl::StatusOr<DefinitionStore::WorkflowPtr> MemoryDefinitionStore::Get(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    return absl::NotFoundError(absl::StrCat("no definition ", std::string(id)));
  }
  return found->second;
}

absl::Status MemoryDefinitionStore::Delete(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    return absl::NotFoundError(absl::StrCat("no definition ", std::string(id)));
  }
  deleted_.insert(found->first);
  const auto named = by_name_.find(found->first.substr(0, found->first.find(':')));
  if (named == by_name_.end()) return absl::OkStatus();
  named->second.erase(found->second->version);
  if (named->second.empty()) by_name_.erase(named);
  return absl::OkStatus();
}

bool MemoryDefinitionStore::IsDeleted(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  return deleted_.contains(id);
}

absl::StatusOr<DefinitionStore::WorkflowPtr> MemoryDefinitionStore::GetLatest(
    std::string_view namespace_name) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_name_.find(namespace_name);
  if (found == by_name_.end()) {
    return absl::NotFoundError(absl::StrCat("no definition ", std::string(namespace_name)));
  }
  return found->second.rbegin()->second;
}

std::vector<std::string> MemoryDefinitionStore::List() {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> ids;
  ids.reserve(by_id_.size());
  for (const auto& [id, workflow] : by_id_) {
    if (!deleted_.contains(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace jaque
