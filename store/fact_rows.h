// SPDX-License-Identifier: Apache-2.0
// One fact becomes statements. Called by Projection, in log order; pure. What a fact means for the
// engine is in engine/apply.cc, which this follows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jaque/v1/event.pb.h"
#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

struct FactPlace {
  std::string_view object;  // instance, schedule; empty: the shard itself
  HistorySeq seq = 0;
  Micros at = 0;
  uint32_t shard = 0;
  uint64_t epoch = 0;
};

// "namespace/name:version" in its parts.
struct DefinitionId {
  std::string namespace_, name, version;
};
DefinitionId SplitDefinitionId(const std::string& id);

void AddShardRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows);
void AddScheduleRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows);
// The fact itself, into the history of its instance, while the rows are as before it.
void AddHistoryRow(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows);
void AddInstanceRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows);
// After the last fact of a batch about an instance: whether it runs or waits now.
void AddStatusRow(const FactPlace& last, std::vector<Statement>* rows);

// Facts about tasks, of one decision: what becomes of an error is said by the fact after it.
class TaskRows {
 public:
  explicit TaskRows(std::vector<Statement>* rows) : rows_(*rows) {}
  void Add(const FactPlace& place, const v1::Event& event);

 private:
  void Started(const FactPlace& place, const v1::TaskStarted& started);
  void Completed(const FactPlace& place, const v1::TaskCompleted& completed);
  void Raised(const FactPlace& place, const v1::ErrorRaised& raised);
  void RetryScheduled(const FactPlace& place, const v1::RetryScheduled& scheduled);
  void AttemptStarted(const FactPlace& place, const v1::AttemptStarted& started);
  void EventConsumed(const FactPlace& place, const v1::EventConsumed& consumed);
  // Everything is over; what an error passed on its way out has faulted.
  void EndAll(const FactPlace& place);
  // What lies below `frame` is over: on the way of the error raised before, if there is one, it
  // has faulted, else it was cancelled.
  void EndBelow(const FactPlace& place, uint32_t frame);
  // The open tasks from `inside` outwards, up to the frame `above` and without it.
  void EndPath(const FactPlace& place, uint32_t inside, uint32_t above, const char* status,
               int64_t but_frame, int64_t but_task);

  std::vector<Statement>& rows_;
  std::optional<uint32_t> raised_in_;  // frame of the last error
};

}  // namespace jaque::store
