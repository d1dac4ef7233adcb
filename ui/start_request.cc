// SPDX-License-Identifier: Apache-2.0
#include "ui/start_request.h"

#include <xxhash.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/parameters.h"

namespace jaque::ui {

absl::StatusOr<DefinitionStore::WorkflowPtr> FindDefinition(const ApiParts& parts,
                                                            const Call& call) {
  DefinitionStore* const definitions = parts.definitions;
  const std::string name = call.path[0] + "/" + call.path[1];
  const std::string version = ReadText(call, "version");
  if (version.empty() || version == "latest") {
    absl::StatusOr<DefinitionStore::WorkflowPtr> found = definitions->GetLatest(name);
    if (!absl::IsNotFound(found.status())) return found;
    return absl::NotFoundError(fmt::format("there is no definition {}", name));
  }
  const std::string id = name + ":" + version;
  absl::StatusOr<DefinitionStore::WorkflowPtr> found = definitions->Get(id);
  if (found.ok() && parts.deletion->IsDeleted(id)) {
    return absl::NotFoundError(fmt::format("the definition {} was deleted", id));
  }
  if (!absl::IsNotFound(found.status())) return found;
  return absl::NotFoundError(fmt::format("there is no definition {}", id));
}

absl::StatusOr<std::string> CheckInput(std::string json) {
  if (json.empty()) return std::string("{}");
  if (json.size() > limits::kInputBytes) {
    return absl::ResourceExhaustedError(fmt::format("the input is {} bytes long; {} are possible",
                                                    json.size(), limits::kInputBytes));
  }
  const absl::StatusOr<Value> input = ParseJson(json);
  if (!input.ok()) {
    return absl::InvalidArgumentError("the input is no JSON: " +
                                      std::string(input.status().message()));
  }
  return json;
}

bool IsInstanceId(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_';
  });
}

absl::StatusOr<std::string> ChosenId(const Call& call, std::string_view scope) {
  const std::string* id = call.Parameter("id");
  if (id != nullptr) {
    if (IsInstanceId(*id)) return *id;
    return absl::InvalidArgumentError("id: 1 to 64 letters, digits, '-' or '_'");
  }
  const std::string_view key = call.request.Header("Idempotency-Key");
  if (key.empty()) return std::string();
  if (key.size() > limits::kIdempotencyKeyBytes) {
    return absl::InvalidArgumentError(
        fmt::format("Idempotency-Key: at most {} bytes", limits::kIdempotencyKeyBytes));
  }
  const std::string text = fmt::format("{}:{}{}", scope.size(), scope, key);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("key-{:016x}{:016x}", hash.high64, hash.low64);
}

absl::Status SetTags(const dsl::Workflow& workflow, const Call& call, v1::StartInstance* start) {
  std::map<std::string, std::string> tags;
  if (const Value* own = workflow.document.FindPath({"document", "tags"});
      own && own->is_object()) {
    own->ForEachMember([&tags](std::string_view key, const Value& value) {
      tags[std::string(key)] = value.is_string() ? std::string(value.AsString()) : ToJson(value);
      return true;
    });
  }
  for (const std::string& text : ReadTexts(call, "tag")) {
    ASSIGN_OR_RETURN(auto tag, ParseTag(text));
    tags[tag.first] = tag.second;
  }
  if (tags.size() > limits::kTags) {
    return absl::InvalidArgumentError(
        fmt::format("tag: an instance may have {} with those of its definition", limits::kTags));
  }
  for (auto& [key, value] : tags) {
    v1::Tag* tag = start->add_tags();
    tag->set_key(key.substr(0, limits::kTagBytes));
    tag->set_value(value.substr(0, limits::kTagBytes));
  }
  return absl::OkStatus();
}

}  // namespace jaque::ui
