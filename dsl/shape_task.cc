// SPDX-License-Identifier: Apache-2.0
// Tables: tasks (schema: task, taskBase and each …Task but callTask).
#include <array>

#include "dsl/compile.h"
#include "dsl/shape.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr auto kRequired = Field::kRequired;

Shape SetShape() {
  Shape shape = AnyObject();
  shape.least_members = 1;
  shape.text = true;
  return shape;
}

const Shape& InlineItemShape() {
  static const Shape& shape = *new Shape(AnyObject());
  return shape;
}

Shape ForShape() {
  Shape in = ListOf(InlineItemShape);
  in.text = true;
  in.what = "a runtime expression or a list of objects";
  return Object(TaskFields({{"for",
                             Object({{"each", TextWith(CheckVariableName)},
                                     {"in", in, kRequired},
                                     {"at", TextWith(CheckVariableName)}}),
                             kRequired},
                            {"while", AnyText},
                            {"do", TaskListShape, kRequired}}));
}

Shape ForkShape() {
  return Object(
      TaskFields({{"fork", Object({{"branches", TaskListShape, kRequired}, {"compete", Boolean()}}),
                   kRequired}}));
}

Shape EmitShape() {
  Shape event = Object({{"with", EmittedEventShape, kRequired}});
  return Object(TaskFields({{"emit", Object({{"event", event, kRequired}}), kRequired}}));
}

Shape ListenShape() {
  Shape listen =
      Object({{"to", ConsumptionShape, kRequired}, {"read", Word({"data", "envelope", "raw"})}});
  return Object(TaskFields({{"listen", listen, kRequired}, {"foreach", IteratorShape}}));
}

const Shape& CaseShape() {
  static const Shape& shape = *new Shape(Object({{"when", AnyText}, {"then", AnyText, kRequired}}));
  return shape;
}

const Shape& CaseItemShape() {
  static const Shape& shape = *[] {
    auto* item = new Shape(MapOf(CaseShape));
    item->least_members = item->most_members = 1;
    return item;
  }();
  return shape;
}

Shape SwitchShape() {
  Shape cases = ListOf(CaseItemShape);
  cases.least_items = 1;
  return Object(TaskFields({{"switch", cases, kRequired}}));
}

const Shape& ArgumentsShape() {
  static const Shape& shape = *new Shape(ListOf(AnyText));
  return shape;
}

// What container, script and shell have in common.
std::vector<Field> ProcessFields(std::vector<Field> more) {
  std::vector<Field> fields = {
      {"stdin", AnyText}, {"arguments", ArgumentsShape}, {"environment", AnyObject()}};
  fields.insert(fields.begin(), more.begin(), more.end());
  return fields;
}

void CheckLifetime(const Node& node, Findings* findings) {
  const Node* cleanup = node.Find("cleanup");
  const Node* after = node.Find("after");
  const bool eventually = cleanup != nullptr && cleanup->text() == "eventually";
  if (eventually && after == nullptr) {
    findings->AddAt(node, "missing property `after`, which `cleanup: eventually` needs");
  }
  if (!eventually && after != nullptr) {
    findings->AddAtKey(*after, "`after` is allowed only together with `cleanup: eventually`");
  }
}

Shape ContainerShape() {
  Shape lifetime = Object(
      {{"cleanup", Word({"always", "never", "eventually"}), kRequired}, {"after", DurationShape}});
  lifetime.check = CheckLifetime;
  return Object(ProcessFields({{"image", AnyText, kRequired},
                               {"name", AnyText},
                               {"command", AnyText},
                               {"ports", AnyObject()},
                               {"volumes", AnyObject()},
                               {"lifetime", lifetime},
                               {"pullPolicy", Word({"ifNotPresent", "always", "never"})}}));
}

Shape ScriptShape() {
  Shape shape = Object(ProcessFields(
      {{"language", AnyText, kRequired}, {"code", AnyText}, {"source", ResourceShape}}));
  shape.choices = {{{"code"}, {"source"}}};
  return shape;
}

Shape RunObject() {
  Shape shape = Object({{"container", ContainerShape()},
                        {"script", ScriptShape()},
                        {"shell", Object(ProcessFields({{"command", AnyText, kRequired}}))},
                        {"workflow", Object({{"namespace", AnyText, kRequired},
                                             {"name", AnyText, kRequired},
                                             {"version", AnyText, kRequired},
                                             {"input", AnyObject()}})},
                        {"await", Boolean()},
                        {"return", Word({"stdout", "stderr", "code", "all", "none"})}});
  shape.choices = {{{"container"}, {"script"}, {"shell"}, {"workflow"}}};
  return shape;
}

Shape ErrorFilterObject() {
  Shape shape = Object({{"type", AnyText},
                        {"status", Integer()},
                        {"instance", AnyText},
                        {"title", AnyText},
                        {"detail", AnyText}});
  shape.least_members = 1;
  return shape;
}

