// SPDX-License-Identifier: Apache-2.0
// JAQUE_SEED runs one seed, JAQUE_SEEDS that many from 1.
#include "tests/simulation/engine_simulation.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace jaque::simulation {
namespace {

int64_t FromEnvironment(const char* name, int64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

TEST(EngineSimulationTest, NothingAcknowledgedIsLostOverALogThatMisbehaves) {
  const int64_t only = FromEnvironment("JAQUE_SEED", 0);
  const int64_t first = only != 0 ? only : 1;
  const int64_t last = only != 0 ? only : FromEnvironment("JAQUE_SEEDS", 500);
  size_t ended = 0, takeovers = 0, snapshots = 0, quarantined = 0;
  for (int64_t seed = first; seed <= last; ++seed) {
    EngineSimulation simulation(static_cast<uint64_t>(seed));
    ASSERT_EQ(simulation.Run(), "") << "seed " << seed;
    ended += simulation.ended();
    takeovers += simulation.takeovers();
    snapshots += simulation.snapshots();
    quarantined += simulation.quarantined();
  }
  std::printf(
      "seeds %lld to %lld: %zu instances ended once each, %zu openings of shards, %zu shards with "
      "snapshots, %zu quarantined\n",
      static_cast<long long>(first), static_cast<long long>(last), ended, takeovers, snapshots,
      quarantined);
  EXPECT_GT(ended, static_cast<size_t>(last - first));
}

}  // namespace
}  // namespace jaque::simulation
