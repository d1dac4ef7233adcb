// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_event_stream.h"

#include <utility>

#include "base/status_macros.h"
#include "nats/jetstream.h"
#include "nats/stream_reader.h"

namespace jaque {

absl::StatusOr<std::unique_ptr<NatsEventStream>> NatsEventStream::Open(nats::Connection* connection,
                                                                       const nats::Names& names,
                                                                       const Options& options) {
  nats::StreamSpec spec;
  spec.name = names.Stream("EVENTS");
  spec.subjects = names.Subject("events");
  spec.replicas = options.replicas;
  spec.max_age = options.max_age;
  RETURN_IF_ERROR(nats::EnsureStream(*connection, spec));
  const auto last = nats::LastMessage(*connection, spec.name, spec.subjects);
  if (!last.ok() && !absl::IsNotFound(last.status())) return last.status();
  return std::unique_ptr<NatsEventStream>(
      new NatsEventStream(connection, names, last.ok() ? last->sequence : 0));
}

NatsEventStream::NatsEventStream(nats::Connection* connection, const nats::Names& names,
                                 uint64_t last)
    : connection_(connection),
      stream_(names.Stream("EVENTS")),
      subject_(names.Subject("events")),
      last_(std::make_shared<std::atomic<uint64_t>>(last)) {}

void NatsEventStream::Raise(const Last& last, uint64_t sequence) {
  uint64_t seen = last->load();
  while (seen < sequence && !last->compare_exchange_weak(seen, sequence)) {
  }
}

void NatsEventStream::Publish(const std::string& dedup_id, std::string json,
                              absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) {
  nats::PublishStored(
      *connection_, subject_, {{"Nats-Msg-Id", nats::EncodeToken(dedup_id)}}, json,
      nats::kApiTimeout,
      [last = last_, done = std::move(done)](absl::StatusOr<nats::PublishAck> ack) mutable {
        if (!ack.ok()) return done(ack.status());
        Raise(last, ack->sequence);
        done(ack->sequence);
      });
}

std::unique_ptr<EventStream::Subscription> NatsEventStream::Subscribe(
    uint64_t after, std::function<void(const StreamedEvent&)> visit) {
  class Follower final : public EventStream::Subscription {
   public:
    Follower(nats::Connection* connection, const nats::ReadSpec& spec, Last last,
             std::function<void(const StreamedEvent&)> visit)
        : reader_(connection, spec,
                  [last = std::move(last), visit = std::move(visit)](uint64_t sequence,
                                                                     const nats::Message& message) {
                    Raise(last, sequence);
                    visit({sequence, message.data()});
                  }) {}

   private:
    nats::StreamReader reader_;
  };
  return std::make_unique<Follower>(connection_, nats::ReadSpec{stream_, subject_, after}, last_,
                                    std::move(visit));
}

}  // namespace jaque