Shape TryShape() {
  Shape handler = Object({{"errors", Object({{"with", ErrorFilterObject()}})},
                          {"as", TextWith(CheckVariableName)},
                          {"when", AnyText},
                          {"exceptWhen", AnyText},
                          {"retry", RetryOrNameShape},
                          {"do", HandlerListShape},
                          {"then", AnyText}});
  return Object(TaskFields({{"try", TaskListShape, kRequired}, {"catch", handler, kRequired}}));
}

struct Kind {
  std::string_view key;
  const Shape* shape;  // null: `call`, which is chosen by its function
};

const std::array<Kind, 12>& Kinds() {
  static const auto& kinds = *new std::array<Kind, 12>{{
      {"call", nullptr},
      {"do", new Shape(Object(TaskFields({{"do", TaskListShape, kRequired}})))},
      {"emit", new Shape(EmitShape())},
      {"for", new Shape(ForShape())},
      {"fork", new Shape(ForkShape())},
      {"listen", new Shape(ListenShape())},
      {"raise", new Shape(Object(TaskFields(
                    {{"raise", Object({{"error", ErrorOrNameShape, kRequired}}), kRequired}})))},
      {"run", new Shape(Object(TaskFields({{"run", RunObject(), kRequired}})))},
      {"set", new Shape(Object(TaskFields({{"set", SetShape(), kRequired}})))},
      {"switch", new Shape(SwitchShape())},
      {"try", new Shape(TryShape())},
      {"wait", new Shape(Object(TaskFields({{"wait", DurationShape, kRequired}})))},
  }};
  return kinds;
}

// A task without a kind: perhaps it is misspelt.
void ReportNoKind(const Node& node, Findings* findings) {
  std::vector<std::string_view> names;
  for (const Kind& kind : Kinds()) names.push_back(kind.key);
  for (const Node& member : node.children) {
    const std::string_view near = Nearest(member.key, names);
    if (near.empty() || member.key == "if") continue;
    return findings->AddAtKey(
        member, Cat("unknown property `", member.key, "`; did you mean `", near, "`?"));
  }
  std::string list;
  for (std::string_view name : names) Append(&list, list.empty() ? "" : ", ", name);
  findings->AddAt(node, Cat("a task needs one of: ", list));
}

const Shape* ChooseTask(const Node& node, Findings* findings) {
  const Kind* chosen = nullptr;
  const bool loop = node.Find("for") != nullptr;
  for (const Node& member : node.children) {
    for (const Kind& kind : Kinds()) {
      if (kind.key != member.key || (loop && member.key == "do")) continue;
      if (chosen != nullptr) {
        findings->AddAtKey(member, Cat("a task is of one kind, but this one has `", chosen->key,
                                       "` and `", kind.key, "`"));
        return nullptr;
      }
      chosen = &kind;
    }
  }
  if (chosen == nullptr) {
    ReportNoKind(node, findings);
    return nullptr;
  }
  return chosen->shape != nullptr ? chosen->shape : &CallShape(node.Find("call")->text());
}

const Shape& TaskItemShape() {
  static const Shape& shape = *[] {
    auto* item = new Shape(MapOf(TaskShape));
    item->what = "an object with the task's name and, below it, the task";
    item->least_members = item->most_members = 1;
    return item;
  }();
  return shape;
}

}  // namespace

std::string_view TaskKindKey(const Node& node) {
  const bool loop = node.Find("for") != nullptr;
  for (const Node& member : node.children) {
    for (const Kind& kind : Kinds()) {
      if (kind.key == member.key && !(loop && member.key == "do")) return kind.key;
    }
  }
  return {};
}

std::vector<Field> TaskFields(std::vector<Field> more) {
  std::vector<Field> fields = {{"if", AnyText},           {"input", InputShape},
                               {"output", OutputShape},   {"export", ExportShape},
                               {"timeout", TimeoutShape}, {"then", AnyText},
                               {"metadata", AnyObject()}};
  fields.insert(fields.begin(), more.begin(), more.end());
  return fields;
}

const Shape& TaskShape() {
  static const Shape& shape = *[] {
    auto* task = new Shape(AnyObject());
    task->choose = ChooseTask;
    return task;
  }();
  return shape;
}

const Shape& TaskListShape() {
  static const Shape& shape = *[] {
    auto* list = new Shape(ListOf(TaskItemShape));
    list->what = "a list of tasks";
    list->least_items = 1;
    return list;
  }();
  return shape;
}

const Shape& HandlerListShape() {
  static const Shape& shape = *[] {
    auto* list = new Shape(ListOf(TaskItemShape));
    list->what = "a list of tasks";
    return list;
  }();
  return shape;
}

}  // namespace jaque::dsl
