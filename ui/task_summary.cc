// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <variant>

#include "expression/json.h"
#include "fmt/format.h"
#include "ui/definition_graph.h"

namespace jaque::ui {
namespace {

constexpr size_t kLongest = 160;  // bytes

// A value as written: text as it is, the rest as JSON.
std::string Written(const Value* value) {
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->AsString()) : ToJson(*value);
}

std::string Cut(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string KeysOf(const Value* value) {
  if (value == nullptr || !value->is_object()) return Written(value);
  std::string keys;
  for (const std::string_view key : value->Keys()) {
    if (!keys.empty()) keys += ", ";
    keys += key;
  }
  return keys;
}

// An endpoint is a text or an object with a uri.
std::string Endpoint(const Value* endpoint) {
  if (endpoint == nullptr) return "";
  return Written(endpoint->is_object() ? endpoint->FindPath({"uri"}) : endpoint);
}

std::string CallSummary(const Value& task) {
  const std::string_view function = task.StringOr("call", "");
  const Value* with = task.FindPath({"with"});
  if (with == nullptr) return std::string(function);
  if (function == "http") {
    std::string method(with->StringOr("method", "get"));
    for (char& c : method) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return method + " " + Endpoint(with->FindPath({"endpoint"}));
  }
  if (function == "openapi") {
    return fmt::format("{} of {}", with->StringOr("operationId", ""),
                       Endpoint(with->FindPath({"document", "endpoint"})));
  }
  return std::string(function);
}

std::string RunSummary(const Value& task) {
  const Value* run = task.FindPath({"run"});
  if (run == nullptr) return "";
  if (const Value* shell = run->FindPath({"shell"})) return Written(shell->FindPath({"command"}));
  if (const Value* script = run->FindPath({"script"})) {
    return std::string(script->StringOr("language", "script"));
  }
  if (const Value* container = run->FindPath({"container"}))
    return Written(container->FindPath({"image"}));
  if (const Value* workflow = run->FindPath({"workflow"})) {
    return fmt::format("{}/{}:{}", workflow->StringOr("namespace", ""),
                       workflow->StringOr("name", ""), workflow->StringOr("version", ""));
  }
  return "";
}

std::string ListenSummary(const dsl::ListenTask& listen) {
  std::string types;
  for (const dsl::EventFilter& filter : listen.to.filters) {
    for (const dsl::EventFilter::Match& match : filter.with) {
      if (match.attribute != "type" || !match.value.is_constant()) continue;
      if (!types.empty())
        types += listen.to.mode == dsl::EventConsumption::Mode::kAll ? " and " : " or ";
      types += Written(&match.value.constant());
    }
  }
  return types.empty() ? "any event" : types;
}

std::string ForSummary(const Value& task) {
  const Value* loop = task.FindPath({"for"});
  if (loop == nullptr) return "";
  return fmt::format("each {} in {}", loop->StringOr("each", "item"),
                     Written(loop->FindPath({"in"})));
}

std::string RaiseSummary(const Value& task) {
  const Value* error = task.FindPath({"raise", "error"});
  if (error == nullptr || error->is_string()) return Written(error);
  return Written(error->FindPath({"title"}) != nullptr ? error->FindPath({"title"})
                                                       : error->FindPath({"type"}));
}

}  // namespace

std::string TaskSummary(const dsl::Task& task) {
  const Value& written = task.definition;
  switch (task.kind()) {
    case dsl::TaskKind::kSet:
      return Cut(KeysOf(written.FindPath({"set"})));
    case dsl::TaskKind::kFor:
      return Cut(ForSummary(written));
    case dsl::TaskKind::kFork: {
      const auto& fork = std::get<dsl::ForkTask>(task.spec);
      return fmt::format("{} branches{}", fork.branches.size(),
                         fork.compete ? ", the first wins" : "");
    }
    case dsl::TaskKind::kSwitch:
      return fmt::format("{} cases", std::get<dsl::SwitchTask>(task.spec).cases.size());
    case dsl::TaskKind::kTry:
      return std::get<dsl::TryTask>(task.spec).retry.has_value() ? "retries" : "";
    case dsl::TaskKind::kRaise:
      return Cut(RaiseSummary(written));
    case dsl::TaskKind::kWait:
      return Cut(Written(written.FindPath({"wait"})));
    case dsl::TaskKind::kEmit:
      return Cut(Written(written.FindPath({"emit", "event", "with", "type"})));
    case dsl::TaskKind::kListen:
      return Cut(ListenSummary(std::get<dsl::ListenTask>(task.spec)));
    case dsl::TaskKind::kWorker:
      return Cut(task.kind_name() == "call" ? CallSummary(written) : RunSummary(written));
    case dsl::TaskKind::kRunWorkflow:
      return Cut(RunSummary(written));
    case dsl::TaskKind::kDo:
      return "";
  }
  return "";
}

}  // namespace jaque::ui
