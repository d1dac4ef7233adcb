// SPDX-License-Identifier: Apache-2.0
#include "log/nats_event_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "nats/compare_and_set.h"
#include "nats/jetstream.h"
#include "nats/stream_reader.h"

namespace jaque {
namespace {

constexpr absl::Duration kAttempt = absl::Seconds(2);
constexpr absl::Duration kBackoff = absl::Milliseconds(50);

}  // namespace

// Appends under way: each is tried until its outcome is known.
class NatsEventLog::Appender : public std::enable_shared_from_this<NatsEventLog::Appender> {
 public:
  Appender(nats::Connection* connection, absl::Duration within)
      : connection_(connection), within_(within) {}

  void Append(nats::ConditionalWrite write, absl::AnyInvocable<void(AppendResult)> done) {
    auto append = std::make_shared<Pending>();
    append->write = std::move(write);
    append->done = std::move(done);
    append->deadline = connection_->Now() + within_;
    Try(std::move(append));
  }

  // Sends again what is due.
  void Tick() {
    std::vector<std::shared_ptr<Pending>> due;
    {
      absl::MutexLock lock(&mutex_);
      if (waiting_.empty()) return;
      const absl::Duration now = connection_->Now();
      const auto split = std::partition(waiting_.begin(), waiting_.end(),
                                        [&](const auto& append) { return append->retry_at > now; });
      due.assign(std::make_move_iterator(split), std::make_move_iterator(waiting_.end()));
      waiting_.erase(split, waiting_.end());
    }
    for (auto& append : due) Try(std::move(append));
  }

  void Reconnected() {
    {
      absl::MutexLock lock(&mutex_);
      for (const auto& append : waiting_) append->retry_at = -absl::InfiniteDuration();
    }
    Tick();
  }

  void Close() {
    std::vector<std::shared_ptr<Pending>> left;
    {
      absl::MutexLock lock(&mutex_);
      closed_ = true;
      left.swap(waiting_);
    }
    for (auto& append : left) append->done({AppendOutcome::kUnknown, 0, append->last});
  }

 private:
  struct Pending {
    nats::ConditionalWrite write;
    absl::AnyInvocable<void(AppendResult)> done;
    absl::Duration deadline, retry_at;
    bool maybe_stored = false;
    absl::Status last;
  };

  void Try(std::shared_ptr<Pending> append) {
    const nats::ConditionalWrite& write = append->write;
    nats::TryWrite(connection_, write, kAttempt,
                   [self = shared_from_this(),
                    append = std::move(append)](absl::StatusOr<uint64_t> sequence) mutable {
                     self->OnOutcome(std::move(append), std::move(sequence));
                   });
  }

  void OnOutcome(std::shared_ptr<Pending> append, absl::StatusOr<uint64_t> sequence) {
    if (sequence.ok()) {
      return append->done({AppendOutcome::kCommitted, *sequence, absl::OkStatus()});
    }
    append->last = sequence.status();
    // An earlier try of ours that was stored would have been answered with its sequence.
    if (absl::IsAborted(append->last)) {
      return append->done(
          {AppendOutcome::kConflict, 0, absl::FailedPreconditionError(append->last.message())});
    }
    if (!nats::MaybeDone(append->last)) {
      return append->done(
          {append->maybe_stored ? AppendOutcome::kUnknown : AppendOutcome::kConflict, 0,
           append->last});
    }
    append->maybe_stored = true;
    if (!RetryLater(append)) append->done({AppendOutcome::kUnknown, 0, append->last});
  }

  // False, and `append` untouched, if there is no time left.
  bool RetryLater(std::shared_ptr<Pending>& append) {
    absl::MutexLock lock(&mutex_);
    append->retry_at = connection_->Now() + kBackoff;
    if (closed_ || append->retry_at >= append->deadline) return false;
    waiting_.push_back(std::move(append));
    return true;
  }

