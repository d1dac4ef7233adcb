// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"
#include "base/status_macros.h"
#include "cmd/client_command.h"
#include "cmd/table.h"
#include "fmt/format.h"

namespace jaque::cmd {

bool FilterFlags::empty() const {
  return namespace_.empty() && name.empty() && version.empty() && text.empty() && parent.empty() &&
         rerun_of.empty() && schedule.empty() && since.empty() && statuses.empty() && tags.empty();
}

void AddFilterFlags(Session* session, FilterFlags* filter) {
  session->AddText("namespace", &filter->namespace_, "NAME", "of the definition");
  session->AddText("name", &filter->name, "NAME", "of the definition; needs -namespace");
  session->AddText("version", &filter->version, "VERSION", "of the definition; needs -name");
  session->AddList("status", &filter->statuses, "STATUS",
                   "pending, running, waiting, suspended, cancelled, faulted or completed");
  session->AddList("tag", &filter->tags, "KEY[:VALUE]", "that it has");
  session->AddText("q", &filter->text, "WORDS", "of its id, name, tags or error");
  session->AddText("parent", &filter->parent, "ID", "of the instance that started it");
  session->AddText("rerun-of", &filter->rerun_of, "ID", "of the instance that it does again");
  session->AddText("schedule", &filter->schedule, "NAMESPACE/NAME", "that started it");
  session->AddText("since", &filter->since, "DURATION", "started no longer ago than 30m, 24h …");
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> FilterQuery(
    const FilterFlags& filter, absl::Time now) {
  std::vector<std::pair<std::string, std::string>> query;
  const auto add = [&query](const char* name, const std::string& value) {
    if (!value.empty()) query.emplace_back(name, value);
  };
  add("namespace", filter.namespace_);
  add("name", filter.name);
  add("version", filter.version);
  for (const std::string& status : filter.statuses) add("status", status);
  for (const std::string& tag : filter.tags) add("tag", tag);
  add("q", filter.text);
  add("parent", filter.parent);
  add("rerunOf", filter.rerun_of);
  add("schedule", filter.schedule);
  if (!filter.since.empty()) {
    const absl::StatusOr<absl::Duration> since = ParseGoDuration(filter.since);
    if (!since.ok()) {
      return absl::InvalidArgumentError("-since: " + std::string(since.status().message()));
    }
    add("startedAfter", absl::FormatTime(absl::RFC3339_full, now - *since, absl::UTCTimeZone()));
  }
  return query;
}

absl::StatusOr<Value> FilterObject(const FilterFlags& filter, absl::Time now) {
  ASSIGN_OR_RETURN(const auto query, FilterQuery(filter, now));
  Value object = Value::Object();
  for (const auto& [name, value] : query) {
    if (name != "status" && name != "tag") {
      object.Set(name, Value::String(value));
      continue;
    }
    const Value* const before = object.Find(name);
    Value list = before != nullptr ? *before : Value::Array();
    list.Append(Value::String(value));
    object.Set(name, list);
  }
  return object;
}

std::string InstanceTable(const Value& items, const Session& session) {
  Table table({"ID", "DEFINITION", "STATUS", "STARTED", "TOOK", "TAGS", "NOTE"});
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& row = items.at(i);
    const absl::Time started = TimeOf(row, "startedAt");
    const absl::Time ended = TimeOf(row, "endedAt");
    std::string tags;
    if (const Value* const all = row.Find("tags"); all != nullptr && all->is_object()) {
      for (const std::string_view key : all->Keys()) {
        tags += fmt::format("{}{}:{}", tags.empty() ? "" : " ", key, TextOf(*all, key));
      }
    }
    const Value* const error = row.Find("error");
    table.Add({TextOf(row, "id"), TextOf(row, "definition"), TextOf(row, "status"),
               RelativeTime(started, session.now()),
               ended == absl::InfinitePast() ? "" : DurationText(ended - started), tags,
               error != nullptr ? TextOf(*error, "title") : TextOf(row, "reason")});
  }
  return table.empty() ? "there are none\n" : table.Text(session.colors());
}

}  // namespace jaque::cmd
