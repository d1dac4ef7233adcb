// SPDX-License-Identifier: Apache-2.0
#include "nats/stream_reader.h"

#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/ordered_delivery.h"
#include "base/status_macros.h"

namespace jaque::nats {
namespace {

constexpr int kBatch = 512;
constexpr absl::Duration kExpires =
    absl::Seconds(2);  // of a request: sign of life at least this often
constexpr absl::Duration kSilence = absl::Seconds(4);  // then the consumer is taken for lost
constexpr absl::Duration kRetry = absl::Milliseconds(500);

std::string CreateJson(const ReadSpec& spec, const std::string& name) {
  const std::string policy =
      spec.last_of_subject
          ? "\"last_per_subject\""
          : absl::StrCat("\"by_start_sequence\",\"opt_start_seq\":", spec.after + 1);
  return absl::StrCat("{\"stream_name\":", JsonString(spec.stream),
                      ",\"config\":{\"name\":", JsonString(name), ",\"deliver_policy\":", policy,
                      ",\"ack_policy\":\"none\",\"replay_policy\":\"instant\",\"filter_subject\":",
                      JsonString(spec.filter),
                      ",\"inactive_threshold\":", absl::ToInt64Nanoseconds(absl::Seconds(30)),
                      ",\"num_replicas\":1,\"mem_storage\":true}}");
}

std::string CreateSubject(const std::string& stream) { return "$JS.API.CONSUMER.CREATE." + stream; }

std::string NextSubject(const std::string& stream, const std::string& consumer) {
  return absl::StrCat("$JS.API.CONSUMER.MSG.NEXT.", stream, ".", consumer);
}

std::string NextJson() {
  return absl::StrCat("{\"batch\":", kBatch, ",\"expires\":", absl::ToInt64Nanoseconds(kExpires),
                      "}");
}

void DeleteConsumer(Connection& connection, const std::string& stream, const std::string& name) {
  CallApiAsync(connection, absl::StrCat("$JS.API.CONSUMER.DELETE.", stream, ".", name), "",
               [](absl::StatusOr<Value>) {});  // else it goes after inactive_threshold
}

// A name that nobody else uses: the random part of an inbox.
std::string NewConsumerName(Connection& connection) {
  const std::string inbox = connection.NewInbox();
  return "r" + inbox.substr(inbox.rfind('.') + 1);
}

uint64_t PendingOf(const Value& created) {
  const Value* pending = created.Find("num_pending");
  return pending != nullptr && pending->is_number()
             ? static_cast<uint64_t>(pending->AsInt().value_or(0))
             : 0;
}

// Messages on their way from the library's thread to the one that waits for them.
class Mailbox {
 public:
  void Put(Message message) {
    absl::MutexLock lock(&mutex_);
    messages_.push_back(std::move(message));
  }
  bool Take(absl::Duration wait, Message* message) {
    absl::MutexLock lock(&mutex_);
    const auto some = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !messages_.empty(); };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&some), wait)) return false;
    *message = std::move(messages_.front());
    messages_.pop_front();
    return true;
  }

 private:
  absl::Mutex mutex_;
  std::deque<Message> messages_ ABSL_GUARDED_BY(mutex_);
};

