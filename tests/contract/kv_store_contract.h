// SPDX-License-Identifier: Apache-2.0
// What every KvStore does. Backend: kv(), kv_with_ttl() and kv_ttl() besides what collector.h says.
#pragma once

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coordination/kv_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class KvStoreContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  KvStore& kv() { return backend_.kv(); }

  // "key=value", or "key gone".
  static std::string Text(const KvEntry& entry) {
    return entry.key + (entry.deleted ? " gone" : "=" + entry.value);
  }
  std::vector<std::string> List() {
    std::vector<std::string> texts;
    const auto entries = kv().List();
    EXPECT_TRUE(entries.ok()) << entries.status();
    if (!entries.ok()) return texts;
    for (const KvEntry& entry : *entries) texts.push_back(Text(entry));
    return texts;
  }

  Backend backend_;
};

TYPED_TEST_SUITE_P(KvStoreContract);

TYPED_TEST_P(KvStoreContract, KeepsTheNewestValue) {
  EXPECT_TRUE(absl::IsNotFound(this->kv().Get("a").status()));
  const auto first = this->kv().Put("a", "1");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = this->kv().Put("a", "2");
  ASSERT_TRUE(second.ok());
  EXPECT_GT(*second, *first);
  const auto got = this->kv().Get("a");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->key, "a");
  EXPECT_EQ(got->value, "2");
  EXPECT_EQ(got->revision, *second);
}

TYPED_TEST_P(KvStoreContract, UpdatesOnlyTheRevisionThatIsExpected) {
  const auto first = this->kv().Update("a", "1", 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(absl::IsAborted(this->kv().Update("a", "x", 0).status()));
  EXPECT_TRUE(absl::IsAborted(this->kv().Update("a", "x", *first + 1).status()));
  EXPECT_TRUE(absl::IsAborted(this->kv().Update("b", "x", 7).status()));
  ASSERT_TRUE(this->kv().Update("a", "2", *first).ok());
  EXPECT_TRUE(absl::IsAborted(this->kv().Update("a", "x", *first).status()));
  EXPECT_THAT(this->List(), testing::ElementsAre("a=2"));
}

TYPED_TEST_P(KvStoreContract, WhatIsDeletedIsGoneAndMayComeAgain) {
  ASSERT_TRUE(this->kv().Put("a", "1").ok());
  ASSERT_TRUE(this->kv().Put("b", "1").ok());
  ASSERT_TRUE(this->kv().Delete("a").ok());
  EXPECT_TRUE(this->kv().Delete("never there").ok());
  EXPECT_TRUE(absl::IsNotFound(this->kv().Get("a").status()));
  EXPECT_THAT(this->List(), testing::ElementsAre("b=1"));
  EXPECT_TRUE(this->kv().Update("a", "2", 0).ok());
  EXPECT_THAT(this->List(), testing::ElementsAre("a=2", "b=1"));
}

TYPED_TEST_P(KvStoreContract, KeysAreAnyText) {
  std::vector<std::string> expected;
  for (const char* key :
       {" ", "*", ".", "/", "A", "_", "a", "a b", "a..b", "a.b", "a/b", "x.>", "ä"}) {
    ASSERT_TRUE(this->kv().Update(key, "v", 0).ok()) << key;
    expected.push_back(absl::StrCat(key, "=v"));
  }
  EXPECT_THAT(this->List(), testing::ElementsAreArray(expected));
}

TYPED_TEST_P(KvStoreContract, OneOfRacingUpdatesWins) {
  constexpr int kThreads = 4, kRounds = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this] {
      for (int done = 0; done < kRounds;) {
        const auto now = this->kv().Get("counter");
        const int value = now.ok() ? std::stoi(now->value) : 0;
        const auto written =
            this->kv().Update("counter", absl::StrCat(value + 1), now.ok() ? now->revision : 0);
        done += written.ok();
        ASSERT_TRUE(written.ok() || absl::IsAborted(written.status())) << written.status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(this->kv().Get("counter")->value, absl::StrCat(kThreads * kRounds));
}

TYPED_TEST_P(KvStoreContract, WatchersHearOfEverything) {
  ASSERT_TRUE(this->kv().Put("a", "1").ok());
  ASSERT_TRUE(this->kv().Put("b", "1").ok());
  Collector<std::string> seen, ended;
  auto first = this->kv().Watch([&](const KvEntry& e) { ended.Put(TestFixture::Text(e)); });
  auto second = this->kv().Watch([&](const KvEntry& e) { seen.Put(TestFixture::Text(e)); });
  ASSERT_TRUE(seen.Await(this->backend_, 2));
  ASSERT_TRUE(ended.Await(this->backend_, 2));
  first.reset();
  ASSERT_TRUE(this->kv().Put("a", "2").ok());
  ASSERT_TRUE(seen.Await(this->backend_, 3));
  ASSERT_TRUE(this->kv().Delete("b").ok());
  ASSERT_TRUE(seen.Await(this->backend_, 4));
  EXPECT_THAT(seen.Take(), testing::ElementsAre("a=1", "b=1", "a=2", "b gone"));
  EXPECT_EQ(ended.size(), 2u);
}

TYPED_TEST_P(KvStoreContract, EntriesWithALifetimeVanish) {
  KvStore& kv = this->backend_.kv_with_ttl();
  ASSERT_TRUE(kv.Put("a", "1").ok());
  EXPECT_TRUE(kv.Get("a").ok());
  this->backend_.Pass(this->backend_.kv_ttl() + absl::Seconds(1));
  EXPECT_TRUE(absl::IsNotFound(kv.Get("a").status()));
  EXPECT_THAT(*kv.List(), testing::IsEmpty());
  EXPECT_TRUE(kv.Update("a", "2", 0).ok());
}

REGISTER_TYPED_TEST_SUITE_P(KvStoreContract, KeepsTheNewestValue,
                            UpdatesOnlyTheRevisionThatIsExpected,
                            WhatIsDeletedIsGoneAndMayComeAgain, KeysAreAnyText,
                            OneOfRacingUpdatesWins, WatchersHearOfEverything,
                            EntriesWithALifetimeVanish);

}  // namespace jaque
