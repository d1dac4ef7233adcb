// SPDX-License-Identifier: Apache-2.0
#include "worker/process_arguments.h"

#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/utf8.h"
#include "worker/http_arguments.h"

namespace jaque {
namespace {

constexpr size_t kShownBytes = 2'000;      // of stderr in an error's detail
constexpr size_t kSearchedBytes = 16'000;  // masked before it is cut

// All that a process gets from the worker's own environment.
std::vector<std::pair<std::string, std::string>> InheritedEnvironment() {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto inherit = [&variables](const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    variables.emplace_back(name, value == nullptr ? otherwise : value);
  };
  inherit("PATH", "/usr/local/bin:/usr/bin:/bin");
  inherit("HOME", "/");
  inherit("LANG", "C.UTF-8");
  return variables;
}

absl::Status AddEnvironment(const Value& environment, ProcessSpec* spec) {
  if (environment.is_null()) return absl::OkStatus();
  if (!environment.is_object()) return BadArgument("`environment` must be an object");
  environment.ForEachMember([spec](std::string_view name, const Value& value) {
    if (value.is_null()) return true;
    for (auto& [known, text] : spec->environment) {
      if (known == name) {
        text = ScalarText(value);
        return true;
      }
    }
    spec->environment.emplace_back(std::string(name), ScalarText(value));
    return true;
  });
  return absl::OkStatus();
}

absl::Status AddArguments(const Value& arguments, ProcessSpec* spec) {
  if (arguments.is_null()) return absl::OkStatus();
  if (!arguments.is_array()) return BadArgument("`arguments` must be a list");
  for (size_t i = 0; i < arguments.size(); ++i) spec->argv.push_back(ScalarText(arguments.at(i)));
  return absl::OkStatus();
}

v1::Problem StatusProblem(const absl::Status& status, const TaskRun& run) {
  const std::string detail = run.redactor().Redact(Message(status));
  switch (status.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      return MakeProblem(dsl::kErrorTimeout, detail);
    case absl::StatusCode::kNotFound:
      return MakeProblem(dsl::kErrorConfiguration, detail);
    case absl::StatusCode::kInvalidArgument:
      return ArgumentProblem(detail);
    default:
      return MakeProblem(dsl::kErrorRuntime, detail);
  }
}

v1::Problem ExitProblem(const ProcessResult& result, const TaskRun& run) {
  std::string detail = result.signal != 0 ? Cat("the process was ended by signal ", result.signal)
                                          : Cat("the process ended with code ", result.exit_code);
  const std::string end = Utf8Repaired(LastPart(result.err, kSearchedBytes));
  const std::string masked = run.redactor().Redact(end);
  std::string_view shown = LastPart(masked, kShownBytes);
  while (!shown.empty() && shown.back() == '\n') shown.remove_suffix(1);
  if (!shown.empty()) detail += Cat("; stderr ends: ", shown);
  return MakeProblem(dsl::kErrorRuntime, detail);
}

Outcome OutputOfProcess(const ProcessResult& result, const TaskRun& run) {
  const std::string& kind = run.work().return_kind;
  if (kind == "code") return Value::Int(result.exit_code);
  if (kind == "all") {
    return Value::Object({{"code", Value::Int(result.exit_code)},
                          {"stdout", Value::String(result.out)},
                          {"stderr", Value::String(result.err)}});
  }
  if (result.exit_code != 0) return ExitProblem(result, run);
  if (kind == "none") return Value();
  return Value::String(kind == "stderr" ? result.err : result.out);
}

}  // namespace

absl::Status FillProcess(const Value& with, const TaskRun& run, ProcessSpec* spec) {
  if (!with.is_object()) return BadArgument("the process is described by no object");
  const auto member = [&with](std::string_view key) {
    const Value* value = with.Find(key);
    return value == nullptr ? Value() : *value;
  };
  spec->environment = InheritedEnvironment();
  RETURN_IF_ERROR(AddEnvironment(member("environment"), spec));
  RETURN_IF_ERROR(AddArguments(member("arguments"), spec));
  const Value input = member("stdin");
  if (!input.is_null()) spec->stdin_bytes = ScalarText(input);
  const bool await = run.work().await;
  spec->keep_output = await;
  spec->timeout = await ? run.TimeLeft() : absl::Seconds(limits::kProcessSeconds);
  return absl::OkStatus();
}

void StartProcess(const RunnerTools& tools, std::shared_ptr<TaskRun> run, ProcessSpec spec,
                  absl::AnyInvocable<void()> ended, OutcomeFn done) {
  if (run->cancelled() || spec.timeout <= absl::ZeroDuration()) {
    ended();
    return done(MakeProblem(dsl::kErrorTimeout, "the task's time was over before it could start"));
  }
  if (!run->work().await) {
    // It goes on by itself, without the task's timeout and cancellation.
    tools.processes->Start(std::move(spec), [ended = std::move(ended)](auto) mutable { ended(); });
    return done(run->input());
  }
  const uint64_t id = tools.processes->Start(
      std::move(spec), [run, ended = std::move(ended),
                        done = std::move(done)](absl::StatusOr<ProcessResult> result) mutable {
        ended();
        done(result.ok() ? OutputOfProcess(*result, *run) : StatusProblem(result.status(), *run));
      });
  run->OnCancel([processes = tools.processes, id] { processes->Cancel(id); });
}

}  // namespace jaque
