// SPDX-License-Identifier: Apache-2.0
#include "dsl/compile_expression.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "dsl/text.h"
#include "dsl/text_place.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

struct Source {
  std::string_view text;
  size_t offset;  // in the scalar
};

// What stands in `${ }`, or all of it.
Source SourceOf(std::string_view text) {
  if (!IsRuntimeExpression(text)) return {text, 0};
  const size_t start = text.find("${") + 2;
  return {text.substr(start, text.rfind('}') - start), start};
}

// Where `$name` first occurs as a whole word; 0 if it does not (it may be hidden in a format
// string).
size_t FindVariable(std::string_view source, std::string_view name) {
  const std::string wanted = Cat("$", name);
  for (size_t at = source.find(wanted); at != std::string_view::npos;
       at = source.find(wanted, at + 1)) {
    const size_t end = at + wanted.size();
    if (end == source.size() || !(absl::ascii_isalnum(source[end]) || source[end] == '_'))
      return at;
  }
  return 0;
}

// The evaluator's columns count bytes.
size_t OffsetOf(std::string_view source, const expression::SourcePlace& place) {
  return ByteOfPlace(source, {place.line, 1}) + static_cast<size_t>(std::max(place.column, 1)) - 1;
}

bool Contains(const Variables& variables, std::string_view name) {
  return std::find(variables.begin(), variables.end(), name) != variables.end();
}

std::string Unavailable(std::string_view name, const Variables& variables) {
  std::string message = Cat("expression: the variable `$", name, "` is not available here; ");
  if (name == "secrets" || name == "authorization") {
    Append(&message,
           "secrets are for the arguments of call, run shell and run script, which stay out of the "
           "log");
    return message;
  }
  Append(&message, "these are: ");
  for (const std::string& known : variables) {
    Append(&message, &known == &variables.front() ? "$" : ", $", known);
  }
  return message;
}

}  // namespace

ExpressionCompiler::ExpressionCompiler(std::string_view text, bool loose, const Node* secrets,
                                       Findings* findings)
    : text_(text), loose_(loose), findings_(findings) {
  if (secrets == nullptr) return;
  for (const Node& secret : secrets->children) secrets_.emplace(secret.text());
}

// A place costs a walk through the text, so each is looked up once: aliases may repeat it
// endlessly.
void ExpressionCompiler::Report(const Node& node, size_t offset, std::string message) {
  if (findings_->full()) return;
  const std::string key = Cat(node.place.line, ":", node.place.column, ":", offset, ":", message);
  if (!reported_.insert(key).second) return;
  findings_->Add(PlaceInScalar(text_, node, offset), PointerOf(node), std::move(message));
}

const ExpressionCompiler::Compiled& ExpressionCompiler::CompileOnce(std::string_view source) {
  const auto [found, added] = compiled_.try_emplace(std::string(source));
  if (added) {
    expression::CompileResult result = expression::Compile(source);
    found->second = {std::move(result.program), std::move(result.errors)};
  }
  return found->second;
}

ExpressionCompiler::Program ExpressionCompiler::Compile(const Node& node, std::string_view source,
                                                        size_t offset, const Variables* variables) {
  if (source.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    Report(node, offset, "the expression is empty");
    return nullptr;
  }
  const Compiled& compiled = CompileOnce(source);
  for (const expression::CompileError& error : compiled.errors) {
    // Two expressions in one text read as one that ends at the last brace.
    const bool several = source.find("${") != std::string_view::npos;
    Report(node, offset + OffsetOf(source, error.place),
           Cat("expression: ", error.message,
               several ? R"x( (a text is one expression: write ${ "\(.a) \(.b)" }))x" : ""));
  }
  if (compiled.program == nullptr || findings_->full()) return compiled.program;
  if (variables != nullptr) CheckVariables(node, *compiled.program, offset, *variables);
  CheckSecrets(node, *compiled.program, offset);
  return compiled.program;
}

void ExpressionCompiler::CheckVariables(const Node& node, const expression::Program& program,
                                        size_t offset, const Variables& variables) {
  for (const std::string& name : program.variables()) {
    if (Contains(variables, name)) continue;
    Report(node, offset + FindVariable(program.source(), name), Unavailable(name, variables));
  }
}

void ExpressionCompiler::CheckSecrets(const Node& node, const expression::Program& program,
                                      size_t offset) {
  if (!Contains(program.variables(), "secrets")) return;
  const expression::Program::Footprint& footprint = program.variable_footprint("secrets");
  if (footprint.all) return;
  for (const std::string& name : footprint.fields) {
    if (secrets_.contains(name)) continue;
    Report(node, offset + FindVariable(program.source(), "secrets"),
           Cat("unknown secret `", name, "`: it is not listed in `use.secrets`"));
  }
}

std::optional<Template> ExpressionCompiler::CompileExpression(const Node& node,
                                                              const Variables* variables) {
  if (!node.is_string()) return std::nullopt;
  const Source source = SourceOf(node.text());
  Program program = Compile(node, source.text, source.offset, variables);
  if (program == nullptr) return std::nullopt;
  return Template::Expression(std::move(program), node.place);
}

Template ExpressionCompiler::CompileLoose(const Node& node, const Variables* variables) {
  const Program& program = CompileOnce(node.text()).program;
  if (program == nullptr) return Template::Constant(node.value);
  for (const std::string& name : program->variables()) {
    if (variables != nullptr && !Contains(*variables, name)) return Template::Constant(node.value);
  }
  return Template::LooseExpression(program, std::string(node.text()), node.place);
}

Template ExpressionCompiler::CompileText(const Node& node, const Variables* variables) {
  if (!IsRuntimeExpression(node.text())) {
    return loose_ ? CompileLoose(node, variables) : Template::Constant(node.value);
  }
  auto compiled = CompileExpression(node, variables);
  return compiled.has_value() ? *std::move(compiled) : Template();
}

Template ExpressionCompiler::CompileData(const Node& node, const Variables* variables) {
  if (node.is_string()) return CompileText(node, variables);
  bool constant = true;
  if (node.is_array()) {
    std::vector<Template> items;
    for (const Node& child : node.children) {
      items.push_back(CompileData(child, variables));
      constant = constant && items.back().is_constant();
    }
    return constant ? Template::Constant(node.value) : Template::Array(std::move(items));
  }
  if (node.is_object()) {
    std::vector<std::pair<std::string, Template>> members;
    for (const Node& child : node.children) {
      members.emplace_back(child.key, CompileData(child, variables));
      constant = constant && members.back().second.is_constant();
    }
    return constant ? Template::Constant(node.value) : Template::Object(std::move(members));
  }
  return Template::Constant(node.value);
}

}  // namespace jaque::dsl