// One attempt to read on; `spec` moves with what was visited. OK when the consumer has nothing
// more.
absl::Status ReadOn(Connection& connection, ReadSpec* spec,
                    absl::FunctionRef<absl::Status(uint64_t, const Message&)> visit) {
  const std::string stream = spec->stream, name = NewConsumerName(connection);
  Mailbox mailbox;
  const std::string inbox = connection.NewInbox();
  ASSIGN_OR_RETURN(const auto subscription,
                   connection.Subscribe(inbox, [&](Message m) { mailbox.Put(std::move(m)); }));
  ASSIGN_OR_RETURN(const Value created,
                   CallApi(connection, CreateSubject(stream), CreateJson(*spec, name)));
  uint64_t left = PendingOf(created), expected = 1;
  absl::Status status;
  for (int wanted = 0; status.ok() && left > 0;) {
    if (wanted == 0) {
      status = connection.Publish(NextSubject(stream, name), inbox, {}, NextJson());
      wanted = kBatch;
      continue;
    }
    Message message;
    if (!mailbox.Take(kSilence, &message)) {
      status = absl::DeadlineExceededError(absl::StrCat("stream ", stream, " stopped answering"));
      break;
    }
    const auto info = ParseDelivery(message.reply());
    if (!info || info->consumer_sequence != expected) {
      status = absl::UnavailableError(absl::StrCat("stream ", stream, ": the reading broke off"));
      break;
    }
    ++expected;
    --wanted;
    --left;
    spec->after = info->stream_sequence;
    status = visit(info->stream_sequence, message);
  }
  DeleteConsumer(connection, stream, name);
  return status;
}

}  // namespace

absl::Status ReadStored(Connection& connection, const ReadSpec& spec,
                        absl::FunctionRef<absl::Status(uint64_t, const Message&)> visit) {
  // A consumer lives on any replica, which may lag behind: the leader says how far to read.
  // Wildcards have no single newest message; who reads them is content with what the replica has.
  uint64_t target = 0;
  if (!spec.last_of_subject) {
    const auto last = LastMessage(connection, spec.stream, spec.filter);
    if (absl::IsNotFound(last.status())) return absl::OkStatus();
    RETURN_IF_ERROR(last.status());
    target = last->sequence;
  }
  ReadSpec rest = spec;
  absl::Status visited;
  const auto watched = [&](uint64_t sequence, const Message& message) {
    return visited = visit(sequence, message);
  };
  absl::Status status;
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    status = ReadOn(connection, &rest, watched);
    if (!visited.ok()) return visited;
    if (status.ok() && rest.after >= target) return absl::OkStatus();
    if (rest.after > spec.after) rest.last_of_subject = false;
  }
  return status.ok() ? absl::UnavailableError("the stream's replica lags behind") : status;
}

// A generation is one consumer with an inbox of its own; whatever goes wrong begins the next one.
class StreamReader::Core : public std::enable_shared_from_this<StreamReader::Core> {
 public:
  Core(Connection* connection, const ReadSpec& spec, Visit visit, std::function<void()> caught_up)
      : connection_(connection),
        spec_(spec),
        delivery_([visit = std::move(visit), caught_up = std::move(caught_up)](const Item& item) {
          if (item.message != nullptr) return visit(item.sequence, *item.message);
          if (caught_up) caught_up();
        }) {}

  void Restart();
  void Tick();
  void Close();

 private:
  struct Item {
    uint64_t sequence = 0;
    std::shared_ptr<const Message> message;  // none: all that was stored has been visited
  };

