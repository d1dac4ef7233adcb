// SPDX-License-Identifier: Apache-2.0
// apply, and what is asked of definitions.
#include <cstdio>

#include "base/limits.h"
#include "cmd/client_command.h"
#include "cmd/exit_code.h"
#include "cmd/files.h"
#include "cmd/table.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string Id(const Value& item) { return TextOf(item, "id"); }

// "namespace/name[:version]" as path and version.
struct Reference {
  std::string path, version;
};
absl::StatusOr<Reference> ParseReference(const std::string& text) {
  const size_t slash = text.find('/');
  const size_t colon = std::min(text.find(':'), text.size());
  if (slash == std::string::npos || slash == 0 || slash + 1 >= colon) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\": write NAMESPACE/NAME or NAMESPACE/NAME:VERSION", text));
  }
  return Reference{fmt::format("/api/v1/definitions/{}/{}", EscapeSegment(text.substr(0, slash)),
                               EscapeSegment(text.substr(slash + 1, colon - slash - 1))),
                   colon < text.size() ? text.substr(colon + 1) : ""};
}

absl::StatusOr<Value> ApplyFile(Client* client, const std::string& file, bool dry_run) {
  const absl::StatusOr<std::string> text = ReadFile(file, limits::kDefinitionBytes);
  if (!text.ok()) return text.status();
  ApiRequest request;
  request.method = "POST";
  request.path = "/api/v1/definitions";
  request.content_type = "application/yaml";
  request.body = *text;
  if (dry_run) request.query.emplace_back("dryRun", "true");
  return client->Send(request);
}

int Apply(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  bool dry_run = false;
  Session session(
      command,
      "Files, folders (their .yaml, .yml and .json files) or - for standard input. The same "
      "text again\nchanges nothing; another text under the same version is refused.\n");
  session.Take("paths", &paths);
  session.AddSwitch("dry-run", &dry_run, "only say what is wrong");
  if (const auto code = session.Begin(arguments)) return *code;
  if (paths.empty()) return session.Usage("say which files");
  Value stored = Value::Array();
  int code = kExitOk;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> files =
        path == "-" ? std::vector<std::string>{path} : DefinitionFiles(path);
    if (!files.ok()) {
      code = session.Fail(absl::InvalidArgumentError(std::string(files.status().message())));
      continue;
    }
    for (const std::string& file : *files) {
      const absl::StatusOr<Value> answer = ApplyFile(&session.client(), file, dry_run);
      if (!answer.ok()) {
        code = session.Fail(
            absl::Status(answer.status().code(),
                         fmt::format("{}: {}", file, std::string(answer.status().message()))));
        continue;
      }
      const Value* const definition = answer->Find("definition");
      stored.Append(dry_run && definition != nullptr ? *definition : *answer);
    }
  }
  session.Show(stored, Id, [&] {
    std::string text;
    for (size_t i = 0; i < stored.size(); ++i) {
      text += fmt::format("{} {}\n", Id(stored.at(i)), dry_run ? "is valid" : "applied");
    }
    return text;
  });
  return code;
}

std::string DefinitionTable(const Value& items, const Session& session) {
  Table table({"DEFINITION", "TASKS", "LATEST", "SCHEDULE", "TITLE"});
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& row = items.at(i);
    table.Add({Id(row), TextOf(row, "tasks"), TextOf(row, "latest") == "true" ? "yes" : "",
               TextOf(row, "schedule"), TextOf(row, "title")});
  }
  return table.empty() ? "there are none\n" : table.Text(session.colors());
}

