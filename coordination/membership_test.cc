// SPDX-License-Identifier: Apache-2.0
// Several processes under a simulated clock, over one bucket that expires entries and one that
// holds the view (design, section 4).
#include "coordination/membership.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/simulated_clock.h"
#include "coordination/memory_kv_store.h"
#include "coordination/view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/faulty_kv_store.h"

namespace jaque {
namespace {

constexpr absl::Duration kTtl = absl::Seconds(10);
constexpr absl::Duration kStep = absl::Milliseconds(25);

class Process {
 public:
  Process(const Clock* clock, KvStore* members, KvStore* cluster, const std::string& id,
          uint64_t seed)
      : id_(id),
        members_(members),
        cluster_(cluster),
        membership_(clock, &members_, OptionsOf(id, seed)),
        keeper_(clock, &cluster_, "view", [this](const v1::View& view) {
          EXPECT_GT(view.epoch(), epochs_.empty() ? 0 : epochs_.back()) << "an epoch fell";
          epochs_.push_back(view.epoch());
        }) {}

  void Start() {
    EXPECT_TRUE(membership_.Join().ok());
    EXPECT_TRUE(keeper_.Start().ok());
  }
  void Tick() {
    if (paused) return;
    membership_.Tick();
    keeper_.Tick(membership_.Judge());
  }
  void Cut() {
    members_.Cut();
    cluster_.Cut();
  }
  void Mend() {
    members_.Mend();
    cluster_.Mend();
  }

  const std::string& id() const { return id_; }
  Membership& membership() { return membership_; }
  FaultyKvStore& members() { return members_; }
  v1::View view() const { return keeper_.view(); }
  size_t epochs() const { return epochs_.size(); }

  bool paused = false;

 private:
  static MembershipOptions OptionsOf(const std::string& id, uint64_t seed) {
    MembershipOptions options;
    options.self.set_id(id);
    options.self.set_role("engine");
    options.self.set_weight(1);
    options.ttl = kTtl;
    options.seed = seed;
    return options;
  }

  const std::string id_;
  FaultyKvStore members_, cluster_;
  Membership membership_;
  std::vector<uint64_t> epochs_;
  ViewKeeper keeper_;
};

class ClusterTest : public testing::Test {
 protected:
  Process& Start(const std::string& id) {
    auto& slot = processes_[id];
    if (slot != nullptr) old_.push_back(std::move(slot));
    slot = std::make_unique<Process>(&clock_, &members_, &cluster_, id, ++seed_);
    slot->Start();
    return *slot;
  }
  void StartMany(int count) {
    for (int i = 0; i < count; ++i) Start(absl::StrCat("engine-", i));
    Pass(absl::Seconds(1));
  }
  Process& operator[](int i) { return *processes_.at(absl::StrCat("engine-", i)); }
  // Its process dies without a word.
  void Kill(const std::string& id) { processes_.erase(id); }

  void Step() {
    clock_.Advance(kStep);
    for (auto& [id, process] : processes_) process->Tick();
    for (auto& process : old_) process->Tick();
  }
  void Pass(absl::Duration time) {
    for (absl::Duration passed; passed < time; passed += kStep) Step();
  }
  // Time until all that tick have the view of exactly `ids`.
  template <typename Done>
  absl::Duration Until(Done done, absl::Duration limit = absl::Minutes(2)) {
    absl::Duration passed;
    for (; !done() && passed < limit; passed += kStep) Step();
    EXPECT_TRUE(done()) << "not within " << limit;
    return passed;
  }
  bool AllSee(const std::set<std::string>& ids) {
    for (auto& [id, process] : processes_) {
      if (!process->paused && Ids(process->view()) != ids) return false;
    }
    return true;
  }
  static std::set<std::string> Ids(const v1::View& view) {
    std::set<std::string> ids;
    for (const v1::ViewMember& member : view.members()) ids.insert(member.id());
    return ids;
  }
  std::set<std::string> Running() {
    std::set<std::string> ids;
    for (auto& [id, process] : processes_) ids.insert(id);
    return ids;
  }
  static std::set<MemberState> States(Process& process, const std::string& id) {
    std::set<MemberState> states;
    for (const MemberStatus& status : process.membership().Judge()) {
      if (status.member.id() == id) states.insert(status.state);
    }
    return states;
  }

