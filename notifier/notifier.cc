// SPDX-License-Identifier: Apache-2.0
#include "notifier/notifier.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "jaque/v1/event.pb.h"

namespace jaque::notifier {
namespace {

constexpr int kSavesPerTick = 8;             // a bucket may be slow, and sending waits for it
constexpr int64_t kTakeMicros = 1'000'000;   // between two attempts to take shards
constexpr int64_t kRulesMicros = 1'000'000;  // between two looks at the file
// Of a shard's log, before what is remembered of it is kept anew.
constexpr size_t kMemoryLogBytes = 1 << 20;
// Of the log, handled at a time, and in one tick: sending waits for it.
constexpr size_t kBytesAtOnce = 256 << 10, kBytesPerTick = 4 << 20;

}  // namespace

// What is known of a shard that is this notifier's.
struct Notifier::Shard {
  explicit Shard(DefinitionStore* definitions) : reader(definitions) {}

  LifecycleReader reader;
  bool taken = false;  // the progress is read
  Progress progress;
  Sequence read = 0;
  uint64_t epoch = 0;
  size_t bytes = 0;  // of the log since the memory was kept
  // The memory at a place which not everything before is sent or parked of yet.
  std::optional<Progress> next;
};

absl::StatusOr<std::unique_ptr<Notifier>> Notifier::Create(const NotifierOptions& options,
                                                           const NotifierParts& parts) {
  std::unique_ptr<Notifier> notifier(new Notifier(options, parts));
  ASSIGN_OR_RETURN(notifier->rules_text_, notifier->ReadFile());
  ASSIGN_OR_RETURN(notifier->rules_, notifier->Parse(notifier->rules_text_));
  notifier->dispatcher_.SetRules(notifier->rules_);
  return notifier;
}

Notifier::Notifier(const NotifierOptions& options, const NotifierParts& parts)
    : options_(options),
      parts_(parts),
      random_(options.seed),
      executor_(parts.clock),
      dispatcher_({.clock = parts.clock,
                   .random = &random_,
                   .bucket = parts.bucket,
                   .dead = parts.dead,
                   .sender = parts.sender,
                   .post = [inbox = executor_.inbox()](
                               absl::AnyInvocable<void()> work) { inbox->Post(std::move(work)); }}),
      progress_(parts.bucket, parts.progress),
      reader_(parts.clock, parts.log) {
  watch_ = parts_.bucket->Watch([this, inbox = executor_.inbox()](const KvEntry& entry) {
    // A dead letter that is sent again.
    if (entry.deleted || !absl::StartsWith(entry.key, "parked/")) return;
    inbox->Post([this, entry] { TakeParked(entry); });
  });
  if (!options_.stepped) thread_ = std::make_unique<engine::ExecutorThread>(&executor_);
}

Notifier::~Notifier() { Stop(); }

void Notifier::Stop() {
  watch_.reset();
  if (thread_ != nullptr) {
    absl::Notification stopped;
    executor_.Post([&] {
      for (const ShardId id : mine_) Save(id);
      for (const ShardId id : mine_) reader_.Leave(id);
      shards_.clear();
      stopped.Notify();
    });
    stopped.WaitForNotification();
  }
  thread_.reset();
  shards_.clear();
}

absl::StatusOr<std::string> Notifier::ReadFile() const {
  std::ifstream file(options_.rules_file);
  if (!file.is_open()) {
    return absl::InvalidArgumentError(Cat(options_.rules_file, ": cannot be read"));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

absl::StatusOr<std::shared_ptr<const Rules>> Notifier::Parse(const std::string& text) const {
  RulesResult read = ReadRules(text);
  if (read.rules != nullptr) return read.rules;
  std::string findings;
  for (const dsl::Finding& finding : read.findings) {
    findings += Cat(findings.empty() ? "" : "\n", dsl::FormatFinding(options_.rules_file, finding));
  }
  return absl::InvalidArgumentError(findings);
}

void Notifier::ReadRulesAgain() {
  const absl::StatusOr<std::string> text = ReadFile();
  // One that is being replaced may be away for a moment.
  if (!text.ok() || *text == rules_text_) return;
  rules_text_ = *text;
  const auto rules = Parse(rules_text_);
  if (!rules.ok()) {
    return LogError("the new rules are wrong, the old ones stay",
                    {{"why", Message(rules.status())}});
  }
  rules_ = *rules;
  dispatcher_.SetRules(rules_);
  LogInfo("the rules are read again", {{"rules", rules_->rules.size()}});
}

void Notifier::Own(std::vector<ShardId> shards) {
  owned_ = static_cast<int>(shards.size());
  executor_.Post([this, shards = std::move(shards)] { SetOwned(shards); });
}

void Notifier::Tick() {
  if (ticking_.exchange(true)) return;
  executor_.Post([this] {
    ticking_ = false;
    TickHere();
  });
}

absl::Status Notifier::Ready() const {
  if (owned_ < 0) return absl::UnavailableError("it is not known which shards are this notifier's");
  if (caught_up_ >= owned_) return absl::OkStatus();
  return absl::UnavailableError(
      Cat("the log of ", caught_up_.load(), " of ", owned_.load(), " shards is read"));
}

void Notifier::TickHere() {
  const int64_t now = executor_.Now();
  if (now - rules_micros_ >= kRulesMicros) {
    rules_micros_ = now;
    ReadRulesAgain();
  }
  dispatcher_.Tick();
  if (now - take_micros_ >= kTakeMicros) TakeAll();
  ReadLog();
  SaveSome();
  int caught_up = 0;
  for (const auto& [id, shard] : shards_) {
    caught_up += reader_.CaughtUp(id) && shard->progress.revision > 0;
  }
  caught_up_ = caught_up;
  const bool behind = reader_.buffered_bytes() > 0 && told_micros_ > 0;
  ProcessMetrics().notifier_lag_seconds.Set(behind ? static_cast<double>(now - told_micros_) / 1e6
                                                   : 0);
}

void Notifier::ReadLog() {
  // What is not taken waits in the reader, and behind that in the log.
  for (size_t bytes = 0;
       bytes < kBytesPerTick && dispatcher_.pending() < limits::kPendingDeliveries;) {
    const std::vector<TailReader::Record> records = reader_.Take(kBytesAtOnce);
    if (records.empty()) break;
    for (const TailReader::Record& record : records) {
      bytes += record.bytes.size();
      Handle(record);
    }
  }
  for (const auto& [id, shard] : shards_) {
    if (shard->taken && shard->progress.revision == 0 && reader_.CaughtUp(id)) {
      BeginHere(shard.get());
    }
  }
}

// The first notifier of all begins with what happens from now on.
void Notifier::BeginHere(Shard* shard) {
  if (shard->next.has_value()) return;
  shard->progress.told = shard->read;
  shard->bytes = kMemoryLogBytes;  // it is saved with the next tick
}

void Notifier::SaveSome() {
  int saved = 0;
  for (size_t looked = 0; looked < mine_.size() && saved < kSavesPerTick; ++looked) {
    if (saved_next_ >= mine_.size()) saved_next_ = 0;
    if (Save(mine_[saved_next_++])) ++saved;
  }
}

void Notifier::SetOwned(const std::vector<ShardId>& shards) {
  const absl::flat_hash_set<ShardId> owned(shards.begin(), shards.end());
  for (const ShardId id : mine_) {
    if (owned.contains(id)) continue;
    Save(id);
    Lose(id);
  }
  mine_ = shards;
  take_micros_ = 0;  // with the next tick
}

void Notifier::Lose(ShardId id) {
  reader_.Leave(id);
  if (shards_.erase(id) > 0) dispatcher_.Drop(id);
}

void Notifier::TakeAll() {
  take_micros_ = executor_.Now();
  std::vector<ShardId> taken;
  for (const ShardId id : mine_) {
    auto& shard = shards_[id];
    if (shard == nullptr) shard = std::make_unique<Shard>(parts_.definitions);
    if (!shard->taken && Take(id, shard.get())) taken.push_back(id);
  }
  if (taken.empty()) return;
  const absl::StatusOr<std::vector<KvEntry>> entries = parts_.bucket->List();
  if (!entries.ok()) {
    LogWarn("what is parked cannot be read", {{"why", Message(entries.status())}});
    for (const ShardId id : taken) Lose(id);
    return;
  }
  for (const KvEntry& entry : *entries) TakeParked(entry);
  for (const ShardId id : taken) reader_.Follow(id, shards_[id]->read);
}

bool Notifier::Take(ShardId id, Shard* shard) {
  absl::StatusOr<Progress> progress = progress_.Load(id);
  if (!progress.ok()) {
    LogWarn("how far a shard was told cannot be read",
            {{"shard", id}, {"why", Message(progress.status())}});
    return false;
  }
  shard->progress = *std::move(progress);
  if (!shard->progress.memory.empty()) {
    const absl::Status restored = shard->reader.Restore(shard->progress.memory);
    if (!restored.ok()) {
      LogError("what was remembered of a shard cannot be read: its instances make no events",
               {{"shard", id}, {"why", Message(restored)}});
    }
  }
  shard->read = shard->progress.remembered;
  shard->epoch = shard->progress.epoch;
  shard->taken = true;
  return true;
}

void Notifier::TakeParked(const KvEntry& entry) {
  if (!absl::StartsWith(entry.key, "parked/")) return;
  absl::StatusOr<Delivery> delivery = DeliveryOf(entry.value);
  if (!delivery.ok()) return;
  const auto shard = shards_.find(delivery->shard);
  if (shard == shards_.end() || !shard->second->taken) return;
  // It may have been sent since it was told.
  if (!parts_.bucket->Get(entry.key).ok()) return;
  delivery->parked = true;
  dispatcher_.Add(*std::move(delivery));
}

void Notifier::Handle(const TailReader::Record& record) {
  const ShardId id = record.shard;
  const auto found = shards_.find(id);
  if (found == shards_.end() || record.sequence <= found->second->read) return;
  Shard& shard = *found->second;
  const Sequence before = std::exchange(shard.read, record.sequence);
  shard.bytes += record.bytes.size();
  v1::LogBatch batch;
  if (!batch.ParseFromString(record.bytes) || batch.epoch() < shard.epoch) return;
  shard.epoch = batch.epoch();
  const bool first = shard.progress.revision == 0;
  if (!first && batch.after() > before) {
    // Every batch names the one before it.
    LogWarn("the log was trimmed before the notifier had read it: events are missing",
            {{"shard", id}, {"after", before}, {"through", batch.after()}});
  }
  const bool told = first || record.sequence <= shard.progress.told;
  shard.reader.Read(batch, [&](const LifecycleEvent& event) {
    told_micros_ = event.at_micros;
    if (!told) Tell(id, record.sequence, event);
  });
}

void Notifier::Tell(ShardId id, Sequence sequence, const LifecycleEvent& event) {
  Value cloud_event;
  for (const Rule& rule : rules_->rules) {
    if (!Concerns(rule, event)) continue;
    if (cloud_event.is_null()) cloud_event = CloudEventOf(event, id, sequence);
    TellRule(rule, cloud_event, id, sequence, event);
  }
}

void Notifier::TellRule(const Rule& rule, const Value& cloud_event, ShardId id, Sequence sequence,
                        const LifecycleEvent& event) {
  const Rendering rendering{parts_.clock->Now(),
                            [clock = parts_.clock] { return clock->Monotonic(); }};
  const auto skip = [&](const absl::Status& why) {
    LogWarn("a rule could not be applied to an event",
            {{"rule", rule.name}, {"instance", event.instance}, {"why", Message(why)}});
  };
  const absl::StatusOr<bool> holds = Holds(rule, cloud_event, rendering);
  if (!holds.ok()) return skip(holds.status());
  if (!*holds) return;
  for (const std::string& name : rule.to) {
    absl::StatusOr<Delivery> delivery =
        Render(rule, *rules_->Find(name), event, cloud_event, id, sequence, rendering);
    if (!delivery.ok()) return skip(delivery.status());
    dispatcher_.Add(*std::move(delivery));
  }
}

bool Notifier::Save(ShardId id) {
  const auto found = shards_.find(id);
  if (found == shards_.end() || !found->second->taken) return false;
  Shard* const shard = found->second.get();
  if (shard->progress.revision == 0 && !reader_.CaughtUp(id)) return false;
  if (shard->bytes >= kMemoryLogBytes && !shard->next.has_value()) {
    shard->bytes = 0;
    shard->next = Progress();
    shard->next->remembered = shard->read;
    shard->next->epoch = shard->epoch;
    if (shard->reader.instances() > 0) shard->next->memory = shard->reader.Save();
  }
  const Sequence done = dispatcher_.DoneThrough(id, shard->read);
  const bool memory = shard->next.has_value() && shard->next->remembered <= done;
  if (done <= shard->progress.told && !memory) return false;
  Progress progress = memory ? *shard->next : shard->progress;
  progress.revision = shard->progress.revision;
  progress.told = std::max(done, shard->progress.told);
  const absl::Status saved = progress_.Save(id, &progress, memory);
  if (absl::IsAborted(saved)) {
    LogWarn("another notifier has taken a shard", {{"shard", id}});
    Lose(id);
    return true;
  }
  if (!saved.ok()) {
    LogWarn("how far a shard was told cannot be kept", {{"shard", id}, {"why", Message(saved)}});
    return true;
  }
  progress.memory.clear();
  shard->progress = std::move(progress);
  if (memory) shard->next.reset();
  return true;
}

}  // namespace jaque::notifier
