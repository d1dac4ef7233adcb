// SPDX-License-Identifier: Apache-2.0
// Reads the log that a cluster left and says what no log may hold; for tests.
//
//   jaque_log_check URL PREFIX SHARDS FROM TO  prints one JSON object; gaps between these times
//   jaque_log_check URL PREFIX SHARDS stale N  writes a batch of epoch 0 into shard N instead
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/notification.h"
#include "jaque/v1/event.pb.h"
#include "log/nats_event_log.h"
#include "nats/connection.h"
#include "nats/jetstream.h"
#include "nats/names.h"

namespace jaque {
namespace {

struct Instance {
  int started = 0, ended = 0;
  std::string output, how;
};

class Check {
 public:
  void Read(ShardId shard, const LogRecord& record) {
    v1::LogBatch batch;
    if (!batch.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size()))) {
      return Break(absl::StrCat("record ", record.sequence, " is no batch"));
    }
    uint64_t& epoch = epochs_[shard];
    if (batch.epoch() < epoch) {
      stale_.push_back(absl::StrCat("shard ", shard, ": epoch ", batch.epoch(), " after ", epoch));
      return;  // as every reader does
    }
    if (batch.epoch() > epoch && !Opens(batch)) {
      Break(absl::StrCat("shard ", shard, ": epoch ", batch.epoch(), " was not opened"));
    }
    std::vector<int64_t>& times = times_[shard];
    if (Opens(batch)) {
      ++openings_;
      if (!times.empty()) opened_.push_back({times.back(), batch.decisions(0).at_micros()});
    }
    epoch = batch.epoch();
    for (const v1::Decision& decision : batch.decisions()) {
      times.push_back(decision.at_micros());
      for (const v1::Event& event : decision.events()) Note(decision.object_id(), event);
    }
  }

  // {"broken": […], "stale": […], "openings": n, "opened_after": ms, "gaps": {"shard": ms},
  //  "ended": {"id": [how, n]}}. "opened_after": the longest time from what an owner decided last
  //  to
  // the opening by the next one, so at least as long as the shard had no owner.
  std::string Report(int64_t from, int64_t to) {
    std::vector<std::string> broken, stale, gaps, ended;
    for (auto& [id, instance] : instances_) {
      if (instance.started != 1) {
        Break(absl::StrCat(id, " was started ", instance.started, " times"));
      }
      if (instance.ended > 1) Break(absl::StrCat(id, " ended ", instance.ended, " times"));
      if (instance.ended == 0) continue;
      ended.push_back(absl::StrCat(nats::JsonString(id), ":[", nats::JsonString(instance.how), ",",
                                   instance.output.empty() ? "null" : instance.output, "]"));
    }
    for (const std::string& text : broken_) broken.push_back(nats::JsonString(text));
    for (const std::string& text : stale_) stale.push_back(nats::JsonString(text));
    for (auto& [shard, times] : times_) {
      gaps.push_back(absl::StrCat("\"", shard, "\":", LongestGap(&times, from, to) / 1000));
    }
    return absl::StrCat("{\"broken\":[", absl::StrJoin(broken, ","), "],\"stale\":[",
                        absl::StrJoin(stale, ","), "],\"openings\":", openings_,
                        ",\"opened_after\":", LongestOpening(from, to) / 1000, ",\"gaps\":{",
                        absl::StrJoin(gaps, ","), "},\"ended\":{", absl::StrJoin(ended, ","), "}}");
  }

 private:
  static bool Opens(const v1::LogBatch& batch) {
    return batch.decisions_size() > 0 && batch.decisions(0).events_size() > 0 &&
           batch.decisions(0).events(0).has_shard_opened();
  }

  void Break(std::string text) { broken_.push_back(std::move(text)); }

  void Note(const std::string& id, const v1::Event& event) {
    if (event.has_instance_started()) {
      ++instances_[id].started;
    } else if (event.has_instance_completed()) {
      End(id, "completed", event.data());
    } else if (event.has_instance_faulted()) {
      End(id, absl::StrCat("faulted: ", event.instance_faulted().error().detail()), "");
    } else if (event.has_instance_cancelled()) {
      End(id, "cancelled", "");
    }
  }

  void End(const std::string& id, std::string how, std::string output) {
    Instance& instance = instances_[id];
    ++instance.ended;
    instance.how = std::move(how);
    instance.output = std::move(output);
  }

  int64_t LongestOpening(int64_t from, int64_t to) const {
    int64_t longest = 0;
    for (const auto& [last, opened] : opened_) {
      if (last >= from && opened <= to) longest = std::max(longest, opened - last);
    }
    return longest;
  }

  // Between two decisions of a shard, in microseconds, within the time of the load.
  static int64_t LongestGap(std::vector<int64_t>* times, int64_t from, int64_t to) {
    times->push_back(from);
    times->push_back(to);
    std::sort(times->begin(), times->end());
    int64_t longest = 0;
    for (size_t i = 1; i < times->size(); ++i) {
      if ((*times)[i - 1] < from || (*times)[i] > to) continue;
      longest = std::max(longest, (*times)[i] - (*times)[i - 1]);
    }
    return longest;
  }

  std::map<ShardId, uint64_t> epochs_;
  std::map<ShardId, std::vector<int64_t>> times_;
  std::vector<std::pair<int64_t, int64_t>> opened_;
  std::map<std::string, Instance> instances_;
  std::vector<std::string> broken_, stale_;
  int openings_ = 0;
};

// What a wrong writer might write: a start under an epoch that has passed.
absl::Status WriteStale(NatsEventLog* log, ShardId shard) {
  Sequence last = 0;
  const absl::Status read = log->Read(shard, 0, [&](const LogRecord& record) {
    last = record.sequence;
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  v1::LogBatch batch;
  batch.set_engine_id("a wrong one");
  v1::Decision* decision = batch.add_decisions();
  decision->set_object_id("stale");
  v1::Event* event = decision->add_events();
  event->set_input("{}");
  event->mutable_instance_started()->set_definition("test/steps:1.0.0");
  absl::Notification ended;
  absl::Status status;
  log->Append(shard, last, "stale", batch.SerializeAsString(), [&](AppendResult result) {
    status = result.status;
    ended.Notify();
  });
  ended.WaitForNotification();
  return status;
}

int64_t Number(const char* text) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

absl::Status Main(char** argv) {
  auto connection = nats::Connection::Connect({.urls = {argv[1]}, .name = "log check"});
  if (!connection.ok()) return connection.status();
  const auto names = nats::Names::Make(argv[2]);
  if (!names.ok()) return names.status();
  // The stream exists: how it is replicated is checked by nobody here.
  auto log = NatsEventLog::Open(connection->get(), *names);
  if (!log.ok()) return log.status();
  if (std::string(argv[4]) == "stale")
    return WriteStale(log->get(), static_cast<ShardId>(Number(argv[5])));
  Check check;
  for (ShardId shard = 0; shard < static_cast<ShardId>(Number(argv[3])); ++shard) {
    const absl::Status read = (*log)->Read(shard, 0, [&](const LogRecord& record) {
      check.Read(shard, record);
      return absl::OkStatus();
    });
    if (!read.ok()) return read;
  }
  std::puts(check.Report(Number(argv[4]), Number(argv[5])).c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace jaque

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: jaque_log_check URL PREFIX SHARDS FROM TO | stale SHARD\n", stderr);
    return 2;
  }
  const absl::Status status = jaque::Main(argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
