// SPDX-License-Identifier: Apache-2.0
#include "sink/nats_exporter.h"

#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "nats/jetstream.h"
#include "nats/names.h"

namespace jaque {
namespace {

constexpr size_t kHeaderBytes = 1 << 10;  // of a message, at most
constexpr absl::Duration kLook = absl::Milliseconds(200);

// Messages under way, and what became of them.
struct Round {
  absl::Mutex mutex;
  size_t open ABSL_GUARDED_BY(mutex) = 0;
  absl::Status failed ABSL_GUARDED_BY(mutex);
};

class NatsExporter final : public Exporter {
 public:
  NatsExporter(nats::Connection* connection, std::string subject)
      : connection_(connection), subject_(std::move(subject)) {}

  absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) override {
    std::map<std::string, std::vector<Note>> lanes;  // by object, in order
    size_t count = 0;
    for (const SinkBatch* batch : batches) {
      for (ExportedFact& fact : FactsOf(*batch)) {
        // Facts about shards have no object.
        const std::string object = fact.object.empty() ? Cat("shard/", batch->shard) : fact.object;
        lanes[object].push_back(NoteOf(object, std::move(fact)));
        ++count;
      }
    }
    for (size_t turn = 0; !lanes.empty(); ++turn) {
      RETURN_IF_ERROR(Send(lanes, turn));
      std::erase_if(lanes, [&](const auto& lane) { return lane.second.size() <= turn + 1; });
    }
    return count;
  }
  void Stop() override { stopped_ = true; }

 private:
  struct Note {
    std::string subject, id, body;
  };

  Note NoteOf(const std::string& object, ExportedFact fact) const {
    Note message;
    message.subject = absl::StrReplaceAll(subject_, {{"{kind}", nats::EncodeToken(fact.kind)},
                                                     {"{object}", nats::EncodeToken(object)}});
    message.id = Cat(object, "/", fact.seq);
    const bool fits = fact.line.size() + kHeaderBytes <= connection_->max_payload();
    message.body = std::move(fits ? fact.line : fact.short_line);
    return message;
  }

  // Number `turn` of every lane, and waits for all.
  absl::Status Send(const std::map<std::string, std::vector<Note>>& lanes, size_t turn) {
    const auto round = std::make_shared<Round>();
    {
      absl::MutexLock lock(&round->mutex);
      round->open = lanes.size();
    }
    for (const auto& [object, messages] : lanes) {
      const Note& message = messages[turn];
      nats::PublishStored(
          *connection_, message.subject,
          {{"Nats-Msg-Id", message.id}, {"Content-Type", "application/json"}}, message.body,
          absl::Seconds(limits::kExportSeconds),
          [round, subject = message.subject](const absl::StatusOr<nats::PublishAck>& ack) {
            absl::MutexLock lock(&round->mutex);
            --round->open;
            if (ack.ok() || !round->failed.ok()) return;
            round->failed = absl::UnavailableError(
                Cat(subject, " (a stream has to have it): ", Message(ack.status())));
          });
    }
    return Await(*round);
  }

  absl::Status Await(Round& round) const {
    absl::MutexLock lock(&round.mutex);
    const auto ended = [&round]()
                           ABSL_EXCLUSIVE_LOCKS_REQUIRED(round.mutex) { return round.open == 0; };
    while (!round.mutex.AwaitWithTimeout(absl::Condition(&ended), kLook)) {
      if (stopped_) return absl::CancelledError("it stops");
    }
    return round.failed;
  }

  nats::Connection* const connection_;
  const std::string subject_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Exporter>> MakeNatsExporter(nats::Connection* connection,
                                                           const std::string& subject) {
  const std::string example =
      absl::StrReplaceAll(subject, {{"{kind}", "kind"}, {"{object}", "object"}});
  for (const absl::string_view token : absl::StrSplit(example, '.')) {
    if (token.empty() || token.find_first_of("*>{} \t\r\n$") != absl::string_view::npos) {
      return absl::InvalidArgumentError(Cat("\"", subject, "\" is no subject to publish on"));
    }
  }
  return std::make_unique<NatsExporter>(connection, subject);
}

}  // namespace jaque
