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
  switch (command.kind_case()) {
    case v1::Command::kStartInstance:
      deciding.Start(command.start_instance());
      break;
    case v1::Command::kCancelInstance:
      deciding.Cancel(command.cancel_instance());
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
    case v1::Command::kContinueInstance:
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
  if (after != nullptr) {
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

void Deciding::Run() {
  for (int steps = 0; instance() != nullptr && !instance()->ready.empty(); ++steps) {
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
      return Cancel(command.cancel_instance());
    }
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

void Deciding::Start(const v1::StartInstance& start) {
  // The same start again is answered with what became of the first one.
  if (ReplyDescription()) {
    if (outcome_.reply->instance().definition() != start.definition()) {
      return Reply(v1::CommandReply::CODE_CONFLICT,
                   Cat("the id ", id_, " belongs to an instance of ",
                       outcome_.reply->instance().definition()));
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
  Begin(start, *std::move(workflow), *std::move(input));
  outcome_.reply_at_end = start.wait();
  ReplyDescription();
}

void Deciding::Begin(const v1::StartInstance& start, DefinitionStore::WorkflowPtr workflow,
                     Value input) {
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
  started->set_events_after(environment_.events_position);
  started->set_timeout_micros(timeout.value_or(0));
  if (!(transformed == input)) fact.SetData(std::move(transformed));
  fact.SetInput(std::move(input));
  const absl::Status fits = CheckSize(fact, "the workflow's input, with the transformed one,");
  if (!fits.ok()) {
    valid = fits;
    fact.event.clear_data();
    fact.data.reset();
  }
  fact.workflow = std::move(workflow);
  Emit(std::move(fact));
  if (!valid.ok()) return FaultWorkflow(ProblemFrom(valid));
  if (!timeout.ok()) return FaultWorkflow(ProblemFrom(timeout.status()));
}

void Deciding::Cancel(const v1::CancelInstance& cancel) {
  if (instance() != nullptr && instance()->live()) {
    Fact fact;
    std::string* reason = fact.event.mutable_instance_cancelled()->mutable_reason();
    *reason = cancel.reason();
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