int List(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string namespace_, name, words;
  bool latest = false;
  size_t limit = 0;
  Session session(command);
  session.AddText("namespace", &namespace_, "NAME", "only of this one");
  session.AddText("name", &name, "NAME", "only of this one; needs -namespace");
  session.AddText("q", &words, "WORDS", "that stand in id, title or summary");
  session.AddSwitch("latest", &latest, "only the newest version of each");
  session.AddLimit(&limit);
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/definitions";
  if (!namespace_.empty()) request.query.emplace_back("namespace", namespace_);
  if (!name.empty()) request.query.emplace_back("name", name);
  if (!words.empty()) request.query.emplace_back("q", words);
  if (latest) request.query.emplace_back("latest", "true");
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, limit);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(*items, Id, [&] { return DefinitionTable(*items, session); });
}

int Get(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string text;
  Session session(command, "Its text, as it was applied; -o json has it parsed as well.\n");
  session.Take("definition", &text);
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<Reference> reference = ParseReference(text);
  if (!reference.ok()) return session.Fail(reference.status());
  ApiRequest request;
  request.path = reference->path;
  if (!reference->version.empty()) request.query.emplace_back("version", reference->version);
  const absl::StatusOr<Value> definition = session.client().Send(request);
  if (!definition.ok()) return session.Fail(definition.status());
  return session.Show(*definition, Id, [&] {
    std::string source = TextOf(*definition, "source");
    if (!source.empty() && source.back() != '\n') source += '\n';
    return source;
  });
}

int Versions(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string text;
  Session session(command);
  session.Take("definition", &text);
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<Reference> reference = ParseReference(text);
  if (!reference.ok()) return session.Fail(reference.status());
  ApiRequest request;
  request.path = reference->path + "/versions";
  const absl::StatusOr<Value> page = session.client().Send(request);
  if (!page.ok()) return session.Fail(page.status());
  const Value* const items = page->Find("items");
  const Value rows = items != nullptr ? *items : Value::Array();
  return session.Show(rows, Id, [&] { return DefinitionTable(rows, session); });
}

int Diff(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string text, from, to;
  Session session(command, "As `diff -u`; -o json has what changed in the tree of tasks too.\n");
  session.Take("definition", &text);
  session.Take("from", &from);
  session.Take("to", &to);
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<Reference> reference = ParseReference(text);
  if (!reference.ok()) return session.Fail(reference.status());
  if (from.empty() || to.empty()) return session.Usage("say which versions");
  ApiRequest request;
  request.path = reference->path + "/diff";
  request.query = {{"from", from}, {"to", to}};
  const absl::StatusOr<Value> diff = session.client().Send(request);
  if (!diff.ok()) return session.Fail(diff.status());
  return session.Show(
      *diff, [](const Value& all) { return TextOf(all, "to"); },
      [&] { return TextOf(*diff, "unified"); });
}

int Delete(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string text;
  Session session(command, "Instances that run go on.\n");
  session.Take("definition", &text);
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<Reference> reference = ParseReference(text);
  if (!reference.ok()) return session.Fail(reference.status());
  if (reference->version.empty()) {
    return session.Usage("say which version: NAMESPACE/NAME:VERSION");
  }
  ApiRequest request;
  request.method = "DELETE";
  request.path = reference->path;
  request.query.emplace_back("version", reference->version);
  const absl::StatusOr<Value> deleted = session.client().Send(request);
  if (!deleted.ok()) return session.Fail(deleted.status());
  std::printf("%s deleted\n", text.c_str());
  return kExitOk;
}

}  // namespace

absl::Span<const ClientCommand> DefinitionCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"apply", "FILE... [-dry-run]", "submit definitions to a server", &Apply},
      {"definitions list", "[flags]", "list definitions", &List},
      {"definitions get", "NAMESPACE/NAME[:VERSION]", "print a definition", &Get},
      {"definitions versions", "NAMESPACE/NAME", "list the versions of a definition", &Versions},
      {"definitions diff", "NAMESPACE/NAME FROM TO", "compare two versions", &Diff},
      {"definitions delete", "NAMESPACE/NAME:VERSION", "delete a version", &Delete},
  };
  return kCommands;
}

}  // namespace jaque::cmd
