// SPDX-License-Identifier: Apache-2.0
// A definition as the API shows it. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "dsl/load.h"
#include "dsl/model.h"
#include "expression/value.h"
#include "ui/json_writer.h"

namespace jaque::ui {

Value DefinitionIdentity(const dsl::Workflow& workflow);
// Without the end, for those who add members. `latest`: it starts where no version is named.
JsonWriter DefinitionWriter(const dsl::Workflow& workflow, bool latest);
Value FindingsValue(const std::vector<dsl::Finding>& findings);
// `schedule` as written; null if it has none.
const Value* WrittenSchedule(const dsl::Workflow& workflow);
// Changes with the text, for If-Match.
std::string DefinitionTag(const dsl::Workflow& workflow);

}  // namespace jaque::ui
