// SPDX-License-Identifier: Apache-2.0
#include "dsl/template.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::dsl {

struct Template::Node {
  enum class Kind : uint8_t { kConstant, kExpression, kLooseExpression, kObject, kArray };
  Kind kind = Kind::kConstant;
  Value constant;
  std::shared_ptr<const expression::Program> program;
  std::string text;  // of a loose expression
  Place place;
  std::vector<std::pair<std::string, Template>> members;
  std::vector<Template> items;

  // What is evaluated here, or nullptr.
  const expression::Program* Runs() const { return program.get(); }
};

namespace {

void AddUnique(const std::vector<std::string>& more, std::vector<std::string>* all) {
  for (const std::string& name : more) {
    if (std::find(all->begin(), all->end(), name) == all->end()) all->push_back(name);
  }
}

constexpr std::string_view kPlaceOpens = " (at ";

absl::Status WithPlace(const absl::Status& status, const Place& place) {
  if (status.ok() || place.line == 0) return status;
  return absl::Status(status.code(),
                      Cat(Message(status), kPlaceOpens, place.line, ":", place.column, ")"));
}

// What is left of the bounds of a template while its expressions run one after the other.
class Allowance {
 public:
  explicit Allowance(const expression::Evaluation& evaluation)
      : evaluation_(evaluation), wall_time_(evaluation.bounds.wall_time) {
    if (evaluation_.monotonic) started_ = evaluation_.monotonic();
  }

  // An expression looks at its bounds now and then only: many short ones would never see theirs.
  absl::StatusOr<Value> Run(const expression::Program& program, const Value& input) {
    size_t& memory = evaluation_.bounds.memory_bytes;
    if (memory == 0) return UsedUp("memory");
    if (evaluation_.monotonic) {
      evaluation_.bounds.wall_time = wall_time_ - (evaluation_.monotonic() - started_);
      if (evaluation_.bounds.wall_time <= absl::ZeroDuration()) return UsedUp("time");
    }
    absl::StatusOr<Value> result = expression::Evaluate(program, input, evaluation_);
    if (result.ok()) memory -= std::min(memory, result->MemoryEstimate(memory));
    return result;
  }

 private:
  static absl::Status UsedUp(std::string_view what) {
    return absl::ResourceExhaustedError(Cat("the expressions together used up their ", what));
  }

  expression::Evaluation evaluation_;
  absl::Duration wall_time_;
  absl::Duration started_;
};

}  // namespace

Template::Template() : Template(std::make_shared<const Node>()) {}
Template::Template(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

Template Template::Constant(Value value) {
  auto node = std::make_shared<Node>();
  node->constant = std::move(value);
  return Template(std::move(node));
}

Template Template::Expression(std::shared_ptr<const expression::Program> program, Place place) {
  JAQUE_CHECK(program != nullptr);
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kExpression;
  node->program = std::move(program);
  node->place = place;
  return Template(std::move(node));
}

Template Template::LooseExpression(std::shared_ptr<const expression::Program> program,
                                   std::string text, Place place) {
  JAQUE_CHECK(program != nullptr);
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kLooseExpression;
  node->program = std::move(program);
  node->text = std::move(text);
  node->place = place;
  return Template(std::move(node));
}

Template Template::Object(std::vector<std::pair<std::string, Template>> members) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kObject;
  node->members = std::move(members);
  return Template(std::move(node));
}

Template Template::Array(std::vector<Template> items) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kArray;
  node->items = std::move(items);
  return Template(std::move(node));
}

bool Template::is_constant() const { return node_->kind == Node::Kind::kConstant; }

const Value& Template::constant() const {
  JAQUE_CHECK(is_constant());
  return node_->constant;
}

const std::shared_ptr<const expression::Program>* Template::program() const {
  return node_->kind == Node::Kind::kExpression ? &node_->program : nullptr;
}

std::vector<std::string> Template::Variables() const {
  std::vector<std::string> names;
  if (const auto* program = node_->Runs()) names = program->variables();
  for (const auto& [key, member] : node_->members) AddUnique(member.Variables(), &names);
  for (const Template& item : node_->items) AddUnique(item.Variables(), &names);
  return names;
}

