// SPDX-License-Identifier: Apache-2.0
#include "log/sqlite_definition_store.h"

#include <utility>

#include "base/status_macros.h"
#include "base/text.h"
#include "dsl/load.h"

namespace jaque {
namespace {

absl::Status NoDefinition(std::string_view id) {
  return absl::NotFoundError(Cat("no definition ", id));
}

}  // namespace

std::string SqliteDefinitionStore::Schema() {
  return "CREATE TABLE definitions(id TEXT PRIMARY KEY, text TEXT NOT NULL, "
         "deleted INTEGER NOT NULL DEFAULT 0);";
}

absl::StatusOr<std::unique_ptr<SqliteDefinitionStore>> SqliteDefinitionStore::Open(
    sqlite::GroupCommit* writer) {
  std::unique_ptr<SqliteDefinitionStore> store(new SqliteDefinitionStore(writer));
  RETURN_IF_ERROR(writer->WriteAndWait([self = store.get()](sqlite::Database& database) {
    return database.Query("SELECT id, text, deleted FROM definitions", {},
                          [self](const sqlite::Row& row) {
                            absl::MutexLock lock(&self->mutex_);
                            const std::string id(row.Text(0));
                            self->Remember(id, std::string(row.Text(1)));
                            if (row.Int(2) != 0) self->ForgetVersion(id);
                            return absl::OkStatus();
                          });
  }));
  return store;
}

SqliteDefinitionStore::Known& SqliteDefinitionStore::Remember(const std::string& id,
                                                              std::string text) {
  const size_t colon = id.find(':');
  if (!deleted_.contains(id)) versions_[id.substr(0, colon)].insert(id.substr(colon + 1));
  return by_id_.try_emplace(id, Known{std::move(text), nullptr}).first->second;
}

absl::Status SqliteDefinitionStore::Put(WorkflowPtr workflow) {
  JAQUE_CHECK(workflow != nullptr);
  const std::string id = workflow->id();
  auto stored = std::make_shared<std::string>();
  RETURN_IF_ERROR(writer_->WriteAndWait([workflow, id, stored](sqlite::Database& database) {
    *stored = workflow->source;
    const std::string_view key = id, text = workflow->source;
    RETURN_IF_ERROR(
        database.Run("INSERT INTO definitions(id, text) VALUES (?, ?) ON CONFLICT(id) DO UPDATE "
                     "SET deleted = 0 WHERE text = excluded.text",
                     {key, text}));
    if (database.changed() == 1) return absl::OkStatus();
    return database.Query("SELECT text FROM definitions WHERE id = ?", {key},
                          [&](const sqlite::Row& row) {
                            *stored = std::string(row.Text(0));
                            return absl::OkStatus();
                          });
  }));
  if (*stored != workflow->source) {
    return absl::AlreadyExistsError(Cat("definition ", id, " exists with another text"));
  }
  absl::MutexLock lock(&mutex_);
  deleted_.erase(id);
  Known& known = Remember(id, *stored);
  if (known.workflow == nullptr) known.workflow = std::move(workflow);
  return absl::OkStatus();
}

absl::StatusOr<DefinitionStore::WorkflowPtr> SqliteDefinitionStore::Get(std::string_view id) {
  std::string text;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return NoDefinition(id);
    if (found->second.workflow != nullptr) return found->second.workflow;
    text = found->second.text;
  }
  return Load(std::string(id), text);
}

absl::StatusOr<DefinitionStore::WorkflowPtr> SqliteDefinitionStore::Load(const std::string& id,
                                                                         const std::string& text) {
  dsl::LoadResult loaded = dsl::Load(text);
  if (loaded.workflow == nullptr) {
    // Stored by a version that understood it.
    return absl::FailedPreconditionError(
        Cat("definition ", id, " cannot be loaded: ",
            loaded.findings.empty() ? "" : dsl::FormatFinding(id, loaded.findings.front())));
  }
  absl::MutexLock lock(&mutex_);
  Known& known = Remember(id, text);
  if (known.workflow == nullptr) known.workflow = loaded.workflow;
  return known.workflow;
}

void SqliteDefinitionStore::ForgetVersion(const std::string& id) {
  deleted_.insert(id);
  const size_t colon = id.find(':');
  const auto named = versions_.find(id.substr(0, colon));
  if (named == versions_.end()) return;
  named->second.erase(id.substr(colon + 1));
  if (named->second.empty()) versions_.erase(named);
}

absl::Status SqliteDefinitionStore::Delete(std::string_view id) {
  RETURN_IF_ERROR(Get(id).status());
  RETURN_IF_ERROR(writer_->WriteAndWait([key = std::string(id)](sqlite::Database& database) {
    return database.Run("UPDATE definitions SET deleted = 1 WHERE id = ?", {std::string_view(key)});
  }));
  absl::MutexLock lock(&mutex_);
  ForgetVersion(std::string(id));
  return absl::OkStatus();
}

bool SqliteDefinitionStore::IsDeleted(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  return deleted_.contains(id);
}

absl::StatusOr<DefinitionStore::WorkflowPtr> SqliteDefinitionStore::GetLatest(
    std::string_view namespace_name) {
  std::string id;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = versions_.find(namespace_name);
    if (found == versions_.end()) return NoDefinition(namespace_name);
    id = Cat(found->first, ":", *found->second.rbegin());
  }
  return Get(id);
}

std::vector<std::string> SqliteDefinitionStore::List() {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, known] : by_id_) {
    if (!deleted_.contains(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace jaque