  SimulatedClock clock_;
  MemoryKvStore members_{&clock_, kTtl};
  MemoryKvStore cluster_{&clock_};
  std::map<std::string, std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<Process>> old_;  // replaced under their id, still running
  uint64_t seed_ = 0;
};

TEST_F(ClusterTest, ManyThatJoinAtOnceSettleInOneOrTwoEpochs) {
  for (int i = 0; i < 30; ++i) Start(absl::StrCat("engine-", i));
  const absl::Duration took = Until([&] { return AllSee(Running()); });
  EXPECT_LE(took, absl::Seconds(1));
  EXPECT_LE((*this)[0].view().epoch(), 2u);
}

TEST_F(ClusterTest, ADeathIsNoticedWithinTheLifetimeAndOnePeriod) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  Kill("engine-1");
  const absl::Duration took = Until([&] { return AllSee(Running()); });
  EXPECT_LE(took, kTtl + absl::Seconds(1));
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);
  Pass(5 * kTtl);
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);
}

TEST_F(ClusterTest, AMissedRefreshMakesASuspectAndMovesNothing) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  (*this)[1].paused = true;
  Pass(kTtl * 0.8);
  EXPECT_EQ(States((*this)[0], "engine-1"), std::set<MemberState>{MemberState::kSuspect});
  EXPECT_EQ((*this)[0].view().epoch(), epoch);
  (*this)[1].paused = false;
  Pass(kTtl);
  EXPECT_EQ(States((*this)[0], "engine-1"), std::set<MemberState>{MemberState::kAlive});
  EXPECT_EQ((*this)[0].view().epoch(), epoch);
}

TEST_F(ClusterTest, ALeaveCountsAtOnce) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  ASSERT_TRUE((*this)[2].membership().Leave().ok());
  Kill("engine-2");
  EXPECT_LE(Until([&] { return AllSee(Running()); }), absl::Milliseconds(250));
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);
}

TEST_F(ClusterTest, AProcessUnderATakenIdReplacesTheOlderOne) {
  StartMany(2);
  const uint64_t epoch = (*this)[0].view().epoch();
  const uint64_t incarnation = (*this)[1].membership().self().incarnation();
  Process& newer = Start("engine-1");
  EXPECT_GT(newer.membership().self().incarnation(), incarnation);
  Pass(kTtl);
  EXPECT_TRUE(old_[0]->membership().superseded());
  EXPECT_FALSE(newer.membership().superseded());
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);  // a restart is a change
  EXPECT_EQ((*this)[0].view().members(1).incarnation(), newer.membership().self().incarnation());
  // Its leaving does not take the newer one's announcement away.
  EXPECT_TRUE(old_[0]->membership().Leave().ok());
  Pass(2 * kTtl);
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);
}

TEST_F(ClusterTest, AnOutageOfTheStoreCountsAgainstNobody) {
  StartMany(4);
  const uint64_t epoch = (*this)[0].view().epoch();
  for (const absl::Duration outage : {absl::Seconds(8), kTtl * 2, kTtl * 20}) {
    for (auto& [id, process] : processes_) process->Cut();
    Pass(outage);
    for (auto& [id, process] : processes_) {
      EXPECT_TRUE(process->membership().cut_off());
      EXPECT_THAT(process->membership().Judge(), testing::IsEmpty());
    }
    for (auto& [id, process] : processes_) process->Mend();
    Pass(3 * kTtl);
    for (auto& [id, process] : processes_) EXPECT_FALSE(process->membership().cut_off());
    EXPECT_EQ((*this)[0].view().epoch(), epoch) << outage;
    EXPECT_TRUE(AllSee(Running()));
  }
}

TEST_F(ClusterTest, OneThatIsCutOffIsDroppedJudgesNobodyAndComesBack) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  (*this)[1].Cut();
  Until([&] { return Ids((*this)[0].view()) == std::set<std::string>{"engine-0", "engine-2"}; });
  Pass(3 * kTtl);
  EXPECT_EQ((*this)[1].view().epoch(), epoch);
  (*this)[1].Mend();
  EXPECT_LE(Until([&] { return AllSee(Running()); }), kTtl);
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 2);
}

TEST_F(ClusterTest, OneThatStoodStillBlamesNobody) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  (*this)[1].paused = true;
  Pass(3 * kTtl);
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 1);
  (*this)[1].paused = false;
  EXPECT_LE(Until([&] { return AllSee(Running()); }), kTtl);
  Pass(3 * kTtl);
  EXPECT_EQ((*this)[0].view().epoch(), epoch + 2);
}

TEST_F(ClusterTest, ARefreshWhoseAnswerIsLostIsNoOtherProcess) {
  StartMany(2);
  const uint64_t epoch = (*this)[0].view().epoch();
  for (int i = 0; i < 5; ++i) {
    (*this)[1].members().LoseNextAnswer();
    Pass(kTtl);
  }
  EXPECT_FALSE((*this)[1].membership().superseded());
  EXPECT_FALSE((*this)[1].membership().cut_off());
  EXPECT_EQ((*this)[0].view().epoch(), epoch);
}