expression::Program::Footprint Template::InputFootprint() const {
  expression::Program::Footprint merged;
  const auto merge = [&merged](const expression::Program::Footprint& part) {
    merged.all = merged.all || part.all;
    AddUnique(part.fields, &merged.fields);
  };
  if (const auto* program = node_->Runs()) merge(program->input_footprint());
  for (const auto& [key, member] : node_->members) merge(member.InputFootprint());
  for (const Template& item : node_->items) merge(item.InputFootprint());
  return merged;
}

expression::Program::Footprint Template::VariableFootprint(std::string_view name) const {
  expression::Program::Footprint merged;
  const auto merge = [&merged](const expression::Program::Footprint& part) {
    merged.all = merged.all || part.all;
    AddUnique(part.fields, &merged.fields);
  };
  if (const auto* program = node_->Runs()) {
    const auto& used = program->variables();
    if (std::find(used.begin(), used.end(), name) != used.end()) {
      merge(program->variable_footprint(name));
    }
  }
  for (const auto& [key, member] : node_->members) merge(member.VariableFootprint(name));
  for (const Template& item : node_->items) merge(item.VariableFootprint(name));
  return merged;
}

const std::vector<std::pair<std::string, Template>>& Template::members() const {
  return node_->members;
}

const Template* Template::FindMember(std::string_view key) const {
  for (const auto& [name, member] : node_->members) {
    if (name == key) return &member;
  }
  return nullptr;
}

absl::StatusOr<Value> Template::Evaluate(const Value& input,
                                         const expression::Evaluation& evaluation) const {
  if (is_constant()) return node_->constant;
  if (node_->kind == Node::Kind::kExpression) {
    absl::StatusOr<Value> result = expression::Evaluate(*node_->program, input, evaluation);
    return result.ok() ? result : WithPlace(result.status(), node_->place);
  }
  Allowance allowance(evaluation);
  // Depth is that of the definition, so recursion is bounded.
  const auto evaluate = [&](const auto& self, const Node& node) -> absl::StatusOr<Value> {
    switch (node.kind) {
      case Node::Kind::kConstant:
        return node.constant;
      case Node::Kind::kExpression: {
        absl::StatusOr<Value> result = allowance.Run(*node.program, input);
        return result.ok() ? result : WithPlace(result.status(), node.place);
      }
      case Node::Kind::kLooseExpression: {
        absl::StatusOr<Value> result = allowance.Run(*node.program, input);
        if (absl::IsInvalidArgument(result.status())) return Value::String(node.text);
        return result.ok() ? result : WithPlace(result.status(), node.place);
      }
      case Node::Kind::kObject: {
        Value object = Value::Object();
        for (const auto& [key, member] : node.members) {
          ASSIGN_OR_RETURN(Value value, self(self, *member.node_));
          object.Set(key, std::move(value));
        }
        return object;
      }
      case Node::Kind::kArray: {
        std::vector<Value> items;
        items.reserve(node.items.size());
        for (const Template& item : node.items) {
          ASSIGN_OR_RETURN(Value value, self(self, *item.node_));
          items.push_back(std::move(value));
        }
        return Value::Array(std::move(items));
      }
    }
    return Value();
  };
  return evaluate(evaluate, *node_);
}

std::string_view PlaceAtEnd(std::string_view message) {
  const size_t start = message.rfind(kPlaceOpens);
  if (start == std::string_view::npos) return {};
  std::string_view place = message.substr(start + kPlaceOpens.size());
  const size_t colon = place.find(':');
  if (colon == std::string_view::npos || !place.ends_with(')')) return {};
  place.remove_suffix(1);
  int line = 0, column = 0;
  const bool numbers = absl::SimpleAtoi(std::string(place.substr(0, colon)), &line) &&
                       absl::SimpleAtoi(std::string(place.substr(colon + 1)), &column);
  return numbers ? message.substr(start) : std::string_view();
}

}  // namespace jaque::dsl
