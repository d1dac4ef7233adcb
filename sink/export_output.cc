// SPDX-License-Identifier: Apache-2.0
#include "sink/export_output.h"

#include <map>

#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "google/protobuf/util/json_util.h"
#include "sink/ndjson_exporter.h"
#include "store/positions.h"

namespace jaque {
namespace {

void AppendMember(std::string_view key, std::string_view json, std::string* line) {
  *line += Cat(line->empty() ? "{" : ",", "\"", key, "\":", json);
}

std::string Quoted(const std::string& text) { return ToJson(Value::String(text)); }

// The message of the fact's kind, by its name.
void AppendFact(const v1::Event& event, std::string* line) {
  const auto* field = v1::Event::descriptor()->FindFieldByNumber(event.kind_case());
  if (field == nullptr) return;
  AppendMember("kind", Quoted(field->message_type()->name()), line);
  std::string json;
  const auto& message = v1::Event::GetReflection()->GetMessage(event, field);
  if (google::protobuf::util::MessageToJsonString(message, &json).ok()) {
    AppendMember("fact", json, line);
  }
}

}  // namespace

std::vector<std::string> LinesOf(const SinkBatch& batch) {
  std::vector<std::string> lines;
  auto seq = static_cast<int64_t>(batch.sequence << 20);
  for (const v1::Decision& decision : batch.batch.decisions()) {
    const std::string at = absl::FormatTime(
        "%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixMicros(decision.at_micros()), absl::UTCTimeZone());
    for (const v1::Event& event : decision.events()) {
      std::string line;
      AppendMember("object", Quoted(decision.object_id()), &line);
      AppendMember("seq", Cat(seq++), &line);
      AppendMember("at", Quoted(at), &line);
      AppendMember("shard", Cat(batch.shard), &line);
      AppendMember("epoch", Cat(batch.batch.epoch()), &line);
      AppendFact(event, &line);
      // JSON already, on one line as the engine prints it.
      if (event.has_data()) AppendMember("data", event.data(), &line);
      if (event.has_input()) AppendMember("input", event.input(), &line);
      if (event.has_context()) AppendMember("context", event.context(), &line);
      lines.push_back(line + "}");
    }
  }
  return lines;
}

absl::Status ExportOutput::Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) {
  std::vector<std::string> lines;
  std::map<ShardId, Sequence> from;
  for (const SinkBatch& batch : batches) {
    store::ShardPosition& position = (*positions)[batch.shard];
    from.try_emplace(batch.shard, position.sequence);
    position.sequence = batch.sequence;
    if (batch.batch.epoch() < position.epoch) continue;
    position.epoch = batch.batch.epoch();
    for (std::string& line : LinesOf(batch)) lines.push_back(std::move(line));
  }
  auto& counters = ProcessMetrics();
  const absl::Status exported = exporter_->Export(lines);
  if (!exported.ok()) {
    counters.export_errors.Add({{"output", name_}}).Increment();
    return exported;
  }
  counters.export_records.Add({{"output", name_}}).Increment(static_cast<double>(lines.size()));
  std::vector<store::Statement> moves;
  for (const auto& [shard, sequence] : from) {
    moves.push_back(store::MovePosition(name_, sequence, positions->at(shard)));
  }
  return store_->Write(moves).status();
}

absl::StatusOr<std::unique_ptr<Exporter>> MakeExporter(const std::string& url) {
  absl::string_view rest = url;
  if (absl::ConsumePrefix(&rest, "ndjson:")) return OpenNdjson(std::string(rest));
  return absl::InvalidArgumentError("an export is ndjson:PATH");
}

}  // namespace jaque