TEST_F(ClusterTest, ADeletedViewComesAgainWithAHigherEpoch) {
  StartMany(3);
  const uint64_t epoch = (*this)[0].view().epoch();
  ASSERT_TRUE(cluster_.Delete("view").ok());
  Start("engine-3");
  Until([&] { return AllSee(Running()); });
  EXPECT_GT((*this)[0].view().epoch(), epoch);
}

// Faults first, then everything heals: all agree on exactly those that run.
TEST_F(ClusterTest, WhateverHappensAllAgreeInTheEnd) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    processes_.clear();
    old_.clear();
    const auto left = members_.List();
    for (const KvEntry& entry : *left) members_.Delete(entry.key).IgnoreError();
    Random random(seed);
    seed_ = seed * 1'000;
    StartMany(5);
    const uint64_t before = (*this)[0].view().epoch();
    int events = 0;
    for (int i = 0; i < 30; ++i) {
      const std::string id = absl::StrCat("engine-", random.Below(8));
      const auto found = processes_.find(id);
      Process* process = found == processes_.end() ? nullptr : found->second.get();
      ++events;
      switch (random.Below(6)) {
        case 0:
          if (processes_.size() > 1) Kill(id);
          break;
        case 1:
          if (process == nullptr) Start(id);
          break;
        case 2:
          if (process != nullptr) process->Cut();
          break;
        case 3:
          if (process != nullptr) process->Mend();
          break;
        case 4:
          if (process != nullptr) process->paused = !process->paused;
          break;
        default:
          if (process != nullptr) process->members().LoseNextAnswer();
      }
      Pass(kTtl * random.Unit());
    }
    for (auto& [id, process] : processes_) {
      process->paused = false;
      process->Mend();
    }
    // One whose lifetime was all but over may yet be dropped, and comes back.
    Pass(2 * kTtl);
    Until([&] { return AllSee(Running()); }, kTtl);
    const uint64_t settled = processes_.begin()->second->view().epoch();
    EXPECT_LE(settled - before, 3u * events);
    Pass(5 * kTtl);
    EXPECT_EQ(processes_.begin()->second->view().epoch(), settled);
  }
}

TEST(EnsureShards, IsFixedByTheFirst) {
  SimulatedClock clock;
  MemoryKvStore store(&clock);
  EXPECT_TRUE(EnsureShards(store, 128).ok());
  EXPECT_TRUE(EnsureShards(store, 128).ok());
  const absl::Status other = EnsureShards(store, 64);
  EXPECT_TRUE(absl::IsFailedPrecondition(other));
  EXPECT_THAT(std::string(other.message()), testing::HasSubstr("-shards 128"));
}

TEST(Liveness, AnOlderIncarnationOrRevisionIsNoNews) {
  Liveness liveness(kTtl);
  v1::Member newer, older;
  newer.set_id("a");
  newer.set_incarnation(2);
  older.set_id("a");
  older.set_incarnation(1);
  liveness.Heard(newer, 5, absl::Seconds(1));
  liveness.Heard(newer, 5, absl::Seconds(9));   // read again, not refreshed
  liveness.Heard(older, 6, absl::Seconds(10));  // a late write of the older process
  EXPECT_EQ(liveness.Judge(absl::Seconds(11)).at(0).state, MemberState::kDead);
  EXPECT_EQ(liveness.Judge(absl::Seconds(11)).at(0).member.incarnation(), 2u);
  liveness.Left("a", 3);  // told late
  EXPECT_EQ(liveness.Judge(absl::Seconds(11)).size(), 1u);
  liveness.Left("a", 7);
  EXPECT_THAT(liveness.Judge(absl::Seconds(11)), testing::IsEmpty());
  liveness.Heard(older, 8, absl::Seconds(12));  // after it has left, whoever comes is new
  EXPECT_EQ(liveness.Judge(absl::Seconds(12)).at(0).state, MemberState::kAlive);
}

TEST(Liveness, ThePardonDoesNotRaiseTheDead) {
  Liveness liveness(kTtl);
  v1::Member a;
  a.set_id("a");
  liveness.Heard(a, 1, absl::ZeroDuration());
  EXPECT_EQ(liveness.Judge(kTtl).at(0).state, MemberState::kDead);
  liveness.Pardon(kTtl);
  EXPECT_EQ(liveness.Judge(kTtl).at(0).state, MemberState::kDead);
  EXPECT_THAT(liveness.Judge(kTtl * 11), testing::IsEmpty());
}

}  // namespace
}  // namespace jaque
