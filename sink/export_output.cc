// SPDX-License-Identifier: Apache-2.0
#include "sink/export_output.h"

#include <map>

#include "absl/time/time.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "google/protobuf/util/json_util.h"
#include "store/positions.h"

namespace jaque {
namespace {

// As lines of JSON they are about twice as long.
constexpr size_t kPieceBytes = limits::kExportRequestBytes / 2;

void AppendMember(std::string_view key, std::string_view json, std::string* line) {
  *line += Cat(line->empty() ? "{" : ",", "\"", key, "\":", json);
}

std::string Quoted(const std::string& text) { return ToJson(Value::String(text)); }

ExportedFact FactOf(const SinkBatch& batch, const v1::Decision& decision, const v1::Event& event,
                    int64_t seq) {
  ExportedFact fact;
  fact.object = decision.object_id();
  fact.seq = seq;
  const std::string at = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixMicros(decision.at_micros()), absl::UTCTimeZone());
  AppendMember("object", Quoted(fact.object), &fact.line);
  AppendMember("seq", Cat(seq), &fact.line);
  AppendMember("at", Quoted(at), &fact.line);
  AppendMember("shard", Cat(batch.shard), &fact.line);
  AppendMember("epoch", Cat(batch.batch.epoch()), &fact.line);
  // The message of the fact's kind, by its name.
  const auto* field = v1::Event::descriptor()->FindFieldByNumber(event.kind_case());
  if (field != nullptr) {
    fact.kind = field->message_type()->name();
    AppendMember("kind", Quoted(fact.kind), &fact.line);
  }
  fact.short_line = fact.line + ",\"cut\":true}";
  if (field != nullptr) {
    std::string json;
    const auto& message = v1::Event::GetReflection()->GetMessage(event, field);
    if (google::protobuf::util::MessageToJsonString(message, &json).ok()) {
      AppendMember("fact", json, &fact.line);
    }
  }
  // JSON already, on one line as the engine prints it.
  if (event.has_data()) AppendMember("data", event.data(), &fact.line);
  if (event.has_input()) AppendMember("input", event.input(), &fact.line);
  if (event.has_context()) AppendMember("context", event.context(), &fact.line);
  fact.line += "}";
  return fact;
}

}  // namespace

std::vector<ExportedFact> FactsOf(const SinkBatch& batch) {
  std::vector<ExportedFact> facts;
  auto seq = static_cast<int64_t>(batch.sequence << 20);
  for (const v1::Decision& decision : batch.batch.decisions()) {
    for (const v1::Event& event : decision.events()) {
      facts.push_back(FactOf(batch, decision, event, seq++));
    }
  }
  return facts;
}

absl::Status ExportOutput::Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) {
  const absl::Span<const SinkBatch> all = batches;
  size_t first = 0, bytes = 0;
  for (size_t at = 0; at < all.size(); ++at) {
    const size_t more = all[at].batch.ByteSizeLong();
    if (at > first && bytes + more > kPieceBytes) {
      RETURN_IF_ERROR(TakePiece(all.subspan(first, at - first), positions));
      first = at;
      bytes = 0;
    }
    bytes += more;
  }
  return TakePiece(all.subspan(first), positions);
}

absl::Status ExportOutput::TakePiece(absl::Span<const SinkBatch> batches,
                                     SinkPositions* positions) {
  std::vector<const SinkBatch*> current;
  std::map<ShardId, Sequence> from;
  for (const SinkBatch& batch : batches) {
    store::ShardPosition& position = (*positions)[batch.shard];
    from.try_emplace(batch.shard, position.sequence);
    position.sequence = batch.sequence;
    if (batch.batch.epoch() < position.epoch) continue;
    position.epoch = batch.batch.epoch();
    current.push_back(&batch);
  }
  Metrics& metrics = ProcessMetrics();
  const absl::StatusOr<size_t> exported = exporter_->Export(current);
  if (exported.ok()) {
    metrics.export_records.Add({{"output", name_}}).Increment(static_cast<double>(*exported));
  } else if (absl::IsCancelled(exported.status())) {
    return exported.status();  // nobody's fault
  } else {
    metrics.export_errors.Add({{"output", name_}}).Increment();
    if (!absl::IsInvalidArgument(exported.status())) return exported.status();
    LogWarn("an output refuses what it is sent, and will not get it again",
            {{"output", name_}, {"why", Message(exported.status())}});
  }
  std::vector<store::Statement> moves;
  for (const auto& [shard, sequence] : from) {
    moves.push_back(store::MovePosition(name_, sequence, positions->at(shard)));
  }
  return store_->Write(moves).status();
}

}  // namespace jaque
