// SPDX-License-Identifier: Apache-2.0
#include "log/nats_definition_store.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "dsl/load.h"

namespace jaque {
namespace {

constexpr absl::Duration kReadWithin = absl::Seconds(30);
constexpr size_t kIdBytes = 1'024;

// The key of "namespace/name:version"; nullopt for what is no id.
std::optional<std::string> KeyOf(std::string_view id) {
  const size_t slash = id.find('/'), colon = id.find(':');
  if (id.size() > kIdBytes || slash == std::string_view::npos || colon == std::string_view::npos ||
      slash == 0 || colon <= slash + 1 || colon + 1 == id.size()) {
    return std::nullopt;
  }
  return absl::StrCat(nats::EncodeToken(id.substr(0, slash)), ".",
                      nats::EncodeToken(id.substr(slash + 1, colon - slash - 1)), ".",
                      nats::EncodeToken(id.substr(colon + 1)));
}

// The id of a key; nullopt for a key that somebody else put.
std::optional<std::string> IdOf(const std::string& key) {
  const std::vector<std::string> tokens = absl::StrSplit(key, '.');
  if (tokens.size() != 3) return std::nullopt;
  const auto space = nats::DecodeToken(tokens[0]), name = nats::DecodeToken(tokens[1]),
             version = nats::DecodeToken(tokens[2]);
  if (!space.ok() || !name.ok() || !version.ok()) return std::nullopt;
  const std::string id = absl::StrCat(*space, "/", *name, ":", *version);
  return KeyOf(id) == key ? std::optional<std::string>(id) : std::nullopt;
}

// Beside a definition's key there is this one while it is deleted.
constexpr char kDeletedMark[] = ".deleted";

absl::Status NoDefinition(std::string_view id) {
  return absl::NotFoundError(absl::StrCat("no definition ", std::string(id.substr(0, kIdBytes))));
}

}  // namespace

absl::StatusOr<std::unique_ptr<NatsDefinitionStore>> NatsDefinitionStore::Open(
    nats::Connection* connection, const nats::Names& names, int replicas) {
  ASSIGN_OR_RETURN(nats::Bucket bucket, nats::Bucket::Open(connection, names.Bucket("definitions"),
                                                           replicas, absl::ZeroDuration()));
  std::unique_ptr<NatsDefinitionStore> store(new NatsDefinitionStore(std::move(bucket)));
  auto caught_up = std::make_shared<absl::Notification>();
  store->watch_ = store->bucket_.Watch(
      [self = store.get()](const nats::BucketEntry& entry) { self->OnEntry(entry); },
      [caught_up] { caught_up->Notify(); });
  if (!caught_up->WaitForNotificationWithTimeout(kReadWithin)) {
    return absl::DeadlineExceededError("the definitions cannot be read from NATS");
  }
  return store;
}

void NatsDefinitionStore::OnEntry(const nats::BucketEntry& entry) {
  const bool mark = !IdOf(entry.key) && absl::EndsWith(entry.key, kDeletedMark);
  const std::optional<std::string> id =
      IdOf(mark ? entry.key.substr(0, entry.key.size() + 1 - sizeof(kDeletedMark)) : entry.key);
  if (!id) return;
  absl::MutexLock lock(&mutex_);
  if (mark) return MarkDeleted(*id, !entry.deleted);
  if (entry.deleted) return;
  Remember(*id, {entry.value, nullptr});
}

void NatsDefinitionStore::Remember(const std::string& id, Known known) {
  Known& slot = by_id_[id];
  if (slot.workflow != nullptr) return;
  slot = std::move(known);
  if (!deleted_.contains(id)) MarkDeleted(id, false);
}

void NatsDefinitionStore::MarkDeleted(const std::string& id, bool deleted) {
  const size_t colon = id.find(':');
  const std::string name = id.substr(0, colon), version = id.substr(colon + 1);
  if (!deleted) {
    deleted_.erase(id);
    if (by_id_.contains(id)) versions_[name].insert(version);
    return;
  }
  deleted_.insert(id);
  const auto named = versions_.find(name);
  if (named == versions_.end()) return;
  named->second.erase(version);
  if (named->second.empty()) versions_.erase(named);
}

absl::Status NatsDefinitionStore::Delete(std::string_view id) {
  RETURN_IF_ERROR(Get(id).status());
  RETURN_IF_ERROR(bucket_.Put(*KeyOf(id) + kDeletedMark, "1").status());
  absl::MutexLock lock(&mutex_);
  MarkDeleted(std::string(id), true);
  return absl::OkStatus();
}

bool NatsDefinitionStore::IsDeleted(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  return deleted_.contains(id);
}

absl::StatusOr<DefinitionStore::WorkflowPtr> NatsDefinitionStore::LoadAndRemember(
    const std::string& id, const std::string& text) {
  dsl::LoadResult loaded = dsl::Load(text);
  if (loaded.workflow == nullptr) {
    // Stored by a version that understood it.
    return absl::FailedPreconditionError(absl::StrCat(
        "definition ", id, " cannot be loaded: ",
        loaded.findings.empty() ? "" : dsl::FormatFinding(id, loaded.findings.front())));
  }
  absl::MutexLock lock(&mutex_);
  Remember(id, {"", loaded.workflow});
  return by_id_.find(id)->second.workflow;
}

absl::Status NatsDefinitionStore::Put(WorkflowPtr workflow) {
  JAQUE_CHECK(workflow != nullptr);
  const std::string id = workflow->id();
  const std::optional<std::string> key = KeyOf(id);
  if (!key) return absl::InvalidArgumentError("the definition's name and version make no id");
  const auto put = bucket_.Update(*key, workflow->source, 0);
  if (put.ok()) {
    absl::MutexLock lock(&mutex_);
    Remember(id, {"", std::move(workflow)});
    return absl::OkStatus();
  }
  if (!absl::IsAborted(put.status())) return put.status();
  ASSIGN_OR_RETURN(const nats::BucketEntry stored, bucket_.Get(*key));
  if (stored.value == workflow->source) {
    RETURN_IF_ERROR(bucket_.Delete(*key + kDeletedMark));
    absl::MutexLock lock(&mutex_);
    Remember(id, {"", std::move(workflow)});
    MarkDeleted(id, false);
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(absl::StrCat("definition ", id, " exists with another text"));
}

absl::StatusOr<DefinitionStore::WorkflowPtr> NatsDefinitionStore::Get(std::string_view id) {
  std::string text;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) {
      if (found->second.workflow != nullptr) return found->second.workflow;
      text = found->second.text;
    }
  }
  const std::optional<std::string> key = KeyOf(id);
  if (!key) return NoDefinition(id);
  if (text.empty()) {
    auto stored = bucket_.Get(*key);
    if (absl::IsNotFound(stored.status())) return NoDefinition(id);
    RETURN_IF_ERROR(stored.status());
    text = std::move(stored->value);
  }
  return LoadAndRemember(std::string(id), text);
}

absl::StatusOr<DefinitionStore::WorkflowPtr> NatsDefinitionStore::GetLatest(
    std::string_view namespace_name) {
  std::string id;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = versions_.find(namespace_name);
    if (found == versions_.end()) return NoDefinition(namespace_name);
    id = absl::StrCat(found->first, ":", *found->second.rbegin());
  }
  return Get(id);
}

std::vector<std::string> NatsDefinitionStore::List() {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, known] : by_id_) {
    if (!deleted_.contains(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace jaque
