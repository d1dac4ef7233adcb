// SPDX-License-Identifier: Apache-2.0
// JAQUE_SEED runs one seed, JAQUE_SEEDS that many from 1.
#include "tests/simulation/core_simulation.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace jaque::simulation {
namespace {

int64_t FromEnvironment(const char* name, int64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

TEST(CoreSimulationTest, InvariantsHoldForManySeeds) {
  const int64_t only = FromEnvironment("JAQUE_SEED", 0);
  const int64_t first = only != 0 ? only : 1;
  const int64_t last = only != 0 ? only : FromEnvironment("JAQUE_SEEDS", 1000);
  size_t ended = 0;
  for (int64_t seed = first; seed <= last; ++seed) {
    CoreSimulation simulation(static_cast<uint64_t>(seed));
    ASSERT_EQ(simulation.Run(), "") << "seed " << seed;
    ended += simulation.ended();
  }
  std::printf("seeds %lld to %lld: %zu instances ended once each\n", static_cast<long long>(first),
              static_cast<long long>(last), ended);
  EXPECT_GT(ended, static_cast<size_t>(last - first));
}

TEST(CoreSimulationTest, OneSeedGivesOneLog) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CoreSimulation first(seed), second(seed);
    ASSERT_EQ(first.Run(), "");
    ASSERT_EQ(second.Run(), "");
    EXPECT_EQ(first.Digest(), second.Digest()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace jaque::simulation
