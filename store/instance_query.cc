// SPDX-License-Identifier: Apache-2.0
#include "store/instance_query.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "base/text.h"
#include "expression/json.h"

namespace jaque::store {
namespace {

constexpr std::string_view kColumns =
    "i.id, i.namespace, i.name, i.version, i.status, i.started, i.updated, i.ended, i.parent,"
    " i.rerun_of, i.schedule, i.actor, i.tags, i.error_title, i.error_detail, i.error_task,"
    " i.reason";
// More walks than this are one along the starts.
constexpr size_t kWalks = 64;

void AddIn(std::string_view column, const std::vector<Parameter>& values, Sql* sql) {
  sql->Add(" AND ").Add(column).Add(" IN (");
  for (size_t i = 0; i < values.size(); ++i) sql->Add(i == 0 ? "" : ", ").Bind(values[i]);
  sql->Add(")");
}

void AddEqual(std::string_view column, const std::string& value, Sql* sql) {
  if (!value.empty()) sql->Add(" AND ").Add(column).Add(" = ").Bind(Parameter(value));
}

// Names the condition of the partial index, so that it may be used.
void AddLink(std::string_view column, const std::string& value, Sql* sql) {
  if (value.empty()) return;
  AddEqual(column, value, sql);
  sql->Add(" AND ").Add(column).Add(" <> ''");
}

void AddBound(std::string_view column, std::string_view operation, Micros bound, Sql* sql) {
  if (bound != 0) sql->Add(" AND ").Add(column).Add(operation).Bind(Parameter(bound));
}

std::vector<Parameter> Texts(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

Sql& Sql::Bind(Parameter parameter) {
  parameters_.push_back(std::move(parameter));
  text_ += Cat("$", parameters_.size());
  return *this;
}

std::string InstanceCursor::Text() const {
  return absl::WebSafeBase64Escape(Cat(started, " ", id));
}

absl::StatusOr<InstanceCursor> InstanceCursor::Parse(const std::string& text) {
  std::string plain;
  InstanceCursor cursor;
  const bool decoded = absl::WebSafeBase64Unescape(text, &plain);
  const size_t space = decoded ? plain.find(' ') : std::string::npos;
  if (space == std::string::npos || !absl::SimpleAtoi(plain.substr(0, space), &cursor.started)) {
    return absl::InvalidArgumentError("the cursor is none that a list gave");
  }
  cursor.id = plain.substr(space + 1);
  return cursor;
}

InstanceRow RowOf(const Row& row) {
  InstanceRow instance;
  instance.id = row.Text(0);
  instance.namespace_ = row.Text(1);
  instance.name = row.Text(2);
  instance.version = row.Text(3);
  instance.status = static_cast<v1::InstanceStatus>(row.Int(4));
  instance.started = row.Int(5);
  instance.updated = row.Int(6);
  instance.ended = row.Int(7);
  instance.parent = row.Text(8);
  instance.rerun_of = row.Text(9);
  instance.schedule = row.Text(10);
  instance.actor = row.Text(11);
  const absl::StatusOr<Value> tags = ParseJson(row.Text(12));
  if (tags.ok() && tags->is_object()) {
    tags->ForEachMember([&](std::string_view key, const Value& value) {
      instance.tags.emplace_back(key, value.is_string() ? value.AsString() : "");
      return true;
    });
  }
  instance.error_title = row.Text(13);
  instance.error_detail = row.Text(14);
  instance.error_task = row.Text(15);
  instance.reason = row.Text(16);
  return instance;
}

Sql SelectInstance(const std::string& id) {
  Sql sql;
  sql.Add("SELECT ").Add(kColumns).Add(", i.first_seq, i.end_seq, i.last_seq FROM instances i");
  sql.Add(" WHERE i.id = ").Bind(Parameter(id));
  return sql;
}

InstanceQuery::InstanceQuery(const InstanceFilter& filter) : filter_(filter) {
  for (const std::string& word : WordsOf(filter.text)) ranges_.push_back(WordsFrom(word));
  for (const auto& [key, value] : filter.tags) {
    if (value.empty()) {
      ranges_.push_back(TagsWith(key));
    } else {
      whole_terms_.push_back(TagTerm(key, value));
    }
  }
}

std::vector<InstanceQuery::Walk> InstanceQuery::Walks() const {
  const bool linked =
      !filter_.parent.empty() || !filter_.rerun_of.empty() || !filter_.schedule.empty();
  if (linked || few_.has_value() || begins_with_tag()) return {Walk()};
  std::vector<std::optional<std::string>> spaces;
  if (!filter_.namespace_.empty()) {
    spaces = {filter_.namespace_};
  } else {
    spaces.assign(filter_.namespaces.begin(), filter_.namespaces.end());
  }
  std::vector<v1::InstanceStatus> statuses = filter_.statuses;
  if (statuses.empty() && !spaces.empty()) {
    for (int status = v1::INSTANCE_STATUS_RUNNING; status <= v1::INSTANCE_STATUS_COMPLETED;
         ++status) {
      statuses.push_back(static_cast<v1::InstanceStatus>(status));
    }
  }
  if (statuses.empty() || spaces.size() * statuses.size() > kWalks) return {Walk()};
  if (spaces.empty()) spaces = {std::nullopt};
  std::vector<Walk> walks;
  for (const auto& space : spaces) {
    for (const v1::InstanceStatus status : statuses) walks.push_back({space, status});
  }
  return walks;
}

void InstanceQuery::AddSource(const Walk& walk, Sql* sql) const {
  if (few_.has_value()) {
    const TermRange& range = ranges_[*few_];
    sql->Add("(SELECT DISTINCT instance FROM terms WHERE term >= ").Bind(Parameter(range.from));
    sql->Add(" AND term < ").Bind(Parameter(range.before));
    sql->Add(") m CROSS JOIN instances i WHERE i.id = m.instance");
  } else if (begins_with_tag()) {
    sql->Add("terms m CROSS JOIN instances i WHERE i.id = m.instance AND m.term = ");
    sql->Bind(Parameter(whole_terms_.front()));
  } else {
    sql->Add("instances i WHERE 1 = 1");
  }
  AddConditions(walk, sql);
}

void InstanceQuery::AddConditions(const Walk& walk, Sql* sql) const {
  if (walk.space.has_value()) {
    AddEqual("i.namespace", *walk.space, sql);
  } else {
    AddEqual("i.namespace", filter_.namespace_, sql);
  }
  if (!filter_.namespaces.empty() && (!walk.space.has_value() || !filter_.namespace_.empty())) {
    AddIn("i.namespace", Texts(filter_.namespaces), sql);
  }
  if (filter_.version.empty()) {
    AddEqual("i.name", filter_.name, sql);
  } else {
    AddEqual("i.definition", Cat(filter_.namespace_, "/", filter_.name, ":", filter_.version), sql);
  }
  if (walk.status.has_value()) {
    sql->Add(" AND i.status = ").Bind(Parameter(int64_t{*walk.status}));
  } else if (!filter_.statuses.empty()) {
    AddIn("i.status", {filter_.statuses.begin(), filter_.statuses.end()}, sql);
  }
  AddLink("i.parent", filter_.parent, sql);
  AddLink("i.rerun_of", filter_.rerun_of, sql);
  AddLink("i.schedule", filter_.schedule, sql);
  AddBound("i.started", " >= ", filter_.started_from, sql);
  AddBound("i.started", " < ", filter_.started_before, sql);
  AddBound("i.ended", " >= ", filter_.ended_from, sql);
  if (filter_.ended_before != 0) sql->Add(" AND i.ended > 0");
  AddBound("i.ended", " < ", filter_.ended_before, sql);
  // What ended before a time began before it: that is where a walk can begin.
  AddBound("i.started", " < ", filter_.ended_before, sql);
  AddTermConditions(sql);
}

// LIMIT keeps PostgreSQL from making joins of them, whose order it would choose by guesses.
void InstanceQuery::AddTermConditions(Sql* sql) const {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (few_ == i) continue;
    sql->Add(" AND (SELECT 1 FROM terms e WHERE e.instance = i.id AND e.term >= ");
    sql->Bind(Parameter(ranges_[i].from)).Add(" AND e.term < ").Bind(Parameter(ranges_[i].before));
    sql->Add(" LIMIT 1) = 1");
  }
  for (size_t i = begins_with_tag() ? 1 : 0; i < whole_terms_.size(); ++i) {
    sql->Add(" AND (SELECT 1 FROM terms e WHERE e.instance = i.id AND e.term = ");
    sql->Bind(Parameter(whole_terms_[i])).Add(" LIMIT 1) = 1");
  }
}

Sql InstanceQuery::List(const std::optional<InstanceCursor>& after, bool oldest_first,
                        size_t limit) const {
  const std::string_view place = begins_with_tag() ? "m.started, m.instance" : "i.started, i.id";
  const std::string_view started = begins_with_tag() ? "m.started" : "i.started";
  const std::string_view id = begins_with_tag() ? "m.instance" : "i.id";
  const std::string_view direction = oldest_first ? "" : " DESC";
  const Parameter most = static_cast<int64_t>(limit);
  const std::vector<Walk> walks = Walks();
  Sql sql;
  for (size_t i = 0; i < walks.size(); ++i) {
    if (walks.size() > 1) sql.Add(i == 0 ? "SELECT * FROM (" : " UNION ALL SELECT * FROM (");
    sql.Add("SELECT ").Add(kColumns).Add(" FROM ");
    AddSource(walks[i], &sql);
    if (after.has_value()) {
      sql.Add(" AND (").Add(place).Add(oldest_first ? ") > (" : ") < (");
      sql.Bind(Parameter(after->started)).Add(", ").Bind(Parameter(after->id)).Add(")");
    }
    sql.Add(" ORDER BY ").Add(started).Add(direction).Add(", ").Add(id).Add(direction);
    sql.Add(" LIMIT ").Bind(most);
    if (walks.size() > 1) sql.Add(Cat(") w", i));
  }
  if (walks.size() > 1) {
    sql.Add(" ORDER BY started").Add(direction).Add(", id").Add(direction);
    sql.Add(" LIMIT ").Bind(most);
  }
  return sql;
}

Sql InstanceQuery::Count(v1::InstanceStatus status, size_t most) const {
  Sql sql;
  sql.Add("SELECT COUNT(*) FROM (SELECT 1 FROM ");
  AddSource({std::nullopt, status}, &sql);
  sql.Add(" LIMIT ").Bind(Parameter(static_cast<int64_t>(most))).Add(") c");
  return sql;
}

void AddDefinitionConditions(const InstanceFilter& filter, Sql* sql) {
  AddEqual("i.namespace", filter.namespace_, sql);
  AddEqual("i.name", filter.name, sql);
  AddEqual("i.version", filter.version, sql);
  AddLink("i.schedule", filter.schedule, sql);
  if (!filter.namespaces.empty()) AddIn("i.namespace", Texts(filter.namespaces), sql);
}

}  // namespace jaque::store
