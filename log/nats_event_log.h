// SPDX-License-Identifier: Apache-2.0
// The log on JetStream: stream <PREFIX>_LOG, one subject for each shard. Any thread; Read and Trim
// wait and must not be called on a callback's thread. An append whose outcome is unknown is sent
// again, under the same message id, until it is known or `append_within` has passed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "log/event_log.h"
#include "nats/connection.h"
#include "nats/names.h"

namespace jaque {

struct NatsEventLogOptions {
  int replicas = 1;
  // Longer than the server needs to choose a new leader (measured: 8 s), far shorter than the two
  // minutes in which a message id is remembered.
  absl::Duration append_within = absl::Seconds(20);
};

class NatsEventLog final : public EventLog {
 public:
  using Options = NatsEventLogOptions;

  // Makes or checks the stream. The connection outlives the log.
  static absl::StatusOr<std::unique_ptr<NatsEventLog>> Open(nats::Connection* connection,
                                                            const nats::Names& names,
                                                            const Options& options = {});
  ~NatsEventLog() override;  // appends still being tried are answered unknown

  void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
              absl::AnyInvocable<void(AppendResult)> done) override;
  void Confirm(ShardId shard, Sequence expected,
               absl::AnyInvocable<void(AppendResult)> done) override;
  absl::Status Read(ShardId shard, Sequence after,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) override;
  absl::Status Trim(ShardId shard, Sequence through) override;
  using EventLog::Tail;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                     CaughtUpFn caught_up) override;

 private:
  class Appender;
  NatsEventLog(nats::Connection* connection, const nats::Names& names, const Options& options);
  std::string SubjectOf(ShardId shard) const;

  nats::Connection* const connection_;
  const nats::Names names_;
  const std::string stream_;
  const std::shared_ptr<Appender> appender_;
  std::unique_ptr<nats::Connection::Listener> listener_;
};

}  // namespace jaque
