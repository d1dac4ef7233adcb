// SPDX-License-Identifier: Apache-2.0
// From text to a compiled definition: read (YAML 1.2 core or JSON, with places), validate (all
// findings, not the first), compile. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/model.h"

namespace jaque::dsl {

struct Finding {
  int line = 0, column = 0;  // 1-based; 0 where the whole document is meant
  std::string pointer;       // JSON pointer of the place, "" for the document
  std::string message;
};

struct LoadResult {
  std::shared_ptr<const Workflow> workflow;  // null if there are findings
  std::vector<Finding> findings;             // in order of place, at most limits::kFindings
};

LoadResult Load(std::string_view text);

// Only the whole-schema and semantic validation, for constructs that this build does not execute
// yet: true lets them pass as findings do not. `jaque validate` and the API's dry run use it.
struct LoadOptions {
  // A construct of the DSL that the engine cannot run is a finding ("… is not built yet"). If
  // false, a definition that has one comes back without findings and without a workflow.
  bool refuse_unbuilt = true;
};
LoadResult Load(std::string_view text, const LoadOptions& options);

// "file:line:column: message (pointer)".
std::string FormatFinding(std::string_view file, const Finding& finding);

}  // namespace jaque::dsl
