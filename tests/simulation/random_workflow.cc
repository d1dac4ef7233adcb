// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/random_workflow.h"

#include "base/text.h"
#include "expression/json.h"
#include "expression/value.h"

namespace jaque::simulation {
namespace {

Value Str(std::string_view text) { return Value::String(text); }

Value Seconds(uint64_t seconds) {
  return Value::Object({{"seconds", Value::Int(static_cast<int64_t>(seconds))}});
}

class Generator {
 public:
  Generator(std::string child, Random* random) : child_(std::move(child)), random_(*random) {}

  Value TaskList(int depth, int longest) {
    Value list = Value::Array();
    const int count = 1 + static_cast<int>(random_.Below(longest));
    for (int i = 0; i < count; ++i) {
      Value item = Value::Object();
      item.Set(Cat("t", ++names_), Task(depth));
      list.Append(std::move(item));
    }
    return list;
  }

 private:
  Value Task(int depth) {
    Value task = depth > 0 && random_.OneIn(2) ? Composite(depth - 1) : Leaf();
    if (random_.OneIn(8)) task.Set("if", Str("(.n // 0) % 2 == 0"));
    if (random_.OneIn(8)) task.Set("export", Value::Object({{"as", Str("$context + {last: .n}")}}));
    if (random_.OneIn(10)) task.Set("output", Value::Object({{"as", Str("{n: (.n? // 1)}")}}));
    if (random_.OneIn(12)) task.Set("timeout", Value::Object({{"after", Seconds(5)}}));
    if (random_.OneIn(20)) task.Set("then", Str(random_.OneIn(2) ? "exit" : "end"));
    return task;
  }

  Value Leaf() {
    switch (random_.Below(9)) {
      case 0:
        return Value::Object({{"wait", Seconds(1 + random_.Below(10))}});
      case 1:
        return Raise();
      case 2:
        return Listen();
      case 3:
        return Emit();
      case 4:
        return RunChild();
      case 5:
      case 6:
        return Call();
      default:
        return Value::Object({{"set", Value::Object({{"n", Str("${ (.n? // 0) + 1 }")}})}});
    }
  }

  Value Composite(int depth) {
    switch (random_.Below(5)) {
      case 0:
        return Value::Object({{"do", TaskList(depth, 3)}});
      case 1:
        return For(depth);
      case 2: {
        Value fork = Value::Object({{"branches", TaskList(depth, 4)}});
        fork.Set("compete", Value::Bool(random_.OneIn(2)));
        return Value::Object({{"fork", std::move(fork)}});
      }
      case 3:
        return Try(depth);
      default:
        return Switch();
    }
  }

  Value For(int depth) {
    Value loop = Value::Object({{"for", Value::Object({{"in", Str("[range(3)]")}})}});
    if (random_.OneIn(3)) loop.Set("while", Str("$index < 2"));
    loop.Set("do", TaskList(depth, 2));
    return loop;
  }

  Value Try(int depth) {
    Value caught = Value::Object();
    if (random_.OneIn(3)) caught.Set("when", Str("$error.status != 418"));
    if (!random_.OneIn(3)) {
      Value limit = Value::Object({{"attempt", Value::Object({{"count", Value::Int(2)}})}});
      caught.Set("retry", Value::Object({{"delay", Seconds(1)},
                                         {"backoff", Value::Object({{"linear", Value::Object()}})},
                                         {"limit", std::move(limit)}}));
    }
    if (random_.OneIn(2)) caught.Set("do", TaskList(depth, 2));
    return Value::Object({{"try", TaskList(depth, 2)}, {"catch", std::move(caught)}});
  }

  Value Switch() {
    Value cases = Value::Array();
    cases.Append(Value::Object({{"odd", Value::Object({{"when", Str("(.n? // 0) % 2 == 1")},
                                                       {"then", Str("continue")}})}}));
    cases.Append(Value::Object({{"else", Value::Object({{"then", Str("exit")}})}}));
    return Value::Object({{"switch", std::move(cases)}});
  }

  Value Raise() {
    const int64_t status = random_.OneIn(2) ? 503 : 418;
    return Value::Object(
        {{"raise", Value::Object({{"error", Value::Object({{"type", Str("https://sim/error")},
                                                           {"status", Value::Int(status)}})}})}});
  }

  Value Filter() {
    return Value::Object({{"with", Value::Object({{"type", Str(kEventTypes[random_.Below(3)])}})}});
  }

  Value Listen() {
    Value to = Value::Object();
    switch (random_.Below(3)) {
      case 0:
        to.Set("one", Filter());
        break;
      case 1: {
        Value all = Value::Array();
        all.Append(Filter());
        all.Append(Filter());
        to.Set("all", std::move(all));
        break;
      }
      default: {
        Value any = Value::Array();
        any.Append(Filter());
        to.Set("any", std::move(any));
        to.Set("until", Str("length >= 2"));
      }
    }
    Value task = Value::Object({{"listen", Value::Object({{"to", std::move(to)}})}});
    if (random_.OneIn(3)) {
      task.Set("foreach", Value::Object({{"item", Str("e")}, {"do", TaskList(0, 1)}}));
    }
    // Nobody waits for ever: there may be no more events of that type.
    task.Set("timeout", Value::Object({{"after", Seconds(60)}}));
    return task;
  }

  Value Emit() {
    Value with = Value::Object({{"type", Str(kEventTypes[random_.Below(3)])},
                                {"data", Value::Object({{"n", Str("${ .n? // 0 }")}})}});
    return Value::Object({{"emit", Value::Object({{"event", Value::Object({{"with", with}})}})}});
  }

  Value Call() {
    return Value::Object({{"call", Str("http")},
                          {"with", Value::Object({{"method", Str("get")},
                                                  {"endpoint", Str("http://127.0.0.1:9/{n}")}})}});
  }

  Value RunChild() {
    if (child_.empty()) return Call();
    return Value::Object(
        {{"run", Value::Object({{"workflow", Value::Object({{"namespace", Str("sim")},
                                                            {"name", Str(child_)},
                                                            {"version", Str("1.0.0")}})},
                                {"await", Value::Bool(!random_.OneIn(3))}})}});
  }

  const std::string child_;
  Random& random_;
  int names_ = 0;
};

}  // namespace

std::string RandomWorkflow(const std::string& name, const std::string& child, Random* random) {
  Value document = Value::Object({{"dsl", Str("1.0.3")},
                                  {"namespace", Str("sim")},
                                  {"name", Str(name)},
                                  {"version", Str("1.0.0")}});
  Generator generator(child, random);
  return ToJson(Value::Object(
      {{"document", std::move(document)}, {"do", generator.TaskList(/*depth=*/3, /*longest=*/5)}}));
}

}  // namespace jaque::simulation
