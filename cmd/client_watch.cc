// SPDX-License-Identifier: Apache-2.0
#include "cmd/client_watch.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "base/duration.h"
#include "cmd/exit_code.h"
#include "cmd/table.h"
#include "cmd/terminal.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

constexpr absl::Duration kLongestPause = absl::Seconds(5);

int64_t SeqOf(const Value& row, std::string_view member) {
  int64_t seq = 0;
  return absl::SimpleAtoi(TextOf(row, member), &seq) ? seq : 0;
}

TaskState StateOf(const std::string& status) {
  if (status == "running") return TaskState::kRunning;
  if (status == "waiting") return TaskState::kWaiting;
  if (status == "completed") return TaskState::kDone;
  if (status == "skipped") return TaskState::kSkipped;
  return TaskState::kFailed;
}

// What stands beside the name: which time it is, when it goes on, what went wrong.
std::string NoteOf(const Value& row) {
  std::string note;
  const auto add = [&note](const std::string& text) {
    if (!text.empty()) note += (note.empty() ? "" : "  ") + text;
  };
  if (const std::string turn = TextOf(row, "iteration"); !turn.empty()) add("#" + turn);
  if (const std::string attempt = TextOf(row, "attempt"); !attempt.empty() && attempt != "1") {
    add("attempt " + attempt);
  }
  const std::string status = TextOf(row, "status");
  if (const absl::Time due = TimeOf(row, "dueAt");
      status == "waiting" && due != absl::InfinitePast()) {
    add("until " + absl::FormatTime("%H:%M:%S", due, absl::LocalTimeZone()));
  }
  if (const Value* const error = row.Find("error"); error != nullptr) {
    const std::string detail = TextOf(*error, "detail");
    add(TextOf(*error, "title") + (detail.empty() ? "" : ": " + detail));
  } else if (status == "cancelled") {
    add("cancelled");
  }
  return Printable(note);
}

absl::Duration TookOf(const Value& row) {
  const absl::Time started = TimeOf(row, "startedAt");
  const absl::Time ended = TimeOf(row, "endedAt");
  return ended == absl::InfinitePast() ? absl::ZeroDuration() : ended - started;
}

// One watching, through as many connections as it takes.
class Watching {
 public:
  Watching(Session* session, std::string id)
      : session_(session), id_(std::move(id)), screen_(stdout, OutputTerminal()) {}

  int Run();

 private:
  bool draws() const { return session_->format() == Session::Format::kTable && OutputIsTerminal(); }
  bool OnEvent(const ServerEvent& event);
  void OnTask(const Value& row);
  void OnTick();
  absl::Status StreamOnce();
  int Conclude();

  Session* const session_;
  const std::string id_;
  TaskScreen screen_;
  TaskTree tree_;
  std::string last_id_;
  absl::Duration pause_;  // before the next connection
  std::string trouble_;   // why there is no connection
  Value outcome_;         // null: not ended yet
};

bool Watching::OnEvent(const ServerEvent& event) {
  if (!event.id.empty()) last_id_ = event.id;
  trouble_.clear();
  pause_ = absl::ZeroDuration();
  const absl::StatusOr<Value> data = ParseJson(event.data);
  if (!data.ok() || !data->is_object()) return true;
  if (session_->format() != Session::Format::kTable) {
    if (event.event != "end") std::printf("%s\n", ToJson(*data).c_str());
    std::fflush(stdout);
  } else if (event.event == "task") {
    OnTask(*data);
  }
  if (event.event == "end") outcome_ = *data;
  return outcome_.is_null();
}

void Watching::OnTask(const Value& row) {
  if (!tree_.Put(row) || draws()) return;
  std::printf("%s\n", TaskTree::PlainLine(row, absl::LocalTimeZone()).c_str());
  std::fflush(stdout);
}

void Watching::OnTick() {
  if (!draws()) return;
  screen_.Draw(tree_.Lines(), absl::Now(), trouble_);
}

absl::Status Watching::StreamOnce() {
  ApiRequest request;
  request.path = fmt::format("/api/v1/instances/{}/events", EscapeSegment(id_));
  return session_->client().Stream(
      request, last_id_, [this](const ServerEvent& event) { return OnEvent(event); },
      [this] { OnTick(); });
}

