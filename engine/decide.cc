// SPDX-License-Identifier: Apache-2.0
#include "engine/decide.h"

#include "base/limits.h"
#include "base/text.h"
#include "engine/deciding.h"
#include "engine/problems.h"
#include "expression/json.h"

namespace jaque::engine {

Outcome Decide(ShardState* state, const v1::Command& command, const Environment& environment) {
  Outcome outcome;
  Deciding deciding(state, command.object_id(), environment, &outcome);
  if (state->quarantined.contains(command.object_id())) {
    deciding.Quarantined(command);
    return outcome;
  }
  if (IsSchedule(command.object_id())) {
    deciding.DecideSchedule(command);
    return outcome;
  }
  switch (command.kind_case()) {
    case v1::Command::kStartInstance:
      deciding.Start(command);
      break;
    case v1::Command::kCancelInstance:
      deciding.Cancel(command);
      break;
    case v1::Command::kDescribeInstance:
      deciding.Describe(command.describe_instance());
      break;
    case v1::Command::kTaskResult:
      deciding.WorkEnded(command.task_result());
      break;
    case v1::Command::kDeliverEvent:
      deciding.Deliver(command.deliver_event());
      break;
    case v1::Command::kFireTimer:
      deciding.TimerFired(command.fire_timer());
      break;
    case v1::Command::kChildEnded:
      deciding.ChildEnded(command.child_ended());
      break;
    case v1::Command::kConfirmOutbox:
      deciding.ConfirmOutbox(command.confirm_outbox());
      break;
    case v1::Command::kSuspendInstance:
      deciding.Suspend(command);
      break;
    case v1::Command::kResumeInstance:
      deciding.Resume(command);
      break;
    case v1::Command::kContinueInstance:
      break;
    case v1::Command::kSetSchedule:
    case v1::Command::kPauseSchedule:
    case v1::Command::kResumeSchedule:
    case v1::Command::kTriggerSchedule:
    case v1::Command::kBackfillSchedule:
    case v1::Command::kRemoveSchedule:
    case v1::Command::kDescribeSchedule:
      deciding.Refuse("the command is for a schedule, the object is none");
      break;
    case v1::Command::KIND_NOT_SET:
      deciding.Refuse("the command says nothing that this version of jaque understands");
      break;
  }
  deciding.Run();
  return outcome;
}

void Deciding::Emit(Fact fact) {
  std::vector<AbortedWork> aborted;
  const Instance* before = instance();
  const uint64_t first_outbox = before == nullptr ? 1 : before->next_outbox;
  Apply(&state_, id_, environment_.now, fact, &aborted);
  const Instance* after = instance();
  AddCancels(id_, aborted, &outcome_.effects);
  if (const Schedule* schedule = state_.FindSchedule(id_)) {
    AddScheduleEffects(*schedule, fact, &outcome_.effects);
  } else if (after != nullptr) {
    AddEffects(*after, fact, first_outbox, environment_.effects, &outcome_.effects);
  }
  const auto kind = fact.event.kind_case();
  if (kind == v1::Event::kInstanceCompleted || kind == v1::Event::kInstanceFaulted ||
      kind == v1::Event::kInstanceCancelled) {
    AnswerWaiters answer{id_, {}};
    answer.reply.set_code(v1::CommandReply::CODE_OK);
    *answer.reply.mutable_instance() =
        after != nullptr ? engine::Describe(*after) : engine::Describe(id_, state_.ended.at(id_));
    outcome_.effects.push_back(std::move(answer));
  }
  outcome_.facts.push_back(std::move(fact));
}

bool Deciding::CanStep() {
  return instance() != nullptr && !instance()->suspended && !instance()->ready.empty();
}

void Deciding::Run() {
  for (int steps = 0; CanStep(); ++steps) {
    if (steps == limits::kStepsPerDecision) {
      outcome_.effects.push_back(ContinueLater{id_});
      return;
    }
    Step(Find(instance()->ready.front()));
  }
}

void Deciding::Reply(v1::CommandReply::Code code, std::string message) {
  outcome_.reply.emplace();
  outcome_.reply->set_code(code);
  outcome_.reply->set_message(std::move(message));
}

void Deciding::Refuse(std::string message) {
  Reply(v1::CommandReply::CODE_INVALID, std::move(message));
}

bool Deciding::ReplyDescription() {
  if (const Instance* live = instance()) {
    Reply(v1::CommandReply::CODE_OK);
    *outcome_.reply->mutable_instance() = engine::Describe(*live);
    return true;
  }
  auto ended = state_.ended.find(id_);
  if (ended == state_.ended.end()) return false;
  Reply(v1::CommandReply::CODE_OK);
  *outcome_.reply->mutable_instance() = engine::Describe(id_, ended->second);
  return true;
}

// Nothing runs it any more: it can be looked at, and cancelled.
void Deciding::Quarantined(const v1::Command& command) {
  const bool known = ReplyDescription();
  const std::string why =
      Cat(id_, " is quarantined: engines died, one after another, while they ran it");
  switch (command.kind_case()) {
    case v1::Command::kCancelInstance: {
      Fact lifted;
      lifted.event.mutable_quarantine_lifted();
      Emit(std::move(lifted));
      return Cancel(command);
    }
    case v1::Command::kResumeInstance:
      return LiftQuarantine(command);
    case v1::Command::kStartInstance:
      if (!known) Refuse(why);
      break;
    case v1::Command::kDescribeInstance:
      if (!known) Reply(v1::CommandReply::CODE_OK);
      break;
    default:
      return Reply(v1::CommandReply::CODE_OK);
  }
  if (outcome_.reply->code() != v1::CommandReply::CODE_OK) return;
  v1::InstanceDescription* description = outcome_.reply->mutable_instance();
  description->set_id(id_);
  description->set_status(v1::INSTANCE_STATUS_SUSPENDED);
  *description->mutable_error() = RuntimeProblem(why);
}

void Deciding::Describe(const v1::DescribeInstance& describe) {
  if (!ReplyDescription()) {
    return Reply(v1::CommandReply::CODE_NOT_FOUND, Cat("there is no instance ", id_));
  }
  const bool live = instance() != nullptr && instance()->live();
  if (describe.wait() && live) outcome_.reply_at_end = true;
}

// Somebody thinks that it is harmless now: what was left alone goes on.
void Deciding::LiftQuarantine(const v1::Command& command) {
  Fact lifted;
  lifted.event.mutable_quarantine_lifted();
  Emit(std::move(lifted));
  if (instance() != nullptr) AddOpenEffects(*instance(), environment_.effects, &outcome_.effects);
  Resume(command);
}

void Deciding::Suspend(const v1::Command& command) {
  if (!ReplyDescription()) {
    return Reply(v1::CommandReply::CODE_NOT_FOUND, Cat("there is no instance ", id_));
  }
  if (instance() == nullptr || !instance()->live()) {
    return Reply(v1::CommandReply::CODE_CONFLICT, Cat("the instance ", id_, " has ended"));
  }
  if (instance()->suspended) return;
  Fact fact;
  v1::InstanceSuspended* suspended = fact.event.mutable_instance_suspended();
  suspended->set_reason(command.suspend_instance().reason());
  suspended->set_actor(command.actor());
  CutText(suspended->mutable_reason());
  Emit(std::move(fact));
  ReplyDescription();
}

void Deciding::Resume(const v1::Command& command) {
  if (!ReplyDescription()) {
    return Reply(v1::CommandReply::CODE_NOT_FOUND, Cat("there is no instance ", id_));
  }
  if (instance() == nullptr || !instance()->live()) {
    return Reply(v1::CommandReply::CODE_CONFLICT, Cat("the instance ", id_, " has ended"));
  }
  if (!instance()->suspended) return;
  Fact fact;
  fact.event.mutable_instance_resumed()->set_actor(command.actor());
  Emit(std::move(fact));
  ReplyDescription();
}

namespace {

// What a start without input gets is {}.
bool IsInput(const std::string& asked, const std::string& kept) {
  if (asked == kept) return true;
  const absl::StatusOr<Value> one = ParseJson(asked.empty() ? "{}" : asked);
  const absl::StatusOr<Value> other = ParseJson(kept);
  return one.ok() && other.ok() && *one == *other;
}

}  // namespace

void Deciding::Start(const v1::Command& command) {
  const v1::StartInstance& start = command.start_instance();
  // The same start again is answered with what became of the first one.
  if (ReplyDescription()) {
    if (outcome_.reply->instance().definition() != start.definition()) {
      return Reply(v1::CommandReply::CODE_CONFLICT,
                   Cat("the id ", id_, " belongs to an instance of ",
                       outcome_.reply->instance().definition()));
    }
    if (!IsInput(start.input(), outcome_.reply->instance().input())) {
      return Reply(v1::CommandReply::CODE_CONFLICT,
                   Cat("the id ", id_, " belongs to an instance with another input"));
    }
    outcome_.reply_at_end = start.wait() && instance() != nullptr && instance()->live();
    return;
  }
  if (state_.EndedLately(id_)) {
    return Reply(v1::CommandReply::CODE_CONFLICT, Cat("the instance ", id_, " has ended"));
  }
  if (start.parent().depth() >= limits::kChildDepth) {
    return Refuse(Cat("workflows are nested more than ", limits::kChildDepth, " deep"));
  }
  absl::StatusOr<DefinitionStore::WorkflowPtr> workflow =
      environment_.definitions->Get(start.definition());
  if (!workflow.ok()) {
    return Reply(absl::IsNotFound(workflow.status()) ? v1::CommandReply::CODE_NOT_FOUND
                                                     : v1::CommandReply::CODE_UNAVAILABLE,
                 std::string(workflow.status().message()));
  }
  if (start.input().size() > limits::kInputBytes) {
    return Refuse(
        Cat("the input has ", start.input().size(), " bytes, more than ", limits::kInputBytes));
  }
  absl::StatusOr<Value> input = start.input().empty() ? Value::Object() : ParseJson(start.input());
  if (!input.ok()) return Refuse(Cat("the input is no JSON: ", input.status().message()));
  const absl::Status valid = CheckStart(start, **workflow);
  if (!valid.ok()) return Refuse(std::string(valid.message()));
  Begin(command, *std::move(workflow), *std::move(input));
  outcome_.reply_at_end = start.wait();
  ReplyDescription();
}

absl::Status Deciding::CheckStart(const v1::StartInstance& start, const dsl::Workflow& workflow) {
  if (start.tags_size() > static_cast<int>(limits::kTags)) {
    return absl::InvalidArgumentError(
        Cat("there are ", start.tags_size(), " tags, more than ", limits::kTags));
  }
  for (const v1::Tag& tag : start.tags()) {
    if (tag.key().empty() || tag.key().size() > limits::kTagBytes ||
        tag.value().size() > limits::kTagBytes) {
      return absl::InvalidArgumentError(
          Cat("a tag needs a key; keys and values have up to ", limits::kTagBytes, " bytes"));
    }
  }
  if (!start.has_from()) return absl::OkStatus();
  if (start.from().position() >= workflow.tasks.size()) {
    return absl::InvalidArgumentError(Cat("the workflow has ", workflow.tasks.size(),
                                          " tasks: it cannot begin at position ",
                                          start.from().position()));
  }
  if (!ParseJson(start.from().data()).ok() || !ParseJson(start.from().context()).ok()) {
    return absl::InvalidArgumentError("the data to go on with is no JSON");
  }
  return absl::OkStatus();
}

void Deciding::Begin(const v1::Command& command, DefinitionStore::WorkflowPtr workflow,
                     Value input) {
  const v1::StartInstance& start = command.start_instance();
  // An instance whose input is bad exists, and faults: whoever started it finds out why.
  Instance draft;
  draft.id = id_;
  draft.workflow = workflow;
  draft.started = environment_.now;
  draft.input = input;
  const Arguments arguments(&draft, nullptr, nullptr);
  Value transformed = input;
  absl::Status valid = TransformWorkflowInput(*workflow, arguments, &transformed);
  absl::StatusOr<Micros> timeout = valid.ok() ? TimeoutAt(workflow->timeout, transformed, arguments)
                                              : absl::StatusOr<Micros>(Micros{0});
  Fact fact;
  v1::InstanceStarted* started = fact.event.mutable_instance_started();
  started->set_definition(workflow->id());
  if (start.has_parent()) *started->mutable_parent() = start.parent();
  *started->mutable_tags() = start.tags();
  started->set_rerun_of(start.rerun_of());
  started->set_schedule(start.schedule());
  started->set_due_micros(start.due_micros());
  started->set_actor(command.actor());
  started->set_events_after(environment_.events_position);
  started->set_timeout_micros(timeout.value_or(0));
  if (start.has_from()) {
    started->set_position(start.from().position());
    fact.SetData(*ParseJson(start.from().data()));
    fact.SetContext(*ParseJson(start.from().context()));
  } else if (!(transformed == input)) {
    fact.SetData(std::move(transformed));
  }
  fact.SetInput(std::move(input));
  const absl::Status fits = CheckSize(fact, "the workflow's input, with the transformed one,");
  if (!fits.ok()) {
    valid = fits;
    fact.event.clear_data();
    fact.data.reset();
    fact.event.clear_context();
    fact.context.reset();
  }
  fact.workflow = std::move(workflow);
  Emit(std::move(fact));
  if (!valid.ok()) return FaultWorkflow(ProblemFrom(valid));
  if (!timeout.ok()) return FaultWorkflow(ProblemFrom(timeout.status()));
}

void Deciding::Cancel(const v1::Command& command) {
  if (instance() != nullptr && instance()->live()) {
    Fact fact;
    fact.event.mutable_instance_cancelled()->set_actor(command.actor());
    std::string* reason = fact.event.mutable_instance_cancelled()->mutable_reason();
    *reason = command.cancel_instance().reason();
    CutText(reason);
    Emit(std::move(fact));
  }
  if (!ReplyDescription()) {
    Reply(v1::CommandReply::CODE_NOT_FOUND, Cat("there is no instance ", id_));
  }
}

void Deciding::ConfirmOutbox(const v1::ConfirmOutbox& confirm) {
  if (instance() == nullptr) return;
  for (const v1::OutboxFailure& failure : confirm.failures()) {
    auto entry = instance()->outbox.find(failure.entry());
    if (entry == instance()->outbox.end() || !entry->second.await) continue;
    if (entry->second.kind != OutboxEntry::Kind::kStartChild) continue;
    if (Frame* frame = Find(entry->second.frame)) {
      Fault(Find(frame->parent), *frame->task, failure.error());
    }
  }
  Fact fact;
  for (uint64_t entry : confirm.entries()) {
    if (instance()->outbox.contains(entry))
      fact.event.mutable_outbox_confirmed()->add_entries(entry);
  }
  if (fact.event.has_outbox_confirmed()) Emit(std::move(fact));
}

}  // namespace jaque::engine
