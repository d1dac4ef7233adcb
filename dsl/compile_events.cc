// SPDX-License-Identifier: Apache-2.0
// listen and emit, and what other constructs share with them.
#include <algorithm>
#include <utility>

#include "dsl/compile.h"
#include "dsl/text.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {

EmitTask Compiler::CompileEmit(const Node& node, const Variables* variables) {
  const Node* with = node.Find({"event", "with"});
  if (with == nullptr || !with->is_object()) return {};
  // Member by member, never folded into one constant: the engine adds id, source and time.
  Members members;
  for (const Node& member : with->children) {
    members.emplace_back(member.key, expressions_.CompileData(member, variables));
  }
  return {Template::Object(std::move(members))};
}

ListenTask Compiler::CompileListen(const Node& node, const Scope& scope) {
  ListenTask task;
  const Node& listen = *node.Find("listen");
  if (const Node* to = listen.Find("to")) task.to = CompileConsumption(*to, &scope.definition());
  task.read = CompileRead(listen);
  task.foreach = CompileIterator(node.Find("foreach"), scope);
  return task;
}

ListenTask::Read Compiler::CompileRead(const Node& node) {
  const std::string read = TextOf(node, "read", "data");
  if (read == "envelope") return ListenTask::Read::kEnvelope;
  return read == "raw" ? ListenTask::Read::kRaw : ListenTask::Read::kData;
}

std::optional<ListenTask::Foreach> Compiler::CompileIterator(const Node* node, const Scope& scope) {
  if (node == nullptr || !node->is_object()) return std::nullopt;
  ListenTask::Foreach iterator;
  iterator.item = TextOf(*node, "item", "item");
  iterator.at = TextOf(*node, "at", "index");
  if (iterator.item == iterator.at) {
    findings_->AddAt(*node, Cat("`item` and `at` are both called `", iterator.item, "`"));
  }
  const Scope inner = scope.With({iterator.item, iterator.at});
  iterator.tasks = CompileTasks(node->Find("do"), inner);
  iterator.output = CompileDataFlow(node->Find("output"), "as", &inner.definition());
  iterator.export_to = CompileDataFlow(node->Find("export"), "as", &inner.exported());
  return iterator;
}

EventConsumption Compiler::CompileConsumption(const Node& node, const Variables* variables) {
  EventConsumption consumption;
  if (const Node* one = node.Find("one")) {
    consumption.filters.push_back(CompileFilter(*one, variables));
  }
  for (const char* key : {"any", "all"}) {
    const Node* list = node.Find(key);
    if (list == nullptr || !list->is_array()) continue;
    consumption.mode = key[1] == 'n' ? EventConsumption::Mode::kAny : EventConsumption::Mode::kAll;
    for (const Node& filter : list->children) {
      consumption.filters.push_back(CompileFilter(filter, variables));
    }
  }
  if (const Node* until = node.Find("until")) {
    if (until->is_string()) {
      consumption.until_condition = CompileExpression(until, variables);
    } else {
      consumption.until_events =
          std::make_unique<const EventConsumption>(CompileConsumption(*until, variables));
    }
  }
  return consumption;
}

EventFilter Compiler::CompileFilter(const Node& node, const Variables* variables) {
  EventFilter filter;
  if (const Node* with = node.Find("with"); with != nullptr && with->is_object()) {
    for (const Node& member : with->children) {
      EventFilter::Match match;
      match.attribute = member.key;
      match.value = expressions_.CompileData(member, variables);
      match.is_condition = IsRuntimeExpression(member.text());
      filter.with.push_back(std::move(match));
    }
  }
  // The cheapest and most selective first.
  const auto rank = [](const EventFilter::Match& match) {
    if (!match.value.is_constant()) return 2;
    return match.attribute == "type" || match.attribute == "source" ? 0 : 1;
  };
  std::stable_sort(filter.with.begin(), filter.with.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (const Node* correlate = node.Find("correlate");
      correlate != nullptr && correlate->is_object()) {
    for (const Node& member : correlate->children) {
      EventFilter::Correlation correlation;
      correlation.name = member.key;
      correlation.from = CompileExpression(member.Find("from"), variables).value_or(Template());
      if (const Node* expect = member.Find("expect")) {
        correlation.expect = expressions_.CompileData(*expect, variables);
      }
      filter.correlate.push_back(std::move(correlation));
    }
  }
  return filter;
}

}  // namespace jaque::dsl
