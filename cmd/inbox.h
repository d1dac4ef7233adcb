// SPDX-License-Identifier: Apache-2.0
// What the main thread of `jaque run` waits for: batches of the log, the reply to the start,
// signals. Posted from any thread, in order; taken by one.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace jaque::cmd {

struct LogBatchBytes {
  std::string bytes;
};
struct StartReply {
  absl::StatusOr<std::string> bytes;
};
struct Signal {
  int number = 0;
};
using Message = std::variant<LogBatchBytes, StartReply, Signal>;

class Inbox {
 public:
  void Post(Message message) {
    absl::MutexLock lock(&mutex_);
    messages_.push_back(std::move(message));
  }

  // All that has come; waits for the first one, at most so long.
  std::vector<Message> Take(absl::Duration wait) {
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithTimeout(
        absl::Condition(
            +[](std::vector<Message>* messages) { return !messages->empty(); }, &messages_),
        wait);
    return std::exchange(messages_, {});
  }

 private:
  absl::Mutex mutex_;
  std::vector<Message> messages_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque::cmd
