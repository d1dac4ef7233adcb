// SPDX-License-Identifier: Apache-2.0
// Logs of the simulated core, projected into a store: batch by batch the rows say what the state of
// the engine says, and a sink that crashes at any statement leaves the same rows as one that does
// not. JAQUE_SEED runs one seed.
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/simulated_clock.h"
#include "base/text.h"
#include "engine/replay.h"
#include "engine/state.h"
#include "gtest/gtest.h"
#include "sink/store_output.h"
#include "store/positions.h"
#include "tests/simulation/core_simulation.h"
#include "tests/support/temp_folder.h"

namespace jaque::simulation {
namespace {

std::shared_ptr<store::Database> Open(const std::string& path) {
  auto opened = store::OpenDatabase("sqlite:" + path);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *opened;
}

// Transactions end before some statement, or are done and nobody hears of it.
class Crashing final : public store::Database {
 public:
  Crashing(store::Database* database, uint64_t seed) : database_(*database), random_(seed) {}
  const store::Dialect& dialect() const override { return database_.dialect(); }
  absl::Status Read(const store::Statement& statement,
                    absl::FunctionRef<void(const store::Row&)> visit) override {
    return database_.Read(statement, visit);
  }
  absl::StatusOr<int64_t> Write(const std::vector<store::Statement>& statements) override {
    if (!random_.OneIn(2)) return database_.Write(statements);
    ++crashes;
    const size_t done = random_.Below(statements.size() + 1);
    std::vector<store::Statement> some(statements.begin(),
                                       statements.begin() + static_cast<ptrdiff_t>(done));
    if (done < statements.size()) some.push_back({"INSERT INTO nowhere VALUES (1)"});
    const auto written = database_.Write(some);
    EXPECT_EQ(written.ok(), done == statements.size()) << written.status();
    return absl::UnavailableError("crashed");
  }
  int crashes = 0;

