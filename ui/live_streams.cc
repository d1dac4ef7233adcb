// SPDX-License-Identifier: Apache-2.0
#include "ui/live_streams.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/history_json.h"
#include "ui/instance_json.h"

namespace jaque::ui {

// One client's stream. Its connection asks for pieces and lets go of it; the poller fills it.
class LiveStreams::Stream final : public HttpStream {
 public:
  Stream(std::string instance, store::HistorySeq after, absl::Duration now)
      : instance_(std::move(instance)), after_(after), spoke_at_(now) {}

  void Next(PieceFn piece) override {
    {
      absl::MutexLock lock(&mutex_);
      if (!begun_) {
        begun_ = true;
      } else if (!ended_) {
        wanted_ = std::move(piece);
        return;
      }
    }
    // At once: the client sees that it is connected, and how long to wait after a break.
    piece(ended() ? "" : "retry: 1000\n: connected\n\n");
  }

  // Whether its client has taken all it was given.
  bool hungry() {
    absl::MutexLock lock(&mutex_);
    return wanted_ != nullptr;
  }
  void Give(std::string text) {
    PieceFn wanted;
    {
      absl::MutexLock lock(&mutex_);
      wanted = std::exchange(wanted_, nullptr);
    }
    if (wanted != nullptr) wanted(std::move(text));
  }
  // After what was given.
  void End() {
    PieceFn wanted;
    {
      absl::MutexLock lock(&mutex_);
      ended_ = true;
      wanted = std::exchange(wanted_, nullptr);
    }
    if (wanted != nullptr) wanted("");
  }
  bool ended() {
    absl::MutexLock lock(&mutex_);
    return ended_;
  }

  // The poller's.
  const std::string instance_;
  store::HistorySeq after_;
  absl::Duration spoke_at_;
  bool may_be_over_ = true;  // not looked at yet, or its end has been seen

 private:
  absl::Mutex mutex_;
  PieceFn wanted_ ABSL_GUARDED_BY(mutex_);
  bool begun_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

struct LiveStreams::News {
  std::string text;  // events, ready to be sent
  store::HistorySeq last = 0;
  bool saw_end = false;  // little more will come
  bool end = false;      // nothing
};

LiveStreams::LiveStreams(const Clock* clock, store::Store* store) : clock_(clock), store_(store) {
  thread_ = std::thread([this] { Run(); });
}

LiveStreams::~LiveStreams() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  thread_.join();
  absl::MutexLock lock(&mutex_);
  for (const auto& weak : streams_) {
    if (auto stream = weak.lock()) stream->End();
  }
}

std::shared_ptr<HttpStream> LiveStreams::Open(const std::string& instance,
                                              store::HistorySeq after) {
  auto stream = std::make_shared<Stream>(instance, after, clock_->Monotonic());
  absl::MutexLock lock(&mutex_);
  if (streams_.size() >= limits::kStreams) return nullptr;
  streams_.push_back(stream);
  return stream;
}

void LiveStreams::Run() {
  bool news = false;
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &LiveStreams::HasWork));
      // What goes on is looked at often; the store gets its rest either way.
      mutex_.AwaitWithTimeout(
          absl::Condition(&stopped_),
          absl::Milliseconds(news ? limits::kStreamPollMillis : limits::kStreamPollSlowMillis));
      if (stopped_) return;
    }
    news = Poll();
  }
}

bool LiveStreams::Poll() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    absl::MutexLock lock(&mutex_);
    streams_.erase(std::remove_if(streams_.begin(), streams_.end(),
                                  [](const auto& weak) {
                                    const auto stream = weak.lock();
                                    return stream == nullptr || stream->ended();
                                  }),
                   streams_.end());
    for (const auto& weak : streams_) {
      if (auto stream = weak.lock()) streams.push_back(std::move(stream));
    }
  }
  bool news = false;
  for (const auto& stream : streams) {
    if (stream->hungry() && Serve(stream.get())) news = true;
  }
  return news;
}

bool LiveStreams::Serve(Stream* stream) {
  const absl::StatusOr<News> news = Look(*stream);
  const absl::Duration now = clock_->Monotonic();
  if (news.ok()) stream->may_be_over_ = news->saw_end;
  // A store that is away for a while breaks no stream.
  if (!news.ok() || news->text.empty()) {
    if (now - stream->spoke_at_ >= absl::Seconds(limits::kStreamIdleSeconds)) {
      stream->spoke_at_ = now;
      stream->Give(": still here\n\n");
    }
    return false;
  }
  stream->after_ = news->last;
  stream->spoke_at_ = now;
  stream->Give(news->text);
  if (news->end) stream->End();
  return true;
}

// The facts first, then the tasks that changed with them or later; sent the other way round, since
// only facts have an id to go on after: what is sent twice after a break are tasks.
absl::StatusOr<LiveStreams::News> LiveStreams::Look(const Stream& stream) {
  const std::string& instance = stream.instance_;
  ASSIGN_OR_RETURN(const store::HistoryPage page,
                   store_->History(instance, stream.after_, limits::kStreamFacts));
  News news;
  news.last = stream.after_;
  std::string facts;
  for (const store::HistoryItem& item : page.items) {
    facts += fmt::format("id: {}\nevent: history\ndata: {}\n\n", item.seq, HistoryItemJson(item));
    news.last = item.seq;
    news.saw_end = news.saw_end || EndsInstance(item.event);
  }
  store::HistorySeq since = stream.after_;
  while (!page.items.empty()) {
    ASSIGN_OR_RETURN(const store::TaskPage tasks,
                     store_->TasksChanged(instance, since, limits::kPageItemsDefault));
    for (const store::TaskRow& row : tasks.items) {
      news.text += fmt::format("event: task\ndata: {}\n\n", TaskRowJson(row));
    }
    since = tasks.next;
    if (since == 0) break;
  }
  news.text += facts;
  if (!news.saw_end && !stream.may_be_over_) return news;
  const absl::StatusOr<store::InstanceRecord> record = store_->GetInstance(instance);
  news.saw_end = record.ok() && HasEnded(record->row.status);
  news.end = news.saw_end && news.last >= record->last_seq;
  if (news.end) news.text += fmt::format("event: end\ndata: {}\n\n", InstanceOutcome(*record));
  return news;
}

}  // namespace jaque::ui
