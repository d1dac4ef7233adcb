// SPDX-License-Identifier: Apache-2.0
// What has ended as spans of OpenTelemetry, in OTLP's JSON: an instance is a trace, it and each of
// its tasks a span. Ids follow from the instance's id and the task's place in its history, so the
// same ending gives the same span, whoever sends it. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/timeline.h"

namespace jaque {

// 32 and 16 hexadecimal digits. `task` 0: the instance's own span.
std::string TraceIdOf(const std::string& instance);
std::string SpanIdOf(const std::string& instance, store::HistorySeq task);

// Each a message opentelemetry.proto.trace.v1.Span.
std::vector<std::string> SpansOf(const std::string& instance, const store::Endings& endings);

// What stands before and after spans, with commas between them, in an ExportTraceServiceRequest.
std::string TraceRequestHead();
std::string TraceRequestTail();

}  // namespace jaque
