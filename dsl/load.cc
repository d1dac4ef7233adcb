// SPDX-License-Identifier: Apache-2.0
#include "dsl/load.h"

#include <utility>

#include "dsl/compile.h"
#include "dsl/read.h"
#include "dsl/shape.h"

namespace jaque::dsl {

LoadResult Load(std::string_view text) { return Load(text, LoadOptions()); }

LoadResult Load(std::string_view text, const LoadOptions& options) {
  Findings findings;
  LoadResult result;
  text = SkipByteOrderMark(text);
  if (const auto root = ReadDocument(text, &findings)) {
    CheckShape(*root, WorkflowShape(), &findings);
    if (root->is_object()) {
      result.workflow = Compiler(text, *root, options, &findings).Compile();
    }
  }
  result.findings = findings.Take();
  if (!result.findings.empty()) result.workflow = nullptr;
  return result;
}

}  // namespace jaque::dsl
