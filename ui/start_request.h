// SPDX-License-Identifier: Apache-2.0
// What a request to start an instance says: which definition, which input, id and tags. Pure but
// for the definition store; any thread.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "jaque/v1/command.pb.h"
#include "log/definition_store.h"
#include "ui/api.h"
#include "ui/routes.h"

namespace jaque::ui {

// The definition that path and ?version= name. NotFound also if it was deleted.
absl::StatusOr<DefinitionStore::WorkflowPtr> FindDefinition(const ApiParts& parts,
                                                            const Call& call);

// JSON; ResourceExhausted if it is too long.
absl::StatusOr<std::string> CheckInput(std::string json);

// Ids become parts of subjects and keys, so only what is safe in all of them.
bool IsInstanceId(std::string_view id);

// The id that the caller chose: ?id=, or one that follows from Idempotency-Key and `scope`, so that
// any process gives the same. Empty: none.
absl::StatusOr<std::string> ChosenId(const Call& call, std::string_view scope);

// The definition's own tags, and over them those of ?tag=.
absl::Status SetTags(const dsl::Workflow& workflow, const Call& call, v1::StartInstance* start);

}  // namespace jaque::ui
