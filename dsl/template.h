// SPDX-License-Identifier: Apache-2.0
// A value of a definition with runtime expressions inside: constants stay, `${ … }` strings are
// evaluated (strict mode). The result is data: what it contains is never evaluated again.
// Immutable, any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dsl/node.h"
#include "expression/program.h"
#include "expression/value.h"

namespace jaque::dsl {

class Template {
 public:
  Template();  // the constant null
  static Template Constant(Value value);
  // `place`: of the expression in the file, for errors.
  static Template Expression(std::shared_ptr<const expression::Program> program, Place place = {});
  // Loose mode (docs/dsl-notes.md): where the evaluation fails, the result is `text`.
  static Template LooseExpression(std::shared_ptr<const expression::Program> program,
                                  std::string text, Place place = {});
  // Object or array some of whose parts are templates.
  static Template Object(std::vector<std::pair<std::string, Template>> members);
  static Template Array(std::vector<Template> items);

  bool is_constant() const;
  const Value& constant() const;  // CHECKs is_constant
  const std::shared_ptr<const expression::Program>* program()
      const;  // null unless one strict expression

  // Names of the variables (without '$') that the expressions use, each once.
  std::vector<std::string> Variables() const;
  // What of `.` and of a variable the expressions can touch, merged.
  expression::Program::Footprint InputFootprint() const;
  expression::Program::Footprint VariableFootprint(std::string_view name) const;

  // Members of an object template, for those who evaluate them one by one; empty otherwise.
  const std::vector<std::pair<std::string, Template>>& members() const;
  const Template* FindMember(std::string_view key) const;

  // InvalidArgument or ResourceExhausted as Program::Run gives it, the message followed by the
  // failed expression's place, " (at LINE:COLUMN)". The bounds of time and memory hold for the
  // whole template, the others for each of its expressions.
  absl::StatusOr<Value> Evaluate(const Value& input,
                                 const expression::Evaluation& evaluation) const;

 private:
  struct Node;
  explicit Template(std::shared_ptr<const Node> node);
  std::shared_ptr<const Node> node_;
};

// The place that ends the message of an evaluation's error, " (at LINE:COLUMN)"; empty if there is
// none.
std::string_view PlaceAtEnd(std::string_view message);

}  // namespace jaque::dsl
