// SPDX-License-Identifier: Apache-2.0
// emit and listen: CloudEvents out and in (reference, "Emit", "Listen", "Event Consumption
// Strategy").
#include <algorithm>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/deciding.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

const dsl::ListenTask& ListenOf(const Frame& frame) {
  return std::get<dsl::ListenTask>(frame.task->spec);
}

std::string EventKey(const Value& event) {
  return Cat(event.StringOr("source", ""), "\n", event.StringOr("id", ""));
}

}  // namespace

Value ReadEvent(dsl::ListenTask::Read read, const Value& event) {
  if (read == dsl::ListenTask::Read::kEnvelope) return event;
  if (const Value* data = event.Find("data")) return *data;
  const Value* encoded = event.Find("data_base64");
  return encoded == nullptr ? Value() : *encoded;
}

bool AllMatched(const std::vector<bool>& matched, int with) {
  for (size_t i = 0; i < matched.size(); ++i) {
    if (!matched[i] && static_cast<int>(i) != with) return false;
  }
  return true;
}

void Deciding::EmitEvent(const TaskData& data) {
  const auto& task = std::get<dsl::EmitTask>(data.task.spec);
  absl::StatusOr<Value> with = Evaluate(task.event, data.input, ArgumentsOf(data));
  if (!with.ok()) return FaultInside(data, with.status());
  Value event = Value::Object();
  event.Set("specversion", Value::String("1.0"));
  event.Set("id", Value::String(Cat(id_, "-e", instance()->next_outbox)));
  event.Set("source", Value::String(Cat("urn:jaque:", instance()->workflow->namespace_, ":",
                                        instance()->workflow->name)));
  event.Set("time", *DateTimeDescriptor(environment_.now).Find("iso8601"));
  with->ForEachMember([&](std::string_view name, const Value& value) {
    event.Set(name, value);
    return true;
  });
  for (const std::string_view name : {"id", "source", "type"}) {
    if (event.StringOr(name, "").empty()) {
      return FaultInside(
          data, ExpressionProblem(Cat("the event's ", name, " must be a text that is not empty")));
    }
  }
  const absl::Status flat = CheckDepth(event, "the event");
  if (!flat.ok()) return FaultInside(data, flat);
  std::string json = ToJson(event);
  if (json.size() > limits::kInputBytes) {
    return FaultInside(
        data, RuntimeProblem(Cat("the event has ", json.size(), " bytes, more than the limit of ",
                                 limits::kInputBytes)));
  }
  Fact fact;
  fact.event.mutable_task_completed()->set_emitted(std::move(json));
  Complete(data, kNoFrame, std::move(event), std::move(fact));
}

void Deciding::Deliver(const v1::DeliverEvent& deliver) {
  if (instance() == nullptr || !instance()->live()) return;
  const absl::StatusOr<Value> event = ParseJson(deliver.event());
  if (!event.ok() || !event->is_object()) return;
  // One event is consumed once by an instance: by all the listens that wait for it now, by none
  // later.
  if (instance()->consumed_events.contains(EventKey(*event))) return;
  const absl::btree_set<FrameId> frames(deliver.frames().begin(), deliver.frames().end());
  for (FrameId frame : frames) {
    if (instance() == nullptr || !instance()->live()) return;
    Offer(frame, deliver.sequence(), *event);
  }
}

void Deciding::Offer(FrameId id, uint64_t sequence, const Value& event) {
  Frame* frame = Find(id);
  const ListenState* listen = frame == nullptr ? nullptr : frame->Get<ListenState>();
  if (listen == nullptr || listen->satisfied) return;
  if (listen->waiting.size() >= limits::kEventsBuffered ||
      instance()->consumed_events.size() >= limits::kConsumedEvents) {
    return FaultInside(DataOf(*frame), RuntimeProblem("the listen has more events than the limit"));
  }
  const dsl::EventConsumption& to = ListenOf(*frame).to;
  const TaskData data = DataOf(*frame);
  const Arguments arguments = ArgumentsOf(data);
  // A filter that fails on an event of somebody else's does not match it.
  absl::StatusOr<std::optional<Match>> match =
      FindMatch({to, listen->matched, listen->correlation, data.input, arguments}, event);
  if (match.ok() && match->has_value()) {
    return Consume(*frame, sequence, event, **std::move(match), /*until=*/false);
  }
  if (to.until_events == nullptr) return;
  match = FindMatch(
      {*to.until_events, listen->until_matched, listen->correlation, data.input, arguments}, event);
  if (match.ok() && match->has_value()) {
    Consume(*frame, sequence, event, **std::move(match), /*until=*/true);
  }
}

absl::StatusOr<std::optional<Deciding::Match>> Deciding::FindMatch(const Filters& filters,
                                                                   const Value& event) {
  const dsl::EventConsumption& to = filters.to;
  if (to.filters.empty()) return Match{};
  absl::Status failure;
  for (size_t i = 0; i < to.filters.size(); ++i) {
    if (to.mode == dsl::EventConsumption::Mode::kAll && filters.matched[i]) continue;
    Match match;
    match.filter = static_cast<int>(i);
    const absl::StatusOr<bool> matches = Matches(filters, to.filters[i], event, &match);
    if (!matches.ok()) {
      failure = matches.status();
    } else if (*matches) {
      return match;
    }
  }
  if (!failure.ok()) return failure;
  return std::nullopt;
}

absl::StatusOr<bool> Deciding::Matches(const Filters& filters, const dsl::EventFilter& filter,
                                       const Value& event, Match* match) {
  for (const dsl::EventFilter::Match& expected : filter.with) {
    const Value* found = event.Find(expected.attribute);
    const Value attribute = found == nullptr ? Value() : *found;
    const Value& subject = expected.attribute == "data" ? attribute : event;
    ASSIGN_OR_RETURN(const Value value, Evaluate(expected.value, subject, filters.arguments));
    const bool holds =
        expected.is_condition && value.is_bool() ? value.truthy() : value == attribute;
    if (!holds) return false;
  }
  return Correlates(filters, filter, event, match);
}

