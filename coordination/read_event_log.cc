// SPDX-License-Identifier: Apache-2.0
#include "coordination/read_event_log.h"

#include <algorithm>

#include "base/status_macros.h"

namespace jaque {

absl::Status ReadEventLog::Trim(ShardId shard, Sequence through) {
  ASSIGN_OR_RETURN(const Sequence passed, progress_->Passed(shard));
  through = std::min(through, passed);
  return through == 0 ? absl::OkStatus() : log_->Trim(shard, through);
}

}  // namespace jaque
