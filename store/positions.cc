// SPDX-License-Identifier: Apache-2.0
#include "store/positions.h"

#include "base/status_macros.h"

namespace jaque::store {
namespace {

constexpr std::string_view kRead =
    "SELECT shard, sequence, epoch, at, engine FROM positions WHERE output = $1 ORDER BY shard";
constexpr std::string_view kBegin =
    "INSERT INTO positions (output, shard, sequence, epoch, at, engine)"
    " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
constexpr std::string_view kMove =
    "UPDATE positions SET sequence = $3, epoch = $4, at = $5, engine = $6"
    " WHERE output = $1 AND shard = $2 AND sequence = $7";

}  // namespace

absl::StatusOr<std::map<uint32_t, ShardPosition>> ReadPositions(Database* database,
                                                                const std::string& output) {
  std::map<uint32_t, ShardPosition> positions;
  RETURN_IF_ERROR(database->Read({kRead, {output}}, [&](const Row& row) {
    const auto shard = static_cast<uint32_t>(row.Int(0));
    positions[shard] = {.shard = shard,
                        .sequence = static_cast<uint64_t>(row.Int(1)),
                        .epoch = static_cast<uint64_t>(row.Int(2)),
                        .at = row.Int(3),
                        .engine = row.Text(4)};
  }));
  return positions;
}

Statement MovePosition(const std::string& output, uint64_t from, const ShardPosition& to) {
  Statement statement;
  statement.sql = from == 0 ? kBegin : kMove;
  statement.must_change = true;
  statement.parameters = {
      output, int64_t{to.shard}, static_cast<int64_t>(to.sequence), static_cast<int64_t>(to.epoch),
      to.at,  to.engine};
  if (from != 0) statement.parameters.emplace_back(static_cast<int64_t>(from));
  return statement;
}

absl::Status ForgetPositions(Database* database, Micros now) {
  return database
      ->Write({{"DELETE FROM positions"},
               {"UPDATE tasks SET status = 'cancelled', activity = 0, due = 0, ended = $1"
                " WHERE ended = 0",
                {now}},
               {"UPDATE instances SET status = $2, suspended = 0, ended = $1, updated = $1,"
                " reason = 'the process that ran it kept it in memory and has ended'"
                " WHERE ended = 0",
                {now, int64_t{v1::INSTANCE_STATUS_CANCELLED}}}})
      .status();
}

}  // namespace jaque::store
