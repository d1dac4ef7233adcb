// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::store {
namespace {

// Each is one version, of statements for both databases; {words} are the dialect's.
//
// Times are Unix microseconds, 0 for none. A task's `frame` is the engine's number of it while it
// lives, so what names a frame looks among the open ones (ended = 0). `activity` of an open task: 1
// works outside, 2 waits for time or an event, 0 neither; it decides whether the instance runs or
// waits.
constexpr std::string_view kFirst[] = {
    R"(CREATE TABLE instances (
              id {text} PRIMARY KEY, shard BIGINT NOT NULL, definition {text} NOT NULL,
              namespace {text} NOT NULL, name {text} NOT NULL, version {text} NOT NULL,
              status BIGINT NOT NULL, suspended BIGINT NOT NULL,
              started BIGINT NOT NULL, updated BIGINT NOT NULL, ended BIGINT NOT NULL,
              parent {text} NOT NULL, rerun_of {text} NOT NULL, schedule {text} NOT NULL,
              actor {text} NOT NULL, tags {text} NOT NULL,
              error_title {text} NOT NULL, error_detail {text} NOT NULL,
              error_task {text} NOT NULL, reason {text} NOT NULL,
              first_seq BIGINT NOT NULL, last_seq BIGINT NOT NULL, end_seq BIGINT NOT NULL))",
    "CREATE INDEX instances_started ON instances (started, id)",
    "CREATE INDEX instances_status ON instances (status, started, id)",
    "CREATE INDEX instances_namespace ON instances (namespace, status, started, id)",
    "CREATE INDEX instances_name ON instances (namespace, name, status, started, id)",
    "CREATE INDEX instances_definition ON instances (definition, status, started, id)",
    "CREATE INDEX instances_ended ON instances (status, ended) WHERE ended > 0",
    "CREATE INDEX instances_parent ON instances (parent, started, id) WHERE parent <> ''",
    "CREATE INDEX instances_rerun ON instances (rerun_of, started, id) WHERE rerun_of <> ''",
    "CREATE INDEX instances_schedule ON instances (schedule, started, id)"
    " WHERE schedule <> ''",

    // What text search and filters by tag look for: words in lower case, "#key␟value".
    R"(CREATE TABLE terms (
              term {text} NOT NULL, started BIGINT NOT NULL, instance {text} NOT NULL,
              PRIMARY KEY (term, started, instance)) {clustered})",
    "CREATE INDEX terms_instance ON terms (instance, term)",

    R"(CREATE TABLE history (
              instance {text} NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL,
              epoch BIGINT NOT NULL, kind {text} NOT NULL, task BIGINT NOT NULL,
              event {blob} NOT NULL, PRIMARY KEY (instance, seq)) {clustered})",

    // Not clustered: SQLite would read all tasks of an instance, not use the partial indexes.
    R"(CREATE TABLE tasks (
              instance {text} NOT NULL, seq BIGINT NOT NULL, frame BIGINT NOT NULL,
              parent_frame BIGINT NOT NULL, parent BIGINT NOT NULL, task BIGINT NOT NULL,
              iteration BIGINT NOT NULL, attempt BIGINT NOT NULL,
              inner_iteration BIGINT NOT NULL, inner_attempt BIGINT NOT NULL,
              status {text} NOT NULL, activity BIGINT NOT NULL,
              started BIGINT NOT NULL, ended BIGINT NOT NULL, due BIGINT NOT NULL,
              changed BIGINT NOT NULL, error_title {text} NOT NULL, error_detail {text} NOT NULL,
              PRIMARY KEY (instance, seq)))",
    "CREATE INDEX tasks_changed ON tasks (instance, changed)",
    "CREATE INDEX tasks_frame ON tasks (instance, frame) WHERE ended = 0",
    "CREATE INDEX tasks_parent ON tasks (instance, parent_frame) WHERE ended = 0",
    "CREATE INDEX tasks_active ON tasks (instance, activity) WHERE activity > 0",

    R"(CREATE TABLE attempts (
              instance {text} NOT NULL, seq BIGINT NOT NULL, task BIGINT NOT NULL,
              attempt BIGINT NOT NULL, due BIGINT NOT NULL, started BIGINT NOT NULL,
              PRIMARY KEY (instance, seq)))",
    "CREATE INDEX attempts_open ON attempts (instance, attempt) WHERE started = 0",
    R"(CREATE TABLE failures (
              instance {text} NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL,
              pointer {text} NOT NULL, type {text} NOT NULL, status BIGINT NOT NULL,
              title {text} NOT NULL, detail {text} NOT NULL,
              PRIMARY KEY (instance, seq)) {clustered})",
    R"(CREATE TABLE consumed (
              source {text} NOT NULL, event {text} NOT NULL, instance {text} NOT NULL,
              seq BIGINT NOT NULL, at BIGINT NOT NULL, task BIGINT NOT NULL,
              PRIMARY KEY (source, event, instance, seq)) {clustered})",
    "CREATE INDEX consumed_instance ON consumed (instance)",

    R"(CREATE TABLE definitions (
              id {text} PRIMARY KEY, namespace {text} NOT NULL, name {text} NOT NULL,
              version {text} NOT NULL, source {text} NOT NULL))",
    R"(CREATE TABLE definition_tasks (
              definition {text} NOT NULL, task BIGINT NOT NULL, pointer {text} NOT NULL,
              name {text} NOT NULL, kind {text} NOT NULL,
              PRIMARY KEY (definition, task)) {clustered})",

    R"(CREATE TABLE schedules (
              id {text} PRIMARY KEY, namespace {text} NOT NULL, name {text} NOT NULL,
              definition {text} NOT NULL, paused BIGINT NOT NULL, reason {text} NOT NULL,
              next_due BIGINT NOT NULL, last_due BIGINT NOT NULL, last_instance {text} NOT NULL,
              fired BIGINT NOT NULL, updated BIGINT NOT NULL))",

    R"(CREATE TABLE positions (
              output {text} NOT NULL, shard BIGINT NOT NULL, sequence BIGINT NOT NULL,
              epoch BIGINT NOT NULL, at BIGINT NOT NULL, engine {text} NOT NULL,
              PRIMARY KEY (output, shard)))",
    R"(CREATE TABLE openings (
              shard BIGINT NOT NULL, seq BIGINT NOT NULL, epoch BIGINT NOT NULL,
              engine {text} NOT NULL, at BIGINT NOT NULL, unclean BIGINT NOT NULL,
              PRIMARY KEY (shard, seq)))",
    "CREATE INDEX openings_at ON openings (at, shard, seq)",

    R"(CREATE TABLE audit (
              id {serial}, at BIGINT NOT NULL, actor {text} NOT NULL, address {text} NOT NULL,
              method {text} NOT NULL, path {text} NOT NULL, object {text} NOT NULL,
              status BIGINT NOT NULL))",
};