  void Created(uint64_t generation, absl::StatusOr<Value> created);
  void OnMessage(uint64_t generation, Message message);
  // False if the generation is lost.
  bool Take(Message message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CaughtUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RetrySoon() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Connection* const connection_;
  absl::Mutex mutex_;
  ReadSpec spec_ ABSL_GUARDED_BY(mutex_);
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool caught_up_ ABSL_GUARDED_BY(mutex_) = false;
  std::string consumer_ ABSL_GUARDED_BY(mutex_), inbox_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Connection::Subscription> subscription_ ABSL_GUARDED_BY(mutex_);
  uint64_t expected_ ABSL_GUARDED_BY(mutex_) = 1;  // consumer sequence of the next message
  int asked_ ABSL_GUARDED_BY(mutex_) = 0;          // messages still to come of the last request
  absl::Duration restart_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteDuration();
  OrderedDelivery<Item> delivery_;
};

void StreamReader::Core::Restart() {
  std::unique_ptr<Connection::Subscription> old;
  std::string old_consumer, stream, json;
  uint64_t generation = 0;
  {
    absl::MutexLock lock(&mutex_);
    if (closed_) return;
    generation = ++generation_;
    stream = spec_.stream;
    old = std::move(subscription_);
    old_consumer = std::exchange(consumer_, NewConsumerName(*connection_));
    inbox_ = connection_->NewInbox();
    expected_ = 1;
    restart_at_ = connection_->Now() + kSilence;
    json = CreateJson(spec_, consumer_);
    auto subscription =
        connection_->Subscribe(inbox_, [weak = weak_from_this(), generation](Message message) {
          if (auto self = weak.lock()) self->OnMessage(generation, std::move(message));
        });
    if (subscription.ok()) {
      subscription_ = *std::move(subscription);
    } else {
      RetrySoon();
    }
  }
  old.reset();  // waits for its callback, which may want the lock
  if (!old_consumer.empty()) DeleteConsumer(*connection_, stream, old_consumer);
  CallApiAsync(*connection_, CreateSubject(stream), json,
               [weak = weak_from_this(), generation](absl::StatusOr<Value> created) {
                 if (auto self = weak.lock()) self->Created(generation, std::move(created));
               });
}

void StreamReader::Core::Created(uint64_t generation, absl::StatusOr<Value> created) {
  {
    absl::MutexLock lock(&mutex_);
    if (generation != generation_) return;
    if (!created.ok()) return RetrySoon();
    if (PendingOf(*created) == 0) CaughtUp();
    Ask();
  }
  delivery_.Drain();
}

void StreamReader::Core::OnMessage(uint64_t generation, Message message) {
  bool lost = false;
  {
    absl::MutexLock lock(&mutex_);
    if (generation != generation_) return;
    restart_at_ = connection_->Now() + kSilence;
    const int status = message.status();
    if (status == 0) {
      lost = !Take(std::move(message));
    } else if (status == 408) {
      Ask();
    } else if (status != 100) {
      RetrySoon();
    }
  }
  if (lost) Restart();
  delivery_.Drain();
}

bool StreamReader::Core::Take(Message message) {
  const auto info = ParseDelivery(message.reply());
  if (!info || info->consumer_sequence != expected_) return false;
  ++expected_;
  spec_.after = info->stream_sequence;
  spec_.last_of_subject = false;
  const bool last = info->pending == 0;
  delivery_.Push({info->stream_sequence, std::make_shared<const Message>(std::move(message))});
  if (last) CaughtUp();
  if (--asked_ == 0) Ask();
  return true;
}

void StreamReader::Core::CaughtUp() {
  if (!caught_up_) delivery_.Push({});
  caught_up_ = true;
}

void StreamReader::Core::Ask() {
  asked_ = kBatch;
  restart_at_ = connection_->Now() + kSilence;
  if (!connection_->Publish(NextSubject(spec_.stream, consumer_), inbox_, {}, NextJson()).ok()) {
    RetrySoon();
  }
}

void StreamReader::Core::RetrySoon() { restart_at_ = connection_->Now() + kRetry; }

void StreamReader::Core::Tick() {
  {
    absl::MutexLock lock(&mutex_);
    if (connection_->Now() < restart_at_) return;
  }
  Restart();
}

void StreamReader::Core::Close() {
  std::unique_ptr<Connection::Subscription> subscription;
  std::string consumer, stream;
  {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    ++generation_;
    subscription = std::move(subscription_);
    consumer = consumer_;
    stream = spec_.stream;
  }
  subscription.reset();
  delivery_.Close();
  if (!consumer.empty()) DeleteConsumer(*connection_, stream, consumer);
}

StreamReader::StreamReader(Connection* connection, const ReadSpec& spec, Visit visit,
                           std::function<void()> caught_up)
    : core_(std::make_shared<Core>(connection, spec, std::move(visit), std::move(caught_up))),
      listener_(connection->Listen(OnLive(core_, &Core::Tick), OnLive(core_, &Core::Restart))) {
  core_->Restart();
}

StreamReader::~StreamReader() {
  listener_.reset();
  core_->Close();
}

}  // namespace jaque::nats