int Watching::Run() {
  ApiRequest request;
  request.path = "/api/v1/instances/" + EscapeSegment(id_);
  const absl::StatusOr<Value> instance = session_->client().Send(request);
  if (!instance.ok()) return session_->Fail(instance.status());
  if (session_->format() == Session::Format::kTable) {
    std::printf("%s  %s\n", Printable(TextOf(*instance, "definition")).c_str(), id_.c_str());
    std::fflush(stdout);
  }
  while (outcome_.is_null()) {
    const absl::Status status = StreamOnce();
    if (status.ok()) break;
    if (!absl::IsUnavailable(status)) return session_->Fail(status);
    // Broken, not refused: goes on after the last event that came.
    trouble_ = fmt::format("no connection, trying again: {}", std::string(status.message()));
    if (!draws()) std::fprintf(stderr, "jaque: %s\n", trouble_.c_str());
    pause_ = std::clamp(2 * pause_, absl::Milliseconds(200), kLongestPause);
    Pause(pause_, [this] { OnTick(); });
  }
  return Conclude();
}

int Watching::Conclude() {
  if (draws()) screen_.DrawAll(tree_.Lines(), absl::Now());
  const std::string status = TextOf(outcome_, "status");
  if (session_->format() != Session::Format::kTable) {
    std::printf("%s\n", ToJson(outcome_).c_str());
  } else {
    std::printf("%s\n", PaintState(status, session_->colors()).c_str());
    for (const char* member : {"output", "error", "reason"}) {
      const Value* const value = outcome_.Find(member);
      if (value == nullptr) continue;
      std::printf("%s\n", ToJson(*value, {.indent = 2, .colors = session_->colors()}).c_str());
    }
  }
  std::fflush(stdout);
  return status == "completed" ? kExitOk : kExitFaulted;
}

int Watch(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id;
  Session session(
      command,
      "A tree of its tasks, redrawn as they run; plain lines where standard output is no\n"
      "terminal, one JSON object a line with -o json. Ends with the instance: exit code 0 if "
      "it\ncompleted, 1 if it faulted or was cancelled.\n");
  session.Take("id", &id);
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say which instance");
  return WatchInstance(&session, id);
}

}  // namespace

bool TaskTree::Put(const Value& row) {
  const int64_t seq = SeqOf(row, "seq");
  const int64_t parent = SeqOf(row, "parent");
  const auto [at, fresh] = rows_.try_emplace(seq);
  std::string said = ToJson(row);
  if (at->second.said == said) return false;
  at->second.said = std::move(said);
  TaskLine& line = at->second.line;
  if (fresh) {
    const auto above = rows_.find(parent);
    line.depth = above != rows_.end() && parent != 0 ? above->second.line.depth + 1 : 0;
    auto& siblings = line.depth > 0 ? above->second.children : outermost_;
    siblings.insert(std::upper_bound(siblings.begin(), siblings.end(), seq), seq);
  }
  line.name = Printable(TextOf(row, "name"));
  line.state = StateOf(TextOf(row, "status"));
  line.since = TimeOf(row, "startedAt");
  line.took = TookOf(row);
  line.note = NoteOf(row);
  return true;
}

void TaskTree::AddLines(int64_t seq, std::vector<const TaskLine*>* lines) const {
  const Row& row = rows_.at(seq);
  lines->push_back(&row.line);
  for (const int64_t child : row.children) AddLines(child, lines);
}

std::vector<const TaskLine*> TaskTree::Lines() const {
  std::vector<const TaskLine*> lines;
  for (const int64_t seq : outermost_) AddLines(seq, &lines);
  return lines;
}

std::string TaskTree::PlainLine(const Value& row, absl::TimeZone zone) {
  absl::Time at = TimeOf(row, "endedAt");
  if (at == absl::InfinitePast()) at = TimeOf(row, "startedAt");
  std::string text = fmt::format("{} {:<9}  {}", absl::FormatTime("%H:%M:%E3S", at, zone),
                                 TextOf(row, "status"), Printable(TextOf(row, "pointer")));
  if (const absl::Duration took = TookOf(row); took > absl::ZeroDuration()) {
    text += "  " + DurationText(took);
  }
  if (const std::string note = NoteOf(row); !note.empty()) text += "  " + note;
  return text;
}

int WatchInstance(Session* session, const std::string& id) { return Watching(session, id).Run(); }

absl::Span<const ClientCommand> WatchCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"watch", "ID", "show the tasks of an instance as they run", &Watch},
  };
  return kCommands;
}

}  // namespace jaque::cmd
