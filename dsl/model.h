// SPDX-License-Identifier: Apache-2.0
// A workflow definition, read, validated and compiled: what the engine and the workers execute.
// Immutable after Load; shared by threads. Names are the DSL's (Open Workflow Specification
// DSL 1.0.3). Everything that can be decided from the text alone is decided here: names are
// resolved to positions, references to `use` are replaced, expressions are compiled, durations are
// numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "dsl/cron.h"
#include "dsl/schema.h"
#include "dsl/template.h"
#include "expression/value.h"

namespace jaque::dsl {

struct Task;
using TaskList = std::vector<std::unique_ptr<const Task>>;

// What happens after a task (reference, "Flow Directive"); a name is resolved to a position in its
// list.
struct Flow {
  enum class Kind : uint8_t { kContinue, kExit, kEnd, kTask };
  Kind kind = Kind::kContinue;
  int position = 0;  // if kTask
};

// `input` or `output` or `export`: a transformation and a schema, both optional.
struct DataFlow {
  std::shared_ptr<const Schema> schema;
  std::optional<Template> transform;  // input.from, output.as, export.as
};

// A literal duration, or an expression that yields one (ISO 8601 text, or an object like the
// literal).
struct Duration {
  absl::Duration literal = absl::ZeroDuration();
  std::optional<Template> expression;
};

struct SetTask {
  Template value;
};
struct DoTask {
  TaskList tasks;
};
struct SwitchTask {
  struct Case {
    std::string name;
    std::optional<Template> when;  // absent: the default case
    Flow then;
  };
  std::vector<Case> cases;  // in order of declaration
};
struct ForTask {
  std::string each = "item";
  std::string at = "index";
  Template in;
  std::optional<Template> while_condition;
  TaskList tasks;
};
struct ForkTask {
  TaskList branches;
  bool compete = false;
};

// `retry` of a catch (reference, "Retry").
struct RetryPolicy {
  enum class Backoff : uint8_t { kConstant, kLinear, kExponential };
  std::optional<Template> when;
  std::optional<Template> except_when;
  Duration delay;
  Backoff backoff = Backoff::kConstant;
  std::optional<int> attempt_count;  // retries, not counting the first try (docs/dsl-notes.md)
  std::optional<Duration> attempt_duration;  // of each attempt
  std::optional<Duration> duration;          // of all attempts together
  std::optional<Duration> jitter_from, jitter_to;
};
// `catch.errors.with`: a static filter; `type` is normalised (docs/dsl-notes.md).
struct ErrorFilter {
  std::optional<std::string> type, instance, title, detail;
  std::optional<int64_t> status;
};
struct TryTask {
  TaskList tasks;
  ErrorFilter filter;
  std::string as = "error";
  std::optional<Template> when;
  std::optional<Template> except_when;
  std::optional<RetryPolicy> retry;
  TaskList catch_tasks;      // may be empty
  std::optional<Flow> then;  // catch.then
};

// An error as a definition writes it; a reference to use.errors is already replaced.
struct ErrorDefinition {
  Template type, status;
  std::optional<Template> title, detail, instance;
};
struct RaiseTask {
  ErrorDefinition error;
};
struct WaitTask {
  Duration duration;
};
struct EmitTask {
  Template event;  // emit.event.with
};

struct EventFilter {
  // Attribute name and expected constant, or an expression (evaluated on the attribute's value for
  // `data`, and for others on the event) that must be true. `type` and `source` literals first.
  struct Match {
    std::string attribute;
    Template value;
    bool is_condition = false;  // a `${ }` expression: must yield true, or equal the attribute
  };
  std::vector<Match> with;
  struct Correlation {
    std::string name;
    Template from;  // evaluated on the event
    std::optional<Template> expect;
  };
  std::vector<Correlation> correlate;
};
struct EventConsumption {
  enum class Mode : uint8_t { kOne, kAny, kAll };
  Mode mode = Mode::kOne;
  std::vector<EventFilter> filters;         // `any: []` has none: every event matches
  std::optional<Template> until_condition;  // evaluated on the array of events consumed so far
  std::unique_ptr<const EventConsumption> until_events;
};
struct ListenTask {
  EventConsumption to;
  enum class Read : uint8_t { kData, kEnvelope, kRaw };
  Read read = Read::kData;
  struct Foreach {
    std::string item = "item";
    std::string at = "index";
    TaskList tasks;
    DataFlow output, export_to;
  };
  std::optional<Foreach> foreach;
};

// call and run other than workflow: executed by a worker, which evaluates `arguments`. Which kinds
// exist is the worker's affair; the engine passes them on unseen.
struct WorkerTask {
  enum class Kind : uint8_t { kHttp, kOpenApi, kShell, kScript };
  Kind kind = Kind::kHttp;
  Template arguments;  // `with`, or run.shell / run.script; auth references replaced
  bool await = true;   // run only
  std::string return_kind = "stdout";  // run only: stdout, stderr, code, all, none
  std::string pool = "default";
};
struct RunWorkflowTask {
  std::string namespace_, name, version;  // version may be "latest"
  std::optional<Template> input;
  bool await = true;
  std::string return_kind = "stdout";  // "none" gives null
};

enum class TaskKind : uint8_t {
  kSet,
  kDo,
  kSwitch,
  kFor,
  kFork,
  kTry,
  kRaise,
  kWait,
  kEmit,
  kListen,
  kWorker,
  kRunWorkflow
};

struct Task {
  std::string name;
  std::string pointer;                // JSON pointer: /do/0/getPet
  uint32_t index = 0;                 // dense, unique in the workflow, in document order
  int position = 0;                   // in its list
  Value definition;                   // as written (`$task.definition`)
  std::optional<Template> condition;  // `if`
  DataFlow input, output, export_to;
  std::optional<Duration> timeout;
  Flow then;
  // Order of TaskKind.
  std::variant<SetTask, DoTask, SwitchTask, ForTask, ForkTask, TryTask, RaiseTask, WaitTask,
               EmitTask, ListenTask, WorkerTask, RunWorkflowTask>
      spec;

  TaskKind kind() const { return static_cast<TaskKind>(spec.index()); }
  // The word of the DSL: "set", "do", …, "call", "run".
  std::string_view kind_name() const;
};

// When instances are started without anybody asking (reference, "Schedule"). Durations see no data.
struct Schedule {
  std::optional<Duration> every;  // from one start to the next
  std::optional<Cron> cron;
  std::optional<Duration> after;  // from the end of one instance to the start of the next
  std::optional<EventConsumption> on;
  ListenTask::Read read = ListenTask::Read::kData;  // of `on`: what the input holds of an event
};

struct Workflow {
  std::string namespace_, name, version, dsl;
  Value document;      // the whole definition as parsed (`$workflow.definition`)
  std::string source;  // as submitted
  DataFlow input, output;
  TaskList tasks;
  std::optional<Duration> timeout;
  std::optional<Schedule> schedule;
  std::vector<std::string> secrets;   // use.secrets
  std::vector<const Task*> by_index;  // Task::index to task

  std::string id() const { return namespace_ + "/" + name + ":" + version; }
  const Task* FindByPointer(std::string_view pointer) const;
};

}  // namespace jaque::dsl
