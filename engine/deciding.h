// SPDX-License-Identifier: Apache-2.0
// One command being decided on one instance: the deciders (decide_*.cc, by theme) emit facts
// through it, each applied at once, and step the frames that are ready until nothing is left or the
// decision is cut. Pointers to frames are only good until the next Emit.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/arguments.h"
#include "engine/decide.h"
#include "engine/problems.h"

namespace jaque::engine {

// What a listen hands on of an event.
Value ReadEvent(dsl::ListenTask::Read read, const Value& event);
// Has each filter found an event, if `with` has now?
bool AllMatched(const std::vector<bool>& matched, int with);

class Deciding {
 public:
  Deciding(ShardState* state, std::string object_id, const Environment& environment,
           Outcome* outcome)
      : state_(*state), id_(std::move(object_id)), environment_(environment), outcome_(*outcome) {}

  // --- commands (decide.cc, decide_work.cc, decide_event.cc) ---
  void Start(const v1::Command& command);
  void Cancel(const v1::Command& command);
  void Suspend(const v1::Command& command);
  void Resume(const v1::Command& command);
  void Describe(const v1::DescribeInstance& describe);
  void ConfirmOutbox(const v1::ConfirmOutbox& confirm);
  void WorkEnded(const v1::TaskResult& result);
  void ChildEnded(const v1::ChildEnded& ended);
  void TimerFired(const v1::FireTimer& timer);
  void Deliver(const v1::DeliverEvent& deliver);
  void Refuse(std::string message);
  // A command about an object that killed engines.
  void Quarantined(const v1::Command& command);
  // Steps what is ready.
  void Run();
  // A command to a schedule (decide_schedule.cc).
  void DecideSchedule(const v1::Command& command);

 private:
  // A task as it is being done: what its expressions see. `scope`: the frame around it.
  struct TaskData {
    FrameId scope = kNoFrame;
    const dsl::Task& task;
    Value raw;
    Value input;
    Micros started = 0;
  };

  Instance* instance() { return state_.Find(id_); }
  Frame* Find(FrameId id) { return instance() == nullptr ? nullptr : instance()->Find(id); }
  Arguments ArgumentsOf(const TaskData& data);
  TaskData DataOf(const Frame& frame) {
    return {frame.parent, *frame.task, frame.raw_input, frame.input, frame.started};
  }
  void Emit(Fact fact);
  // OutOfRange if `fact` could not be stored in one message of the log.
  static absl::Status CheckSize(const Fact& fact, std::string_view what);
  // OutOfRange if `value` could be written as JSON, but not be read again where it is wrapped.
  static absl::Status CheckDepth(const Value& value, std::string_view what);
  static absl::Status CheckStart(const v1::StartInstance& start, const dsl::Workflow& workflow);
  void Begin(const v1::Command& command, DefinitionStore::WorkflowPtr workflow, Value input);
  bool CanStep();
  void LiftQuarantine(const v1::Command& command);

  // --- flow (decide_flow.cc) ---
  void Step(Frame* frame);
  void StepFork(Frame* frame);
  void BeginTask(Frame* parent, const dsl::Task& task);
  void BeginKind(const TaskData& data);
  void ListEnded(Frame* frame);
  void CompleteWorkflow(Frame* root);
  // Starts a frame. `data` is what TaskStarted says of it, `wake` when its wait or first attempt
  // ends.
  void StartFrame(const TaskData& data, std::optional<Value> value = std::nullopt, Micros wake = 0,
                  const std::string& child_definition = "");
  // The task is done. `fact` may already say more of it than the flow; `flow` replaces the task's
  // `then`.
  void Complete(const TaskData& data, FrameId frame, Value raw_output, Fact fact = {},
                const dsl::Flow* flow = nullptr);
  void CompleteFrame(const Frame& frame, Value raw_output, const dsl::Flow* flow = nullptr);
  void Skip(const TaskData& data);

  // --- data (decide_data.cc) ---
  absl::StatusOr<Value> Evaluate(const dsl::Template& expression, const Value& input,
                                 const Arguments& arguments);
  absl::StatusOr<bool> Condition(const dsl::Template& expression, const Value& input,
                                 const Arguments& arguments);
  absl::StatusOr<absl::Duration> EvaluateDuration(const dsl::Duration& duration, const Value& input,
                                                  const Arguments& arguments);
  // When a limit that begins now is reached; 0: no limit.
  absl::StatusOr<Micros> TimeoutAt(const std::optional<dsl::Duration>& timeout, const Value& input,
                                   const Arguments& arguments);
  absl::Status Transform(const dsl::DataFlow& flow, const Arguments& arguments, Value* value);
  absl::Status Validate(const dsl::DataFlow& flow, std::string_view what, const Value& value);
  absl::Status TransformWorkflowInput(const dsl::Workflow& workflow, const Arguments& arguments,
                                      Value* input);
  absl::StatusOr<Value> TransformInput(Frame* parent, const dsl::Task& task, const Value& raw);
  // output and export of a task: what the fact of its completion carries.
  absl::Status TransformOutput(const TaskData& data, const Value& raw_output, Fact* fact);

