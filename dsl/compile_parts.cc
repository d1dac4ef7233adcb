// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "dsl/compile.h"
#include "dsl/duration.h"
#include "dsl/schema_compile.h"
#include "dsl/text.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

// The node that `pointer` leads to below `node`, or the last one on the way.
const Node& Follow(const Node& node, std::string_view pointer) {
  if (pointer.empty()) return node;
  for (const Node& child : node.children) {
    std::string token;
    if (node.is_array()) {
      token = Cat("/", &child - node.children.data());
    } else {
      AppendPointerToken(child.key, &token);
    }
    if (!pointer.starts_with(token)) continue;
    const std::string_view rest = pointer.substr(token.size());
    if (rest.empty() || rest[0] == '/') return Follow(child, rest);
  }
  return node;
}

// Whether all members are whole numbers, so that the shape has no finding of its own.
bool IsDurationObject(const Node& node) {
  for (const Node& member : node.children) {
    if (!member.value.is_number()) return false;
  }
  return node.is_object() && !node.children.empty();
}

}  // namespace

std::string Compiler::TextOf(const Node& node, std::string_view key, std::string_view fallback) {
  const Node* member = node.Find(key);
  return std::string(member != nullptr && member->is_string() ? member->text() : fallback);
}

std::optional<Template> Compiler::CompileExpression(const Node* node, const Variables* variables) {
  if (node == nullptr) return std::nullopt;
  return expressions_.CompileExpression(*node, variables);
}

DataFlow Compiler::CompileDataFlow(const Node* node, std::string_view transformation,
                                   const Variables* variables) {
  DataFlow flow;
  if (node == nullptr) return flow;
  flow.schema = CompileSchemaOf(node->Find("schema"));
  if (const Node* transform = node->Find(transformation)) {
    if (transform->is_string()) {
      flow.transform = CompileExpression(transform, variables);
    } else {
      flow.transform = expressions_.CompileData(*transform, variables);
    }
  }
  return flow;
}

std::shared_ptr<const Schema> Compiler::CompileSchemaOf(const Node* node) {
  if (node == nullptr) return nullptr;
  const Node* format = node->Find("format");
  if (format != nullptr && format->is_string() && format->text() != "json" &&
      !format->text().starts_with("json:")) {
    Unbuilt(*format, Cat("the schema format `", format->text().substr(0, 40), "`"));
    return nullptr;
  }
  if (const Node* resource = node->Find("resource")) {
    CompileResource(*resource, &WorkflowInputVariables());
    Unbuilt(*resource, "a schema from an external resource");
  }
  const Node* document = node->Find("document");
  if (document == nullptr) return nullptr;
  SchemaProblem problem;
  auto schema = CompileSchema(document->value, &problem);
  if (schema == nullptr) {
    findings_->AddAt(Follow(*document, problem.pointer), Cat("JSON schema: ", problem.message));
  }
  return schema;
}

std::optional<Duration> Compiler::CompileDuration(const Node* node, const Variables* variables) {
  if (node == nullptr) return std::nullopt;
  Duration duration;
  if (IsRuntimeExpression(node->text())) {
    duration.expression = CompileExpression(node, variables);
    if (!duration.expression.has_value()) return std::nullopt;
    return duration;
  }
  const auto literal = DurationFromValue(node->value);
  if (!literal.ok()) {
    // A text was checked with the shape, and so were the names and kinds of members.
    const bool silent = node->is_string() || !IsDurationObject(*node) ||
                        literal.status().message().find("whole numbers") != std::string::npos;
    if (!silent) findings_->AddAt(*node, std::string(literal.status().message()));
    return std::nullopt;
  }
  duration.literal = *literal;
  return duration;
}

std::optional<Duration> Compiler::CompileTimeout(const Node* node, const Variables* variables) {
  if (node == nullptr) return std::nullopt;
  if (node->is_string()) {
    if (node->text().empty()) return std::nullopt;
    node = FindInUse(*node, node->text(), "timeouts", "timeout");
    if (node == nullptr) return std::nullopt;
  }
  return CompileDuration(node->Find("after"), variables);
}

}  // namespace jaque::dsl
