// SPDX-License-Identifier: Apache-2.0
// Works out from a cluster's log what a store has to hold, and compares; for tests.
//
//   jaque_store_check URL PREFIX SHARDS STORE  prints one JSON object: differences, instances
//
// It knows nothing of the projection: it counts facts, and follows which tasks are open by itself.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "jaque/v1/event.pb.h"
#include "log/nats_event_log.h"
#include "nats/connection.h"
#include "nats/jetstream.h"
#include "nats/names.h"
#include "store/store.h"

namespace jaque {
namespace {

struct Expected {
  v1::InstanceStatus status = v1::INSTANCE_STATUS_RUNNING;
  int64_t started = 0, ended = 0;
  std::string input, output;
  std::map<store::HistorySeq, std::string> facts;     // as bytes
  std::map<store::HistorySeq, int64_t> tasks;         // to their end
  std::map<uint32_t, store::HistorySeq> open_frames;  // to their task
};

class Check {
 public:
  void Read(ShardId shard, const LogRecord& record) {
    v1::LogBatch batch;
    if (!batch.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size()))) return;
    if (batch.epoch() < epochs_[shard]) return;
    epochs_[shard] = batch.epoch();
    positions_[shard] = record.sequence;
    auto seq = static_cast<store::HistorySeq>(record.sequence << 20);
    for (const v1::Decision& decision : batch.decisions()) {
      for (const v1::Event& event : decision.events()) {
        if (event.has_shard_opened()) ++openings_;
        if (!decision.object_id().empty()) {
          Note(&instances_[decision.object_id()], seq, decision.at_micros(), event);
        }
        ++seq;
      }
    }
  }

  absl::Status Compare(store::Store* stored) {
    ASSIGN_OR_RETURN(const auto positions, stored->Positions());
    std::map<ShardId, uint64_t> found;
    for (const store::ShardPosition& position : positions) {
      found[position.shard] = position.sequence;
    }
    if (found != positions_) Differ("", "the positions are not the ends of the log");
    ASSIGN_OR_RETURN(const auto openings, stored->Openings(100'000));
    if (openings.size() != openings_) Differ("", "openings are missing or there twice");
    size_t listed = 0;
    store::Page page;
    page.limit = 1'000;
    do {
      ASSIGN_OR_RETURN(const store::InstancePage list, stored->ListInstances({}, page));
      listed += list.items.size();
      page.cursor = list.next;
    } while (!page.cursor.empty());
    if (listed != instances_.size()) {
      Differ("", absl::StrCat(listed, " instances instead of ", instances_.size()));
    }
    for (const auto& [id, expected] : instances_) {
      RETURN_IF_ERROR(CompareInstance(stored, id, expected));
    }
    return absl::OkStatus();
  }

  std::string Report() const {
    std::vector<std::string> texts;
    for (const std::string& text : differences_) texts.push_back(nats::JsonString(text));
    return absl::StrCat("{\"instances\":", instances_.size(), ",\"openings\":", openings_,
                        ",\"differences\":[", absl::StrJoin(texts, ","), "]}");
  }

 private:
  static void Note(Expected* instance, store::HistorySeq seq, int64_t at, const v1::Event& event) {
    instance->facts[seq] = event.SerializeAsString();
    switch (event.kind_case()) {
      case v1::Event::kInstanceStarted:
        instance->started = at;
        instance->input = event.input();
        return;
      case v1::Event::kTaskStarted:
        instance->open_frames[event.task_started().frame()] = seq;
        instance->tasks[seq] = 0;
        return;
      case v1::Event::kTaskCompleted:
        if (event.task_completed().frame() == 0) {
          instance->tasks[seq] = at;
        } else {
          instance->tasks[instance->open_frames[event.task_completed().frame()]] = at;
        }
        return;
      case v1::Event::kInstanceCompleted:
        instance->status = v1::INSTANCE_STATUS_COMPLETED;
        instance->output = event.data();
        instance->ended = at;
        return;
      default:
        return;
    }
  }

  absl::Status CompareInstance(store::Store* stored, const std::string& id,
                               const Expected& expected) {
    const auto record = stored->GetInstance(id);
    if (absl::IsNotFound(record.status())) {
      Differ(id, "is not there");
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(record.status());
    const store::InstanceRow& row = record->row;
    const bool ended = expected.ended != 0;
    if (ended && row.status != expected.status) Differ(id, "has another status");
    if (row.started != expected.started || row.ended != expected.ended)
      Differ(id, "has other times");
    if (record->input != expected.input) Differ(id, "has another input");
    if (record->output != expected.output) Differ(id, "has another output");
    if (record->last_seq != expected.facts.rbegin()->first) Differ(id, "is not up to date");
    ASSIGN_OR_RETURN(const store::HistoryPage history, stored->History(id, 0, 1'000));
    std::map<store::HistorySeq, std::string> facts;
    for (const store::HistoryItem& item : history.items) {
      facts[item.seq] = item.event.SerializeAsString();
    }
    if (facts != expected.facts) Differ(id, "has another history");
    ASSIGN_OR_RETURN(const store::TaskPage page, stored->Tasks(id, 0, 1'000));
    std::map<store::HistorySeq, int64_t> tasks;
    for (const store::TaskRow& task : page.items) {
      tasks[task.seq] = task.ended;
      if (task.name.empty()) Differ(id, "has a task without a name");
      if ((task.ended != 0) != (task.status == "completed")) Differ(id, "has a wrong task");
    }
    if (tasks != expected.tasks) Differ(id, "has other tasks");
    return absl::OkStatus();
  }

  void Differ(const std::string& id, const std::string& what) {
    if (differences_.size() < 20) differences_.push_back(absl::StrCat(id, " ", what));
  }

  std::map<ShardId, uint64_t> epochs_, positions_;
  std::map<std::string, Expected> instances_;
  size_t openings_ = 0;
  std::vector<std::string> differences_;
};

absl::Status Main(char** argv) {
  ASSIGN_OR_RETURN(const auto connection,
                   nats::Connection::Connect({.urls = {argv[1]}, .name = "store check"}));
  ASSIGN_OR_RETURN(const nats::Names names, nats::Names::Make(argv[2]));
  ASSIGN_OR_RETURN(const auto log, NatsEventLog::Open(connection.get(), names));
  ASSIGN_OR_RETURN(const auto stored, store::OpenStore(argv[4]));
  int shards = 0;
  if (!absl::SimpleAtoi(argv[3], &shards)) return absl::InvalidArgumentError("SHARDS");
  Check check;
  for (ShardId shard = 0; shard < static_cast<ShardId>(shards); ++shard) {
    RETURN_IF_ERROR(log->Read(shard, 0, [&](const LogRecord& record) {
      check.Read(shard, record);
      return absl::OkStatus();
    }));
  }
  RETURN_IF_ERROR(check.Compare(stored.get()));
  std::puts(check.Report().c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace jaque

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: jaque_store_check URL PREFIX SHARDS STORE\n", stderr);
    return 2;
  }
  const absl::Status status = jaque::Main(argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
