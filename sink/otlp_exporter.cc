// SPDX-License-Identifier: Apache-2.0
#include "sink/otlp_exporter.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "sink/otlp_spans.h"

namespace jaque {
namespace {

constexpr long kBadRequest = 400, kTooLarge = 413;

// Facts after which a task or its instance may have ended.
bool Ends(const v1::Event& event) {
  switch (event.kind_case()) {
    case v1::Event::kTaskCompleted:
    case v1::Event::kErrorRaised:
    case v1::Event::kRetryScheduled:
    case v1::Event::kCatchStarted:
    case v1::Event::kInstanceCompleted:
    case v1::Event::kInstanceFaulted:
    case v1::Event::kInstanceCancelled:
      return true;
    default:
      return false;
  }
}

// Places of facts of one instance.
struct Range {
  store::HistorySeq first = 0, last = 0;
};

std::map<std::string, Range> RangesOf(const std::vector<const SinkBatch*>& batches) {
  std::map<std::string, Range> ranges;
  for (const SinkBatch* batch : batches) {
    auto seq = static_cast<store::HistorySeq>(batch->sequence << 20);
    for (const v1::Decision& decision : batch->batch.decisions()) {
      const std::string& object = decision.object_id();
      const bool instance = !object.empty() && !absl::StartsWith(object, "schedule/");
      for (const v1::Event& event : decision.events()) {
        const store::HistorySeq at = seq++;
        if (!instance || !Ends(event)) continue;
        Range& range = ranges.try_emplace(object, Range{at, at}).first->second;
        range.last = at;
      }
    }
  }
  return ranges;
}

class OtlpExporter final : public Exporter {
 public:
  OtlpExporter(HttpPostOptions options, store::Database* store)
      : post_(std::move(options)), store_(store) {}

  absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) override {
    size_t taken = 0;
    std::vector<std::string> spans;
    size_t bytes = 0;
    absl::Status refused;
    const auto send = [&]() -> absl::Status {
      const absl::StatusOr<size_t> sent = Send(spans);
      if (absl::IsInvalidArgument(sent.status())) {
        refused = sent.status();
      } else {
        RETURN_IF_ERROR(sent.status());
        taken += *sent;
      }
      spans.clear();
      bytes = 0;
      return absl::OkStatus();
    };
    for (const auto& [instance, range] : RangesOf(batches)) {
      ASSIGN_OR_RETURN(const store::Endings endings,
                       store::ReadEndings(store_, instance, range.first, range.last));
      for (std::string& span : SpansOf(instance, endings)) {
        if (bytes + span.size() > limits::kExportRequestBytes) RETURN_IF_ERROR(send());
        bytes += span.size() + 1;
        spans.push_back(std::move(span));
      }
    }
    RETURN_IF_ERROR(send());
    RETURN_IF_ERROR(refused);
    return taken;
  }
  void Stop() override { post_.Stop(); }
  bool after_store() const override { return true; }

 private:
  // How many were taken. InvalidArgument: they never will be.
  absl::StatusOr<size_t> Send(const std::vector<std::string>& spans) {
    if (spans.empty()) return size_t{0};
    std::string body = TraceRequestHead();
    for (size_t i = 0; i < spans.size(); ++i) body += Cat(i == 0 ? "" : ",", spans[i]);
    body += TraceRequestTail();
    ASSIGN_OR_RETURN(const HttpPost::Answer answer,
                     post_.Send({"Content-Type: application/json"}, body));
    const absl::Status status = StatusOfAnswer(answer);
    if (answer.status == kBadRequest || answer.status == kTooLarge) {
      return absl::InvalidArgumentError(status.message());
    }
    RETURN_IF_ERROR(status);
    return spans.size() - std::min(spans.size(), Rejected(answer.body));
  }

  // Of a partial success, which is not to be repeated.
  static size_t Rejected(const std::string& body) {
    const absl::StatusOr<Value> answer = ParseJson(body);
    const Value* const partial =
        answer.ok() && answer->is_object() ? answer->Find("partialSuccess") : nullptr;
    const Value* const count =
        partial != nullptr && partial->is_object() ? partial->Find("rejectedSpans") : nullptr;
    if (count == nullptr) return 0;
    const std::string text = count->is_string() ? std::string(count->AsString()) : ToJson(*count);
    size_t rejected = 0;
    if (!absl::SimpleAtoi(text, &rejected) || rejected == 0) return 0;
    LogWarn("the receiver of traces has rejected some spans",
            {{"spans", rejected}, {"why", std::string(partial->StringOr("errorMessage", ""))}});
    return rejected;
  }

  HttpPost post_;
  store::Database* const store_;
};

}  // namespace

std::unique_ptr<Exporter> MakeOtlpExporter(HttpPostOptions options, store::Database* store) {
  return std::make_unique<OtlpExporter>(std::move(options), store);
}

}  // namespace jaque