 private:
  store::Database& database_;
  Random random_;
};

// Batches of some decisions each, as a shard would append them.
std::vector<SinkBatch> BatchesOf(const std::vector<v1::Decision>& log, uint64_t seed) {
  Random random(seed);
  std::vector<SinkBatch> batches;
  for (size_t at = 0; at < log.size();) {
    SinkBatch batch;
    batch.sequence = batches.empty() ? 5 : batches.back().sequence + 1 + random.Below(3);
    batch.batch.set_after(batches.empty() ? 0 : batches.back().sequence);
    batch.batch.set_epoch(1);
    for (uint64_t i = 0; i <= random.Below(3) && at < log.size(); ++i) {
      *batch.batch.add_decisions() = log[at++];
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

// Every row of every table, as text.
std::vector<std::string> RowsOf(store::Database* database) {
  std::vector<std::string> rows;
  for (const std::string table :
       {"instances", "terms", "history", "tasks", "attempts", "failures", "consumed", "definitions",
        "definition_tasks", "schedules", "positions", "openings"}) {
    std::string columns;
    EXPECT_TRUE(database
                    ->Read({Cat("PRAGMA table_info(", table, ")")},
                           [&](const store::Row& row) {
                             columns += Cat(columns.empty() ? "" : " || ' ' || ", "quote(",
                                            row.Text(1), ")");
                           })
                    .ok());
    const std::string sql = Cat("SELECT ", columns, " FROM ", table, " ORDER BY 1");
    EXPECT_TRUE(
        database
            ->Read({sql},
                   [&](const store::Row& row) { rows.push_back(Cat(table, " ", row.Text(0))); })
            .ok());
  }
  return rows;
}

// What the rows say of an instance against what the engine knows.
void ExpectSame(const engine::ShardState& state, const std::string& id, store::Database* database) {
  const engine::Instance* instance = state.Find(id);
  std::set<int64_t> open, expected;
  ASSERT_TRUE(database
                  ->Read({"SELECT frame FROM tasks WHERE instance = $1 AND ended = 0", {id}},
                         [&](const store::Row& row) { open.insert(row.Int(0)); })
                  .ok());
  int64_t status = 0;
  ASSERT_TRUE(database
                  ->Read({"SELECT status FROM instances WHERE id = $1", {id}},
                         [&](const store::Row& row) { status = row.Int(0); })
                  .ok());
  if (instance != nullptr) {
    for (const auto& [frame, ignored] : instance->frames) {
      if (frame != engine::kRootFrame) expected.insert(frame);
    }
    EXPECT_EQ(status, int64_t{engine::StatusOf(*instance)}) << id;
  } else {
    EXPECT_GE(status, int64_t{v1::INSTANCE_STATUS_CANCELLED}) << id;
  }
  EXPECT_EQ(open, expected) << id;
}

class ProjectionSimulationTest : public ::testing::Test {
 protected:
  static std::pair<uint64_t, uint64_t> Seeds() {
    const char* text = std::getenv("JAQUE_SEED");
    if (text == nullptr) return {1, 25};
    return {std::strtoull(text, nullptr, 10), std::strtoull(text, nullptr, 10)};
  }
  SimulatedClock clock_;
};

TEST_F(ProjectionSimulationTest, TheRowsFollowTheStateOfTheEngine) {
  for (uint64_t seed = Seeds().first; seed <= Seeds().second && !HasFailure(); ++seed) {
    SCOPED_TRACE(Cat("seed ", seed));
    CoreSimulation simulation(seed);
    ASSERT_EQ(simulation.Run(), "");
    const testing::TempFolder folder;
    const auto database = Open(folder.path() + "/store.db");
    StoreOutput output(&clock_, simulation.definitions(), database.get());
    SinkPositions positions;
    engine::ShardState state;
    for (const SinkBatch& batch : BatchesOf(simulation.log(), seed)) {
      ASSERT_TRUE(output.Take({batch}, &positions).ok());
      ASSERT_TRUE(engine::ApplyBatch(batch.batch, simulation.definitions(), &state).ok());
      for (const v1::Decision& decision : batch.batch.decisions()) {
        const std::string& id = decision.object_id();
        if (!id.empty() && id.find('/') == std::string::npos) {
          ExpectSame(state, id, database.get());
        }
      }
      if (HasFailure()) break;
    }
  }
}

TEST_F(ProjectionSimulationTest, ACrashAtAnyStatementLeavesTheSameRows) {
  int crashes = 0;
  for (uint64_t seed = Seeds().first; seed <= Seeds().second && !HasFailure(); ++seed) {
    SCOPED_TRACE(Cat("seed ", seed));
    CoreSimulation simulation(seed);
    ASSERT_EQ(simulation.Run(), "");
    const std::vector<SinkBatch> batches = BatchesOf(simulation.log(), seed);
    const testing::TempFolder folder;
    const auto smooth = Open(folder.path() + "/smooth.db");
    SinkPositions positions;
    StoreOutput output(&clock_, simulation.definitions(), smooth.get());
    ASSERT_TRUE(output.Take(batches, &positions).ok());

    const auto rough = Open(folder.path() + "/rough.db");
    Crashing crashing(rough.get(), seed);
    Random random(seed);
    StoreOutput other(&clock_, simulation.definitions(), &crashing);
    positions.clear();
    for (size_t at = 0; at < batches.size();) {
      const size_t count = std::min<size_t>(1 + random.Below(8), batches.size() - at);
      const std::vector<SinkBatch> some(batches.begin() + static_cast<ptrdiff_t>(at),
                                        batches.begin() + static_cast<ptrdiff_t>(at + count));
      if (!other.Take(some, &positions).ok()) {
        positions = *store::ReadPositions(rough.get(), store::kStoreOutput);
      }
      while (at < batches.size() && batches[at].sequence <= positions[0].sequence) ++at;
    }
    crashes += crashing.crashes;
    EXPECT_EQ(RowsOf(rough.get()), RowsOf(smooth.get()));
  }
  EXPECT_GT(crashes, 20);
}

}  // namespace
}  // namespace jaque::simulation
