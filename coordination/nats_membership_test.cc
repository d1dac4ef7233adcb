// SPDX-License-Identifier: Apache-2.0
// Membership and views over a real server, each process on a thread and a connection of its own.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/ticker.h"
#include "coordination/membership.h"
#include "coordination/nats_kv_store.h"
#include "coordination/view.h"
#include "gtest/gtest.h"
#include "tests/support/nats_server.h"

namespace jaque {
namespace {

constexpr absl::Duration kTtl = absl::Seconds(2);

// Views as the processes adopt them.
class Views {
 public:
  void Put(const std::string& id, const v1::View& view) {
    absl::MutexLock lock(&mutex_);
    views_[id] = view;
  }
  // True as soon as all of `ids` have a view of `members` members.
  bool Await(const std::vector<std::string>& ids, int members, absl::Duration within) {
    absl::MutexLock lock(&mutex_);
    const auto agreed = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      for (const std::string& id : ids) {
        if (views_[id].members_size() != members) return false;
      }
      return true;
    };
    return mutex_.AwaitWithTimeout(absl::Condition(&agreed), within);
  }
  // True if something changes within the time.
  bool ChangesWithin(absl::Duration time) {
    absl::MutexLock lock(&mutex_);
    const uint64_t before = Sum();
    const auto changed = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return Sum() != before; };
    return mutex_.AwaitWithTimeout(absl::Condition(&changed), time);
  }

 private:
  uint64_t Sum() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    uint64_t sum = 0;
    for (const auto& [id, view] : views_) sum += view.epoch();
    return sum;
  }
  absl::Mutex mutex_;
  std::map<std::string, v1::View> views_ ABSL_GUARDED_BY(mutex_);
};

class Process {
 public:
  Process(const std::string& url, const std::string& id, Views* views) {
    const auto names = *nats::Names::Make("jaque");
    connection_ = *nats::Connection::Connect({.urls = {url}, .name = id});
    members_ = *NatsKvStore::Open(connection_.get(), names, "membership", 1, kTtl);
    cluster_ = *NatsKvStore::Open(connection_.get(), names, "cluster", 1, absl::ZeroDuration());
    MembershipOptions options;
    options.self.set_id(id);
    options.self.set_weight(1);
    options.ttl = kTtl;
    membership_ = std::make_unique<Membership>(&SystemClock(), members_.get(), options);
    keeper_ =
        std::make_unique<ViewKeeper>(&SystemClock(), cluster_.get(), "view",
                                     [id, views](const v1::View& view) { views->Put(id, view); });
    EXPECT_TRUE(membership_->Join().ok());
    EXPECT_TRUE(keeper_->Start().ok());
    ticker_.Every(absl::Milliseconds(20), [this] {
      membership_->Tick();
      keeper_->Tick(membership_->Judge());
    });
  }
  ~Process() { ticker_.Stop(); }
  void Leave() {
    ticker_.Stop();
    EXPECT_TRUE(membership_->Leave().ok());
  }

 private:
  std::unique_ptr<nats::Connection> connection_;
  std::unique_ptr<NatsKvStore> members_, cluster_;
  std::unique_ptr<Membership> membership_;
  std::unique_ptr<ViewKeeper> keeper_;
  Ticker ticker_;
};

TEST(NatsMembership, JoinDieLeaveAndTheServersDeath) {
  auto server = NatsServer::Start();
  if (absl::IsNotFound(server.status())) GTEST_SKIP() << "skipped: " << server.status().message();
  ASSERT_TRUE(server.ok()) << server.status();
  Views views;
  std::map<std::string, std::unique_ptr<Process>> processes;
  for (const char* id : {"a", "b", "c", "d"}) {
    processes[id] = std::make_unique<Process>((*server)->url(), id, &views);
  }
  ASSERT_TRUE(views.Await({"a", "b", "c", "d"}, 4, absl::Seconds(10)));

  processes.erase("d");  // dies without a word
  EXPECT_TRUE(views.Await({"a", "b", "c"}, 3, kTtl + absl::Seconds(2)));
  processes["c"]->Leave();
  EXPECT_TRUE(views.Await({"a", "b"}, 2, absl::Seconds(1)));
  processes.erase("c");

  // The store away for less and for more than the lifetime: nothing moves, and the watches come
  // back.
  for (int round = 0; round < 2; ++round) {
    (*server)->Kill();
    EXPECT_FALSE(views.ChangesWithin(round == 0 ? kTtl / 4 : kTtl * 2));
    ASSERT_TRUE((*server)->Restart().ok());
    EXPECT_FALSE(views.ChangesWithin(kTtl * 2));
    const std::string id = absl::StrCat("new-", round);
    processes[id] = std::make_unique<Process>((*server)->url(), id, &views);
    EXPECT_TRUE(views.Await({"a", "b", id}, 3 + round, absl::Seconds(10)));
  }
}

}  // namespace
}  // namespace jaque
