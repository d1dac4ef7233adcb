// SPDX-License-Identifier: Apache-2.0
// The NATS siblings for the contracts, over real servers, started once for each test program: each
// test has a prefix of its own. What a test does not use is not opened.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "coordination/nats_kv_store.h"
#include "gtest/gtest.h"
#include "log/nats_event_log.h"
#include "nats/connection.h"
#include "nats/jetstream.h"
#include "queue/nats_command_bus.h"
#include "queue/nats_event_stream.h"
#include "queue/nats_task_depths.h"
#include "queue/nats_task_queue.h"
#include "tests/support/nats_server.h"

namespace jaque {

// The servers of this program, started when first wanted.
template <int kServers>
const absl::StatusOr<std::vector<std::unique_ptr<NatsServer>>>& Servers() {
  static auto* const servers = new absl::StatusOr<std::vector<std::unique_ptr<NatsServer>>>(
      NatsServer::StartCluster(kServers));
  return *servers;
}

template <int kServers>
class EndsTheServers : public testing::Environment {
 public:
  void TearDown() override {
    if (!Servers<kServers>().ok()) return;
    for (const auto& server : *Servers<kServers>()) server->Kill();
  }
};

inline std::string NextPrefix() {
  static std::atomic<int> count = 0;
  return absl::StrCat("t", ++count);
}

template <int kServers>
class NatsBackend {
 public:
  NatsBackend() {
    if (!Servers<kServers>().ok()) return;
    nats::ConnectionOptions options{.name = "contract"};
    for (const auto& server : *Servers<kServers>()) options.urls.push_back(server->url());
    auto connection = nats::Connection::Connect(options);
    EXPECT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
    // A cluster has to choose its leader first.
    while (!nats::CallApi(*connection_, "$JS.API.INFO", "", absl::Seconds(1)).ok()) {
    }
  }

  // Why the tests cannot run here; empty if they can.
  static std::string Missing() {
    return Servers<kServers>().ok() ? "" : std::string(Servers<kServers>().status().message());
  }

  EventLog& log() {
    return Opened(&log_, [this] {
      return NatsEventLog::Open(connection_.get(), names_, {.replicas = kServers});
    });
  }
  TaskQueue& queue() {
    return Opened(&queue_, [this] {
      return NatsTaskQueue::Open(connection_.get(), names_, {"p"},
                                 {.replicas = kServers, .ack_wait = ack_wait()});
    });
  }
  TaskDepths& depths() {
    if (depths_ == nullptr) depths_ = std::make_unique<NatsTaskDepths>(connection_.get(), names_);
    return *depths_;
  }
  CommandBus& bus() {
    return Opened(&bus_, [this] {
      return NatsCommandBus::Open(connection_.get(), connection_.get(), names_,
                                  {.replicas = kServers,
                                   .ingress_attempts = ingress_attempts(),
                                   .ack_wait = absl::Seconds(2)});
    });
  }
  EventStream& stream() {
    return Opened(&stream_, [this] {
      return NatsEventStream::Open(connection_.get(), names_, {.replicas = kServers});
    });
  }
  KvStore& kv() {
    return Opened(&kv_, [this] {
      return NatsKvStore::Open(connection_.get(), names_, "kv", kServers, absl::ZeroDuration());
    });
  }
  KvStore& kv_with_ttl() {
    return Opened(&kv_with_ttl_, [this] {
      return NatsKvStore::Open(connection_.get(), names_, "ttl", kServers, kv_ttl());
    });
  }

  static absl::Duration patience() { return absl::Milliseconds(50); }
  static absl::Duration ack_wait() { return absl::Seconds(2); }
  static absl::Duration kv_ttl() { return absl::Seconds(1); }
  static int ingress_attempts() { return 4; }
  void Step() {}
  void Pass(absl::Duration time) {
    absl::Notification never;
    never.WaitForNotificationWithTimeout(time);
  }

 protected:
  // Opens what a test wants when it first wants it, on whichever of its threads.
  template <typename T, typename Open>
  T& Opened(std::unique_ptr<T>* slot, Open open) {
    absl::MutexLock lock(&opening_);
    if (*slot == nullptr) {
      auto opened = open();
      EXPECT_TRUE(opened.ok()) << opened.status();
      *slot = *std::move(opened);
    }
    return **slot;
  }

  absl::Mutex opening_;
  const nats::Names names_ = *nats::Names::Make(NextPrefix());
  std::unique_ptr<nats::Connection> connection_;
  std::unique_ptr<NatsEventLog> log_;
  std::unique_ptr<NatsTaskQueue> queue_;
  std::unique_ptr<NatsTaskDepths> depths_;
  std::unique_ptr<NatsCommandBus> bus_;
  std::unique_ptr<NatsEventStream> stream_;
  std::unique_ptr<NatsKvStore> kv_, kv_with_ttl_;
};

}  // namespace jaque
