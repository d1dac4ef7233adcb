// SPDX-License-Identifier: Apache-2.0
// What changed from one version of a definition to another: in the text, and in what it means.
// Pure; any thread.
#pragma once

#include <string>

#include "dsl/model.h"

namespace jaque::ui {

std::string DiffJson(const dsl::Workflow& before, const dsl::Workflow& after);

}  // namespace jaque::ui