  nats::Connection* const connection_;
  const absl::Duration within_;
  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<Pending>> waiting_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<std::unique_ptr<NatsEventLog>> NatsEventLog::Open(nats::Connection* connection,
                                                                 const nats::Names& names,
                                                                 const Options& options) {
  nats::StreamSpec spec;
  spec.name = names.Stream("LOG");
  spec.subjects = names.Subject("log.*");
  spec.replicas = options.replicas;
  spec.discard_new = true;
  RETURN_IF_ERROR(nats::EnsureStream(*connection, spec));
  return std::unique_ptr<NatsEventLog>(new NatsEventLog(connection, names, options));
}

NatsEventLog::NatsEventLog(nats::Connection* connection, const nats::Names& names,
                           const Options& options)
    : connection_(connection),
      names_(names),
      stream_(names.Stream("LOG")),
      appender_(std::make_shared<Appender>(connection, options.append_within)),
      listener_(connection->Listen(nats::OnLive(appender_, &Appender::Tick),
                                   nats::OnLive(appender_, &Appender::Reconnected))) {}

NatsEventLog::~NatsEventLog() {
  listener_.reset();
  appender_->Close();
}

std::string NatsEventLog::SubjectOf(ShardId shard) const {
  return names_.Subject(absl::StrCat("log.", shard));
}

void NatsEventLog::Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
                          absl::AnyInvocable<void(AppendResult)> done) {
  appender_->Append(
      {stream_, SubjectOf(shard), expected, nats::EncodeToken(batch_id), {}, std::move(bytes)},
      std::move(done));
}

void NatsEventLog::Confirm(ShardId shard, Sequence expected,
                           absl::AnyInvocable<void(AppendResult)> done) {
  nats::NextMessage(
      *connection_, stream_, SubjectOf(shard), expected + 1,
      [expected, done = std::move(done)](absl::StatusOr<nats::StoredMessage> next) mutable {
        if (absl::IsNotFound(next.status())) {
          return done({AppendOutcome::kCommitted, expected, absl::OkStatus()});
        }
        if (!next.ok()) return done({AppendOutcome::kUnknown, 0, next.status()});
        done({AppendOutcome::kConflict, 0,
              absl::FailedPreconditionError(absl::StrCat("there is message ", next->sequence))});
      });
}

absl::Status NatsEventLog::Read(ShardId shard, Sequence after,
                                absl::FunctionRef<absl::Status(const LogRecord&)> visit) {
  return nats::ReadStored(*connection_, {stream_, SubjectOf(shard), after},
                          [&](uint64_t sequence, const nats::Message& message) {
                            return visit({sequence, message.data()});
                          });
}

absl::Status NatsEventLog::Trim(ShardId shard, Sequence through) {
  const auto last = nats::LastMessage(*connection_, stream_, SubjectOf(shard));
  if (absl::IsNotFound(last.status())) return absl::OkStatus();
  RETURN_IF_ERROR(last.status());
  return nats::Purge(*connection_, stream_, SubjectOf(shard),
                     through < last->sequence ? through + 1 : last->sequence);
}

std::unique_ptr<EventLog::Subscription> NatsEventLog::Tail(ShardId shard, Sequence after,
                                                           TailFn visit, CaughtUpFn caught_up) {
  class Follower final : public EventLog::Subscription {
   public:
    Follower(nats::Connection* connection, const nats::ReadSpec& spec, ShardId shard, TailFn visit,
             CaughtUpFn caught_up)
        : reader_(
              connection, spec,
              [shard, visit = std::move(visit)](uint64_t sequence, const nats::Message& message) {
                visit(shard, {sequence, message.data()});
              },
              std::move(caught_up)) {}

   private:
    nats::StreamReader reader_;
  };
  return std::make_unique<Follower>(connection_, nats::ReadSpec{stream_, SubjectOf(shard), after},
                                    shard, std::move(visit), std::move(caught_up));
}

}  // namespace jaque