absl::StatusOr<bool> Deciding::Correlates(const Filters& filters, const dsl::EventFilter& filter,
                                          const Value& event, Match* match) {
  const Arguments& arguments = filters.arguments;
  for (const dsl::EventFilter::Correlation& correlation : filter.correlate) {
    ASSIGN_OR_RETURN(const Value value, Evaluate(correlation.from, event, arguments));
    if (value.is_null()) return false;
    if (correlation.expect.has_value()) {
      ASSIGN_OR_RETURN(const Value expected,
                       Evaluate(*correlation.expect, filters.input, arguments));
      if (!(value == expected)) return false;
    } else if (auto found = filters.correlation.find(correlation.name);
               found != filters.correlation.end()) {
      if (!(value == found->second)) return false;
    } else {
      match->correlation.emplace_back(correlation.name, value);
    }
  }
  return true;
}

absl::StatusOr<bool> Deciding::Satisfied(const Frame& frame, int filter, const Value& item) {
  const dsl::ListenTask& task = ListenOf(frame);
  const ListenState& listen = *frame.Get<ListenState>();
  switch (task.to.mode) {
    case dsl::EventConsumption::Mode::kOne:
      return true;
    case dsl::EventConsumption::Mode::kAll:
      return AllMatched(listen.matched, filter);
    case dsl::EventConsumption::Mode::kAny:
      break;
  }
  if (task.to.until_events != nullptr) return false;
  if (!task.to.until_condition.has_value()) return true;
  if (task.foreach.has_value()) return false;  // asked after each iteration
  Value consumed = listen.consumed;
  consumed.Append(item);
  const TaskData data = DataOf(frame);
  return Condition(*task.to.until_condition, consumed, ArgumentsOf(data));
}

void Deciding::Consume(const Frame& frame, uint64_t sequence, const Value& event,
                       const Match& match, bool until) {
  const dsl::ListenTask& task = ListenOf(frame);
  const Value item = ReadEvent(task.read, event);
  absl::StatusOr<bool> satisfied =
      until ? task.to.until_events->mode != dsl::EventConsumption::Mode::kAll ||
                  AllMatched(frame.Get<ListenState>()->until_matched, match.filter)
            : Satisfied(frame, match.filter, item);
  if (!satisfied.ok()) return FaultInside(DataOf(frame), satisfied.status());
  Fact fact;
  v1::EventConsumed* consumed = fact.event.mutable_event_consumed();
  consumed->set_frame(frame.id);
  consumed->set_sequence(sequence);
  consumed->set_source(std::string(event.StringOr("source", "")));
  consumed->set_id(std::string(event.StringOr("id", "")));
  consumed->set_filter(match.filter);
  consumed->set_until(until);
  consumed->set_satisfied(*satisfied);
  for (auto& [name, value] : match.correlation) {
    (*consumed->mutable_correlation())[name] = ToJson(value);
  }
  if (!until) fact.SetData(item);
  // Too much of it is correlation: as a filter that fails, it does not match.
  if (!CheckSize(fact, "").ok()) return;
  Emit(std::move(fact));
}

void Deciding::StepListen(Frame* frame) {
  const dsl::ListenTask& task = ListenOf(*frame);
  const ListenState& listen = *frame->Get<ListenState>();
  if (!listen.waiting.empty()) {
    Fact fact;
    fact.event.mutable_foreach_started()->set_frame(frame->id);
    fact.event.mutable_foreach_started()->set_iteration(listen.iteration + 1);
    return Emit(std::move(fact));
  }
  CompleteFrame(*frame, task.foreach.has_value() ? listen.outputs : listen.consumed);
}

void Deciding::ForeachEnded(Frame* frame) {
  const dsl::ListenTask& task = ListenOf(*frame);
  const ListenState& listen = *frame->Get<ListenState>();
  const TaskData data = DataOf(*frame);
  // The iteration's own variables are still in scope for its output and export.
  Arguments arguments(instance(), frame, frame->task);
  arguments.Input(&listen.item).RawInput(&data.raw).RawOutput(&frame->data).StartedAt(data.started);
  Value output = frame->data;
  Fact fact;
  absl::Status valid = Transform(task.foreach->output, arguments, &output);
  if (valid.ok()) valid = Validate(task.foreach->output, "the iteration's output", output);
  std::optional<Value> context;
  if (valid.ok() && task.foreach->export_to.transform.has_value()) {
    context = output;
    arguments.Output(&output);
    valid = Transform(task.foreach->export_to, arguments, &*context);
    if (valid.ok()) valid = Validate(task.foreach->export_to, "the exported context", *context);
  }
  absl::StatusOr<bool> satisfied = false;
  if (valid.ok() && task.to.until_condition.has_value()) {
    Value outputs = listen.outputs;
    outputs.Append(output);
    if (context.has_value()) arguments.Context(&*context);
    satisfied = Condition(*task.to.until_condition, outputs, arguments);
    valid = satisfied.status();
  }
  if (!valid.ok()) return FaultInside(data, valid);
  fact.event.mutable_foreach_completed()->set_frame(frame->id);
  fact.event.mutable_foreach_completed()->set_satisfied(*satisfied);
  if (context.has_value()) fact.SetContext(*std::move(context));
  fact.SetData(std::move(output));
  valid = CheckSize(fact, "the iteration's output, with the exported context,");
  if (!valid.ok()) return FaultInside(data, valid);
  Emit(std::move(fact));
}

}  // namespace jaque::engine
