// SPDX-License-Identifier: Apache-2.0
#include "store/retention.h"

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status_macros.h"

namespace jaque::store {
namespace {

constexpr size_t kInstances = 50;  // looked at by one step
constexpr v1::InstanceStatus kEnds[] = {v1::INSTANCE_STATUS_COMPLETED, v1::INSTANCE_STATUS_FAULTED,
                                        v1::INSTANCE_STATUS_CANCELLED};
constexpr std::string_view kOld =
    "SELECT id FROM instances WHERE status = $1 AND ended > 0 AND ended < $2"
    " ORDER BY ended LIMIT $3";
constexpr std::string_view kBeyond =
    "SELECT id FROM instances WHERE ended > 0 ORDER BY ended DESC LIMIT $1 OFFSET $2";
// What may be long goes first, in parts.
constexpr std::string_view kParts[] = {
    "DELETE FROM history WHERE instance = $1 AND seq IN"
    " (SELECT seq FROM history WHERE instance = $1 ORDER BY seq LIMIT $2)",
    "DELETE FROM tasks WHERE instance = $1 AND seq IN"
    " (SELECT seq FROM tasks WHERE instance = $1 ORDER BY seq LIMIT $2)",
};
constexpr std::string_view kRest[] = {
    "DELETE FROM history WHERE instance = $1",  "DELETE FROM tasks WHERE instance = $1",
    "DELETE FROM attempts WHERE instance = $1", "DELETE FROM failures WHERE instance = $1",
    "DELETE FROM consumed WHERE instance = $1", "DELETE FROM terms WHERE instance = $1",
    "DELETE FROM instances WHERE id = $1",
};
constexpr std::string_view kCountRows =
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM history WHERE instance = $1 LIMIT $2) h)"
    " + (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE instance = $1 LIMIT $2) t)";

absl::StatusOr<std::vector<std::string>> OldInstances(Database* database,
                                                      const RetentionRules& rules, Micros now) {
  std::vector<std::string> ids;
  const auto take = [&](const Row& row) { ids.push_back(row.Text(0)); };
  for (const v1::InstanceStatus status : kEnds) {
    const auto found = rules.by_status.find(status);
    const absl::Duration age = found == rules.by_status.end() ? rules.age : found->second;
    if (age == absl::InfiniteDuration() || ids.size() >= kInstances) continue;
    RETURN_IF_ERROR(database->Read({kOld,
                                    {int64_t{status}, now - absl::ToInt64Microseconds(age),
                                     static_cast<int64_t>(kInstances - ids.size())}},
                                   take));
  }
  if (ids.empty() && rules.keep_last > 0) {
    RETURN_IF_ERROR(database->Read(
        {kBeyond, {static_cast<int64_t>(kInstances), static_cast<int64_t>(rules.keep_last)}},
        take));
  }
  return ids;
}

}  // namespace

absl::StatusOr<size_t> DeleteSome(Database* database, const RetentionRules& rules, Micros now,
                                  bool* more) {
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, OldInstances(database, rules, now));
  *more = ids.size() == kInstances;
  const auto most = static_cast<int64_t>(limits::kRetentionRows);
  std::vector<Statement> statements;
  size_t deleted = 0;
  int64_t sum = 0;
  for (const std::string& id : ids) {
    int64_t rows = 0;
    RETURN_IF_ERROR(
        database->Read({kCountRows, {id, most + 1}}, [&](const Row& row) { rows = row.Int(0); }));
    if (deleted > 0 && sum + rows > most) break;
    if (rows > most) {  // a long one alone, part by part, in this step and those to come
      for (const std::string_view part : kParts) statements.push_back({part, {id, most / 2}});
      break;
    }
    for (const std::string_view rest : kRest) statements.push_back({rest, {id}});
    sum += rows;
    ++deleted;
  }
  *more = *more || deleted < ids.size();
  if (!statements.empty()) RETURN_IF_ERROR(database->Write(statements).status());
  return deleted;
}

}  // namespace jaque::store
