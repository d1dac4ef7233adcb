// SPDX-License-Identifier: Apache-2.0
// When a shard's state is stored beside the log: after so much log that writing the whole of it
// costs less than the log did. An instance that begins and ends between two snapshots is in none.
#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "base/text.h"
#include "engine/shard.h"
#include "engine/snapshot.h"
#include "engine/snapshot_keeper.h"

namespace jaque::engine {

bool Shard::DrainForSnapshot() {
  return parts_.snapshots != nullptr && !saving_ && !turn_asked_ &&
         bytes_since_ >= std::max(parts_.snapshot_bytes, 2 * snapshot_size_);
}

// Memory runs ahead of the log: it is what the log says only when nothing is left to append.
void Shard::TakeSnapshotIfDrained() {
  if (!DrainForSnapshot() || appending_ || !gathered_.empty()) return;
  std::string snapshot = TakeSnapshot(state_).SerializeAsString();
  bytes_since_ = 0;
  snapshot_size_ = snapshot.size();
  saving_ = true;
  parts_.snapshots->Save(parts_.id, last_, std::move(snapshot),
                         [this, inbox = parts_.executor->inbox()](const absl::Status& saved) {
                           inbox->Post([this, saved] {
                             saving_ = false;
                             if (saved.ok()) return;
                             LogWarn("a shard's snapshot could not be stored",
                                     {{"shard", parts_.id}, {"why", Message(saved)}});
                           });
                         });
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    Handle(std::move(waiting.command), waiting.events_position, std::move(waiting.reply));
  }
}

}  // namespace jaque::engine
