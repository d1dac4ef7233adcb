// SPDX-License-Identifier: Apache-2.0
// One connection to NATS: the only place that touches nats.c (3.4) beside message.h. Reconnects for
// ever. Any thread; callbacks come on the library's threads and must only post or publish, never
// block. Nothing is buffered while the connection is away: publishing fails, requests in flight end
// Unavailable, so that no message is stored long after its sender gave up.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/gate.h"
#include "base/ticker.h"
#include "nats/message.h"

namespace jaque::nats {

struct ConnectionOptions {
  std::vector<std::string> urls{};
  std::string name{};              // shown by the server
  std::string credentials_file{};  // user JWT and seed
  std::string nkey_file{};         // the seed alone
  bool tls = false;
  std::string ca_file{}, certificate_file{}, key_file{};
  // Writes at once (latency) rather than every millisecond (bulk): 155 us against 960 us a hop.
  bool send_asap = true;
  absl::Duration connect_timeout = absl::Seconds(2);
  // A server that stands still is left after two of these without an answer.
  absl::Duration ping_interval = absl::Milliseconds(500);
};

using Headers = std::vector<std::pair<std::string, std::string>>;

class Connection {
 public:
  // Unavailable if no server can be reached now.
  static absl::StatusOr<std::unique_ptr<Connection>> Connect(const ConnectionOptions& options);
  ~Connection();  // requests in flight end Unavailable; handles of this connection go before it

  // InvalidArgument if it exceeds the server's maximum, Unavailable while there is no connection.
  // OK says only that it is on its way.
  absl::Status Publish(const std::string& subject, const std::string& reply, const Headers& headers,
                       std::string_view data);

  // After the handle has gone the handler runs no more.
  class Subscription;
  using Handler = std::function<void(Message)>;
  absl::StatusOr<std::unique_ptr<Subscription>> Subscribe(const std::string& subject,
                                                          Handler handler);

  // One answer: the reply, Unavailable (nobody listens, or the connection broke: `maybe` it was
  // done), DeadlineExceeded, or what Publish says. Called once, perhaps before Request returns.
  using Answer = absl::AnyInvocable<void(absl::StatusOr<Message>)>;
  void Request(const std::string& subject, const Headers& headers, std::string_view data,
               absl::Duration timeout, Answer answer);
  // The same, waiting. Not on a callback's thread.
  absl::StatusOr<Message> RequestAndWait(const std::string& subject, const Headers& headers,
                                         std::string_view data, absl::Duration timeout);

  // Answers that come any number of times, or never, to a reply subject of their own.
  std::string NewInbox();

  // Calls `tick` about every 10 ms and `reconnected` after each reconnect until the handle goes
  // (which waits for running calls).
  class Listener;
  std::unique_ptr<Listener> Listen(std::function<void()> tick, std::function<void()> reconnected);

  // Neither asks the library, which holds its lock for seconds while it tries to reconnect.
  bool connected() const { return connected_.load(); }
  size_t max_payload() const { return max_payload_.load(); }
  // Connection time, for deadlines of those who use it.
  absl::Duration Now() const { return SystemClock().Monotonic(); }

 private:
  struct PendingRequest {
    Answer answer;
    absl::Duration deadline;
  };
  struct Callbacks;
  struct Ears;

  Connection() = default;
  absl::Status Open(const ConnectionOptions& options);
  void OnReply(Message message);
  void OnDisconnected();
  void OnReconnected();
  void Tick();
  Answer TakePending(uint64_t token);
  std::vector<std::shared_ptr<Ears>> ListenersNow();

  natsConnection* connection_ = nullptr;
  std::atomic<bool> connected_ = false;
  std::atomic<size_t> max_payload_ = 0;
  std::string inbox_;  // of requests: a token follows
  std::unique_ptr<Subscription> replies_;
  absl::Mutex mutex_;
  uint64_t last_token_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, PendingRequest> pending_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Ears>> listeners_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Ticker> ticker_;
};

class Connection::Subscription {
 public:
  ~Subscription();  // what the server has sent and the handler has not seen is dropped

  // Asks the server for no more and waits until the handler has seen everything that it had sent,
  // or for `patience`. Not on a callback's thread.
  void Drain(absl::Duration patience);

 private:
  friend class Connection;
  struct State;
  Subscription(natsSubscription* subscription, std::shared_ptr<State> state);

  natsSubscription* const subscription_;
  const std::shared_ptr<State> state_;
};

class Connection::Listener {
 public:
  ~Listener();

 private:
  friend class Connection;
  Listener(Connection* connection, std::shared_ptr<Ears> ears);

  Connection* const connection_;
  const std::shared_ptr<Ears> ears_;
};

// A call of `object`'s method that does nothing once the object has gone.
template <typename T>
std::function<void()> OnLive(const std::shared_ptr<T>& object, void (T::*method)()) {
  return [weak = std::weak_ptr<T>(object), method] {
    if (auto live = weak.lock()) (live.get()->*method)();
  };
}

}  // namespace jaque::nats
