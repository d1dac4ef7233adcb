// SPDX-License-Identifier: Apache-2.0
// The evaluator beside libjq (both with a compiled program and a parsed input, same inputs, one
// run), and JSON text beside simdjson and nlohmann. Ends with a table of ratios. Not a test: `make
// bench` calls it.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

extern "C" {
#include <jq.h>
}

#include "base/status_macros.h"
#include "expression/json.h"
#include "expression/program.h"

namespace jaque {
namespace {

struct Case {
  const char* name;
  const char* program;
  std::string input;
};

std::string Items(int count) {
  std::string json = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) json += ",";
    json += R"({"id":)" + std::to_string(i) + R"(,"group":"g)" + std::to_string(i % 17) +
            R"(","price":)" + std::to_string(i * 7 % 1'000) + R"(,"name":"item )" +
            std::to_string(i) + R"(","tags":["a","b"]})";
  }
  return json + "]";
}

std::vector<Case> Cases() {
  const std::string order =
      R"({"order":{"customer":{"name":"Ada","id":17},"total":99.5,"items":[1,2,3]},)"
      R"("status":"open"})";
  return {
      {"field access", ".order.customer.name", order},
      {"arithmetic", "(.order.total * 3 + .order.customer.id - 2) / 4 > 10", order},
      {"object construction", "{id: .order.customer.id, who: .order.customer.name, s: .status}",
       order},
      {"map and select", "map(select(.price > 500) | .id)", Items(1'000)},
      {"string interpolation", R"jq("order \(.order.customer.id) of \(.order.customer.name)")jq",
       order},
      {"reduce", "reduce .[] as $item (0; . + $item.price)", Items(1'000)},
      {"group_by", "group_by(.group) | map({group: .[0].group, n: length})", Items(1'000)},
      {"gsub", R"jq(gsub("[aeiou]"; "*"))jq", "\"the quick brown fox jumps over the lazy dog\""},
  };
}

void RunJaque(benchmark::State& state, const Case& test) {
  const expression::CompileResult compiled = expression::Compile(test.program);
  JAQUE_CHECK(compiled.program != nullptr);
  const Value input = ParseJson(test.input).value();
  const expression::Evaluation evaluation;
  for (auto _ : state) {
    const absl::Status status = compiled.program->Run(input, evaluation, [](Value value) {
      benchmark::DoNotOptimize(value);
      return true;
    });
    JAQUE_CHECK(status.ok());
  }
}

void RunLibjq(benchmark::State& state, const Case& test) {
  jq_state* jq = jq_init();
  JAQUE_CHECK(jq_compile(jq, test.program) == 1);
  const jv input = jv_parse(test.input.c_str());
  for (auto _ : state) {
    jq_start(jq, jv_copy(input), 0);
    jv value = jq_next(jq);
    JAQUE_CHECK(jv_is_valid(value));
    while (jv_is_valid(value)) {
      jv_free(value);
      value = jq_next(jq);
    }
    jv_free(value);
  }
  jv_free(input);
  jq_teardown(&jq);
}

// Both must say the same, or the ratio means nothing.
void CheckSameResult(const Case& test) {
  const expression::CompileResult compiled = expression::Compile(test.program);
  JAQUE_CHECK(compiled.program != nullptr);
  const absl::StatusOr<Value> ours =
      expression::Evaluate(*compiled.program, ParseJson(test.input).value(), {});
  jq_state* jq = jq_init();
  JAQUE_CHECK(jq_compile(jq, test.program) == 1);
  jq_start(jq, jv_parse(test.input.c_str()), 0);
  const jv theirs = jv_dump_string(jq_next(jq), 0);
  JAQUE_CHECK(ours.ok() && *ours == ParseJson(jv_string_value(theirs)).value());
  jv_free(theirs);
  jq_teardown(&jq);
}

std::string OneMegabyte() { return Items(11'500); }

void ParseJaque(benchmark::State& state) {
  const std::string text = OneMegabyte();
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(text).value());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void ParseSimdjson(benchmark::State& state) {
  const simdjson::padded_string text(OneMegabyte());
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(text).value_unsafe());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void ParseNlohmann(benchmark::State& state) {
  const std::string text = OneMegabyte();
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void PrintJaque(benchmark::State& state) {
  const Value value = ParseJson(OneMegabyte()).value();
  for (auto _ : state) benchmark::DoNotOptimize(ToJson(value));
}

void PrintSimdjson(benchmark::State& state) {
  const simdjson::padded_string text(OneMegabyte());
  simdjson::dom::parser parser;
  const simdjson::dom::element element = parser.parse(text).value_unsafe();
  for (auto _ : state) benchmark::DoNotOptimize(simdjson::minify(element));
}

void PrintNlohmann(benchmark::State& state) {
  const nlohmann::json value = nlohmann::json::parse(OneMegabyte());
  for (auto _ : state) benchmark::DoNotOptimize(value.dump());
}

// Shows as the console does, and remembers the medians for the table.
class TableReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      times_[run.run_name.function_name] = run.GetAdjustedRealTime();
    }
  }

  void PrintTable(const std::string& name, const std::vector<std::string>& others) const {
    const auto ours = times_.find(name + "/jaque");
    if (ours == times_.end()) return;
    std::printf("%-24s %12.0f ns", name.c_str(), ours->second);
    for (const std::string& other : others) {
      const auto theirs = times_.find(name + "/" + other);
      if (theirs == times_.end()) continue;
      std::printf("   %s %12.0f ns   %6.1f x", other.c_str(), theirs->second,
                  theirs->second / ours->second);
    }
    std::printf("\n");
  }

 private:
  std::map<std::string, double> times_;
};

int Main(int argc, char** argv) {
  const std::vector<Case> cases = Cases();
  for (const Case& test : cases) {
    CheckSameResult(test);
    const std::string name = test.name;
    benchmark::RegisterBenchmark((name + "/jaque").c_str(),
                                 [&test](benchmark::State& state) { RunJaque(state, test); });
    benchmark::RegisterBenchmark((name + "/libjq").c_str(),
                                 [&test](benchmark::State& state) { RunLibjq(state, test); });
  }
  benchmark::RegisterBenchmark("parse 1 MB/jaque", ParseJaque);
  benchmark::RegisterBenchmark("parse 1 MB/simdjson", ParseSimdjson);
  benchmark::RegisterBenchmark("parse 1 MB/nlohmann", ParseNlohmann);
  benchmark::RegisterBenchmark("print 1 MB/jaque", PrintJaque);
  benchmark::RegisterBenchmark("print 1 MB/simdjson", PrintSimdjson);
  benchmark::RegisterBenchmark("print 1 MB/nlohmann", PrintNlohmann);
  benchmark::Initialize(&argc, argv);
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::printf("\njaque beside others: time of one run, and how many times ours the other takes\n");
  for (const Case& test : cases) reporter.PrintTable(test.name, {"libjq"});
  for (const char* name : {"parse 1 MB", "print 1 MB"}) {
    reporter.PrintTable(name, {"simdjson", "nlohmann"});
  }
  return 0;
}

}  // namespace
}  // namespace jaque

int main(int argc, char** argv) { return jaque::Main(argc, argv); }