  // --- by kind (decide_loop.cc, decide_work.cc, decide_event.cc) ---
  void Switch(const TaskData& data);
  void Raise(const TaskData& data);
  absl::StatusOr<v1::Problem> RaisedProblem(const TaskData& data);
  void StartWork(const TaskData& data);
  void Wait(const TaskData& data);
  void StartFor(const TaskData& data);
  void NextIteration(Frame* frame);
  void StartTry(const TaskData& data);
  void StartAttempt(Frame* frame);
  void StartChild(const TaskData& data);
  void EmitEvent(const TaskData& data);
  void StepListen(Frame* frame);
  void ForeachEnded(Frame* frame);

  // --- errors (decide_try.cc) ---
  // `inside`: the innermost frame around what failed; it and its ancestors may catch the error.
  // `task`: what failed.
  void Fault(Frame* inside, const dsl::Task& task, v1::Problem problem);
  void FaultInside(const TaskData& data, v1::Problem problem);
  void FaultInside(const TaskData& data, const absl::Status& status);
  // The timeout of a frame, or of the workflow, is reached.
  void TimedOut(Frame* frame);
  // True if the error stays here.
  absl::StatusOr<bool> Catches(const Frame& frame, const v1::Problem& problem, const Value& error);
  absl::StatusOr<bool> RetryAllowed(const Frame& frame, const Value& error);
  // When the next attempt begins; nullopt if there is none.
  absl::StatusOr<std::optional<Micros>> RetryDue(const Frame& frame, const Value& error);
  // Handles a caught error: a later attempt, or the catch tasks. False: it goes further up.
  absl::StatusOr<bool> Handle(Frame* frame, const Value& error);
  void FaultWorkflow(v1::Problem problem);

  // --- events (decide_event.cc) ---
  // What an event is held against: the filters, what they have found so far, and what their
  // expressions see.
  struct Filters {
    const dsl::EventConsumption& to;
    const std::vector<bool>& matched;
    const absl::btree_map<std::string, Value>& correlation;
    const Value& input;
    const Arguments& arguments;
  };
  struct Match {
    int filter = -1;
    std::vector<std::pair<std::string, Value>> correlation;
  };
  void Offer(FrameId frame, uint64_t sequence, const Value& event);
  absl::StatusOr<std::optional<Match>> FindMatch(const Filters& filters, const Value& event);
  absl::StatusOr<bool> Matches(const Filters& filters, const dsl::EventFilter& filter,
                               const Value& event, Match* match);
  absl::StatusOr<bool> Correlates(const Filters& filters, const dsl::EventFilter& filter,
                                  const Value& event, Match* match);
  absl::StatusOr<bool> Satisfied(const Frame& frame, int filter, const Value& item);
  void Consume(const Frame& frame, uint64_t sequence, const Value& event, const Match& match,
               bool until);

  // --- schedules (decide_schedule.cc) ---
  void SetSchedule(const v1::Command& command);
  void PauseSchedule(const v1::Command& command);
  void ResumeSchedule(const v1::Command& command);
  void TriggerSchedule(const v1::Command& command);
  void BackfillSchedule(const v1::Command& command);
  void RemoveSchedule(const v1::Command& command);
  void ScheduleDue(const v1::FireTimer& timer);
  void ScheduledEnded();
  void ScheduleDelivered(const v1::DeliverEvent& deliver);
  void TakeEvent(uint64_t sequence, std::optional<Value> item, Match match);
  bool EventsSuffice(const Schedule& schedule, const Value& consumed, bool is_item, int filter);
  void ConfirmFirings(const v1::ConfirmOutbox& confirm);
  struct Firing {
    std::string name;  // of the firing, in its instance's id
    Micros due = 0;    // 0: out of turn
    Micros next = 0;   // due after this one
    Value input;
    bool manual = false;  // the rhythm goes on as it was
    std::string actor = {};
    uint64_t events_after = 0;  // of one by events, the last of them
  };
  void Fire(Firing firing);
  // When `workflow`'s schedule is due next after `now`; 0: not by time. `begins`: no instance runs
  // for whose end `after` waits.
  absl::StatusOr<Micros> NextDue(const dsl::Workflow& workflow, Micros now, bool begins);
  absl::StatusOr<absl::Duration> DurationOf(const dsl::Workflow& workflow,
                                            const dsl::Duration& duration);
  Micros FirstToFire(const Schedule& schedule);
  absl::StatusOr<std::vector<Micros>> FiringsIn(const Schedule& schedule,
                                                const v1::BackfillSchedule& range);
  void ReplySchedule();

  void Reply(v1::CommandReply::Code code, std::string message = "");
  bool ReplyDescription();

  ShardState& state_;
  const std::string id_;
  const Environment& environment_;
  Outcome& outcome_;
};

}  // namespace jaque::engine
