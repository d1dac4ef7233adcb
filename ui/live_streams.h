// SPDX-License-Identifier: Apache-2.0
// Live events of instances (server-sent events): one thread looks into the store for all streams,
// and gives each what is new for it once its client has taken what came before. Open may be called
// on any thread that may wait for the store.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "store/store.h"
#include "ui/http.h"

namespace jaque::ui {

class LiveStreams {
 public:
  LiveStreams(const Clock* clock, store::Store* store);
  ~LiveStreams();  // ends the streams
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  // What happens to the instance after that place; null if there are too many streams. It need not
  // be in the store yet.
  std::shared_ptr<HttpStream> Open(const std::string& instance, store::HistorySeq after);

 private:
  class Stream;
  struct News;

  void Run();
  // True if there was something new for somebody.
  bool Poll();
  bool Serve(Stream* stream);
  absl::StatusOr<News> Look(const Stream& stream);
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopped_ || !streams_.empty(); }

  const Clock* const clock_;
  store::Store* const store_;
  absl::Mutex mutex_;
  std::vector<std::weak_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace jaque::ui
