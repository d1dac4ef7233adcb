// SPDX-License-Identifier: Apache-2.0
#include "sink/otlp_spans.h"

#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "expression/json.h"
#include "sink/fingerprint.h"

namespace jaque {
namespace {

using store::EndedTask;
using store::InstanceRow;

constexpr size_t kTraceIdBytes = 16, kSpanIdBytes = 8;
enum SpanKind { kInternal = 1, kClient = 3, kProducer = 4 };
constexpr int kStatusError = 2;

// 64-bit numbers are text in the JSON of protobuf.
Value Nanoseconds(store::Micros micros) { return Value::String(Cat(micros, "000")); }

class Attributes {
 public:
  Attributes& Text(std::string_view key, const std::string& text) {
    if (!text.empty()) Add(key, Value::Object({{"stringValue", Value::String(text)}}));
    return *this;
  }
  Attributes& Number(std::string_view key, int64_t number) {
    if (number != 0) Add(key, Value::Object({{"intValue", Value::String(Cat(number))}}));
    return *this;
  }
  Value Take() { return Value::Array(std::move(items_)); }

 private:
  void Add(std::string_view key, Value value) {
    items_.push_back(Value::Object({{"key", Value::String(key)}, {"value", std::move(value)}}));
  }
  std::vector<Value> items_;
};

Value EventAt(store::Micros at, std::string_view name, Attributes attributes) {
  return Value::Object({{"timeUnixNano", Nanoseconds(at)},
                        {"name", Value::String(name)},
                        {"attributes", attributes.Take()}});
}

struct Failure {
  std::string type, title, detail;
};

// An error is the span's status, and an event as OpenTelemetry's conventions say.
void AddFailure(const Failure& failure, store::Micros at, Value* span, std::vector<Value>* events) {
  span->Set("status", Value::Object({{"code", Value::Int(kStatusError)},
                                     {"message", Value::String(failure.title)}}));
  if (failure.type.empty() && failure.title.empty()) return;  // it went through, from below
  const std::string message =
      failure.detail.empty() ? failure.title : Cat(failure.title, ": ", failure.detail);
  Attributes attributes;
  attributes.Text("exception.type", failure.type).Text("exception.message", message);
  events->push_back(EventAt(at, "exception", std::move(attributes)));
}

Value SpanOf(const std::string& instance, store::HistorySeq seq, const std::string& name,
             SpanKind kind, store::Micros started, store::Micros ended) {
  return Value::Object({{"traceId", Value::String(TraceIdOf(instance))},
                        {"spanId", Value::String(SpanIdOf(instance, seq))},
                        {"name", Value::String(name)},
                        {"kind", Value::Int(kind)},
                        {"startTimeUnixNano", Nanoseconds(started)},
                        {"endTimeUnixNano", Nanoseconds(ended)}});
}

SpanKind KindOf(const std::string& task) {
  if (task == "call") return kClient;
  return task == "emit" ? kProducer : kInternal;
}

std::string TaskSpan(const std::string& instance, const EndedTask& task) {
  const store::TaskRow& row = task.row;
  Value span = SpanOf(instance, row.seq, row.name.empty() ? "task" : row.name, KindOf(row.kind),
                      row.started, row.ended);
  span.Set("parentSpanId", Value::String(SpanIdOf(instance, row.parent)));
  std::vector<Value> events;
  for (const EndedTask::Retry& retry : task.retries) {
    Attributes attributes;
    attributes.Number("jaque.task.attempt", retry.attempt);
    events.push_back(EventAt(retry.at, "retry", std::move(attributes)));
  }
  Attributes attributes;
  attributes.Text("jaque.instance.id", instance)
      .Text("jaque.task.reference", row.pointer)
      .Text("jaque.task.kind", row.kind)
      .Text("jaque.task.status", row.status)
      .Number("jaque.task.iteration", row.iteration)
      .Number("jaque.task.attempt", row.attempt);
  if (row.status == "faulted") {
    attributes.Text("error.type", task.error_type);
    AddFailure({task.error_type, row.error_title, row.error_detail}, row.ended, &span, &events);
  }
  span.Set("attributes", attributes.Take());
  if (!events.empty()) span.Set("events", Value::Array(std::move(events)));
  return ToJson(span);
}

std::string StatusName(v1::InstanceStatus status) {
  if (status == v1::INSTANCE_STATUS_COMPLETED) return "completed";
  return status == v1::INSTANCE_STATUS_FAULTED ? "faulted" : "cancelled";
}

// To traces of other instances.
Value Link(const std::string& instance, const std::string& relation) {
  Attributes attributes;
  attributes.Text("jaque.relation", relation);
  return Value::Object({{"traceId", Value::String(TraceIdOf(instance))},
                        {"spanId", Value::String(SpanIdOf(instance, 0))},
                        {"attributes", attributes.Take()}});
}

std::string InstanceSpan(const InstanceRow& row) {
  Value span =
      SpanOf(row.id, 0, Cat(row.namespace_, "/", row.name), kInternal, row.started, row.ended);
  Attributes attributes;
  attributes.Text("jaque.instance.id", row.id)
      .Text("jaque.workflow.namespace", row.namespace_)
      .Text("jaque.workflow.name", row.name)
      .Text("jaque.workflow.version", row.version)
      .Text("jaque.instance.status", StatusName(row.status))
      .Text("jaque.instance.reason", row.reason)
      .Text("jaque.schedule", row.schedule);
  for (const auto& [key, value] : row.tags) attributes.Text(Cat("jaque.tag.", key), value);
  std::vector<Value> events, links;
  if (row.status == v1::INSTANCE_STATUS_FAULTED) {
    attributes.Text("jaque.error.task", row.error_task);
    AddFailure({"", row.error_title, row.error_detail}, row.ended, &span, &events);
  }
  if (!row.parent.empty()) links.push_back(Link(row.parent, "parent"));
  if (!row.rerun_of.empty()) links.push_back(Link(row.rerun_of, "rerun of"));
  span.Set("attributes", attributes.Take());
  if (!events.empty()) span.Set("events", Value::Array(std::move(events)));
  if (!links.empty()) span.Set("links", Value::Array(std::move(links)));
  return ToJson(span);
}

}  // namespace

std::string TraceIdOf(const std::string& instance) { return Fingerprint(instance, kTraceIdBytes); }

std::string SpanIdOf(const std::string& instance, store::HistorySeq task) {
  return Fingerprint(Cat(instance, "/", task), kSpanIdBytes);
}

std::vector<std::string> SpansOf(const std::string& instance, const store::Endings& endings) {
  std::vector<std::string> spans;
  for (const EndedTask& task : endings.tasks) {
    if (task.row.status == "skipped") continue;  // its `if` was false: nothing was done
    spans.push_back(TaskSpan(instance, task));
  }
  if (endings.instance.has_value()) spans.push_back(InstanceSpan(*endings.instance));
  return spans;
}

std::string TraceRequestHead() {
  Attributes resource;
  resource.Text("service.name", "jaque").Text("service.version", kVersion);
  return Cat(R"({"resourceSpans":[{"resource":{"attributes":)", ToJson(resource.Take()),
             R"(},"scopeSpans":[{"scope":{"name":"jaque","version":")", kVersion,
             R"("},"spans":[)");
}

std::string TraceRequestTail() { return "]}]}]}"; }

}  // namespace jaque
