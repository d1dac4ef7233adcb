// SPDX-License-Identifier: Apache-2.0
// From nodes to templates: finds the expressions, compiles each text once, and reports what does
// not compile at its place inside the file. One Load, one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "dsl/findings.h"
#include "dsl/node.h"
#include "dsl/scope.h"
#include "dsl/template.h"

namespace jaque::dsl {

class ExpressionCompiler {
 public:
  // `secrets`: use.secrets, or null if there are none.
  ExpressionCompiler(std::string_view text, bool loose, const Node* secrets, Findings* findings);

  bool HasSecret(std::string_view name) const { return secrets_.contains(std::string(name)); }

  // A field that is an expression by nature (`if`, `when`, `input.from`), in `${ }` or bare.
  // nullopt after a finding, or if the node is no string. `variables` null: any.
  std::optional<Template> CompileExpression(const Node& node, const Variables* variables);

  // Data: constants, except for texts that are `${ }` as a whole (strict mode).
  Template CompileData(const Node& node, const Variables* variables);

 private:
  using Program = std::shared_ptr<const expression::Program>;
  struct Compiled {
    Program program;  // null after errors
    std::vector<expression::CompileError> errors;
  };

  const Compiled& CompileOnce(std::string_view source);

  // `offset`: where `source` begins in the node's text.
  Program Compile(const Node& node, std::string_view source, size_t offset,
                  const Variables* variables);
  void CheckVariables(const Node& node, const expression::Program& program, size_t offset,
                      const Variables& variables);
  void CheckSecrets(const Node& node, const expression::Program& program, size_t offset);
  Template CompileText(const Node& node, const Variables* variables);
  Template CompileLoose(const Node& node, const Variables* variables);
  void Report(const Node& node, size_t offset, std::string message);

  const std::string_view text_;
  const bool loose_;
  absl::flat_hash_set<std::string> secrets_;
  Findings* const findings_;
  absl::flat_hash_map<std::string, Compiled> compiled_;
  absl::flat_hash_set<std::string> reported_;
};

}  // namespace jaque::dsl