const std::vector<absl::Span<const std::string_view>>& Versions() {
  static const auto* const versions = new std::vector<absl::Span<const std::string_view>>{kFirst};
  return *versions;
}

std::string InDialect(std::string_view sql, const Dialect& dialect) {
  const auto part = [](std::string_view text) {
    return absl::string_view(text.data(), text.size());
  };
  return absl::StrReplaceAll(part(sql), {{"{text}", part(dialect.text)},
                                         {"{blob}", part(dialect.blob)},
                                         {"{serial}", part(dialect.serial)},
                                         {"{clustered}", part(dialect.clustered)}});
}

absl::Status MigrateTo(int64_t version, Database* database) {
  const Dialect& dialect = database->dialect();
  std::vector<std::string> texts;
  for (const std::string_view sql : Versions()[version - 1]) {
    texts.push_back(InDialect(sql, dialect));
  }
  std::vector<Statement> statements;
  if (!dialect.lock_schema.empty()) statements.push_back({dialect.lock_schema});
  statements.push_back({"INSERT INTO schema_version (version) VALUES ($1) ON CONFLICT DO NOTHING",
                        {version},
                        /*must_change=*/true});
  for (const std::string& sql : texts) statements.push_back({sql});
  return database->Write(statements).status();
}

}  // namespace

absl::Status Migrate(Database* database) {
  std::vector<Statement> begin;
  const std::string_view lock = database->dialect().lock_schema;
  if (!lock.empty()) begin.push_back({lock});
  begin.push_back({"CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)"});
  RETURN_IF_ERROR(database->Write(begin).status());
  int64_t version = 0;
  RETURN_IF_ERROR(database->Read({"SELECT COALESCE(MAX(version), 0) FROM schema_version"},
                                 [&](const Row& row) { version = row.Int(0); }));
  const auto ours = static_cast<int64_t>(Versions().size());
  if (version > ours) {
    return absl::FailedPreconditionError(Cat("the store's tables are of version ", version,
                                             ", this jaque knows ", ours,
                                             ": it has been used by a newer one"));
  }
  while (version < ours) {
    const absl::Status status = MigrateTo(++version, database);
    if (!status.ok() && !absl::IsAborted(status)) return status;  // aborted: another one was first
  }
  return absl::OkStatus();
}

}  // namespace jaque::store
