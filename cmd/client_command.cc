// SPDX-License-Identifier: Apache-2.0
#include "cmd/client_command.h"

#include <cstdio>
#include <cstdlib>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "cmd/arguments.h"
#include "cmd/exit_code.h"
#include "cmd/files.h"
#include "cmd/terminal.h"
#include "cmd/yaml_text.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

constexpr size_t kTokenFileBytes = 64 << 10;

// Of the environment only what concerns the server: JAQUE_ID, say, is for a process that serves.
Surroundings ClientSurroundings() {
  Surroundings surroundings = SystemSurroundings();
  surroundings.environment = [](const std::string& name) -> const char* {
    static constexpr std::string_view kNames[] = {"JAQUE_SERVER", "JAQUE_CONTEXT",
                                                  "JAQUE_TOKEN_FILE", "JAQUE_CA"};
    const bool known = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    return known ? std::getenv(name.c_str()) : nullptr;
  };
  return surroundings;
}

absl::StatusOr<Session::Format> ParseFormat(const std::string& text) {
  if (text == "table") return Session::Format::kTable;
  if (text == "json") return Session::Format::kJson;
  if (text == "yaml") return Session::Format::kYaml;
  if (text == "name") return Session::Format::kName;
  return absl::InvalidArgumentError(
      fmt::format("-o: \"{}\" is none of table, json, yaml, name", text));
}

absl::StatusOr<ClientSettings> ReadSettings(const ServerFlags& flags) {
  const char* const token = std::getenv("JAQUE_TOKEN");
  ASSIGN_OR_RETURN(const ContextFile file,
                   ReadContextFile(ContextFilePath(
                       [](const std::string& name) { return std::getenv(name.c_str()); })));
  ASSIGN_OR_RETURN(const ResolvedServer resolved, ResolveServer(flags, file));
  ClientSettings settings;
  settings.server = resolved.server;
  settings.ca_file = resolved.ca_file;
  if (token != nullptr) settings.token = token;
  if (settings.token.empty() && !resolved.token_file.empty()) {
    ASSIGN_OR_RETURN(settings.token, ReadFile(resolved.token_file, kTokenFileBytes));
  }
  settings.token = std::string(absl::StripAsciiWhitespace(settings.token));
  if (settings.token.find_first_of("\r\n") != std::string::npos) {
    return absl::InvalidArgumentError("a token is one line");
  }
  return settings;
}

}  // namespace

Session::Session(const ClientCommand& command, std::string_view help)
    : command_(command),
      help_(fmt::format("jaque {}: {}\n\nUsage:\n  jaque {} {}\n{}{}", command.name,
                        command.summary, command.name, command.arguments, help.empty() ? "" : "\n",
                        help)),
      app_(std::make_unique<CLI::App>(help_, fmt::format("jaque {}", command.name))),
      now_(absl::Now()) {
  app_->set_help_flag();
}

Session::~Session() = default;

void Session::Take(const std::string& name, std::string* value) { app_->add_option(name, *value); }

void Session::Take(const std::string& name, std::vector<std::string>* values) {
  app_->add_option(name, *values);
}

void Session::AddLimit(size_t* limit) {
  app_->add_option("--limit", *limit, "how many; 0: all")->type_name("N")->group("Flags");
}

void Session::AddText(const std::string& flag, std::string* value, const std::string& type,
                      const std::string& help) {
  app_->add_option("--" + flag, *value, help)->type_name(type)->group("Flags");
}

void Session::AddList(const std::string& flag, std::vector<std::string>* values,
                      const std::string& type, const std::string& help) {
  app_->add_option("--" + flag, *values, help + "; may be repeated")
      ->allow_extra_args(false)
      ->type_name(type)
      ->group("Flags");
}

void Session::AddSwitch(const std::string& flag, bool* value, const std::string& help) {
  app_->add_flag("--" + flag, *value, help)->group("Flags");
}

std::optional<int> Session::Parse(const std::vector<std::string>& arguments) {
  const auto add = [this](const char* flag, std::string* value, const char* type,
                          const char* help) {
    app_->add_option(flag, *value, help)->type_name(type)->group("Server and output");
  };
  add("--o", &output_, "FORMAT", "table, json, yaml or name (default table)");
  add("--server", &server_.server, "URL", "of the API (default http://127.0.0.1:8080)");
  add("--context", &server_.context, "NAME", "a server of the configuration file");
  add("--token-file", &server_.token_file, "FILE", "that has the token; or JAQUE_TOKEN is it");
  add("--ca", &server_.ca_file, "FILE", "authorities (PEM) that the server is known by");
  const absl::Status parsed = ParseArguments(app_.get(), arguments, ClientSurroundings());
  if (!parsed.ok()) return ReportUsage(parsed);
  const absl::StatusOr<Format> format = ParseFormat(output_);
  if (!format.ok()) return ReportUsage(format.status());
  format_ = *format;
  colors_ = OutputHasColors();
  return std::nullopt;
}

std::optional<int> Session::Begin(const std::vector<std::string>& arguments) {
  if (const auto code = Parse(arguments)) return *code;
  const absl::StatusOr<ClientSettings> settings = ReadSettings(server_);
  if (!settings.ok()) return ReportUsage(settings.status());
  client_ = std::make_unique<Client>(*settings);
  return std::nullopt;
}

int Session::Fail(const absl::Status& status) const {
  return ReportError(status, ExitCodeOf(status));
}

int Session::Usage(const std::string& message) const {
  return ReportUsage(absl::InvalidArgumentError(
      fmt::format("{}: jaque {} {}", message, command_.name, command_.arguments)));
}

int Session::Show(const Value& value, absl::FunctionRef<std::string(const Value&)> name,
                  absl::FunctionRef<std::string()> table) const {
  std::string text;
  switch (format_) {
    case Format::kJson:
      PrintJson(ToJson(value));
      return kExitOk;
    case Format::kYaml:
      text = YamlText(value);
      break;
    case Format::kName:
      if (value.is_array()) {
        for (size_t i = 0; i < value.size(); ++i) text += name(value.at(i)) + "\n";
      } else {
        text = name(value) + "\n";
      }
      break;
    case Format::kTable:
      text = table();
      break;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return kExitOk;
}

absl::StatusOr<Value> FetchItems(Client* client, ApiRequest request, size_t limit) {
  Value items = Value::Array();
  const auto query = request.query;
  std::string cursor;
  do {
    request.query = query;
    const size_t wanted = limit == 0 ? limits::kPageItems : limit - items.size();
    request.query.emplace_back("limit", std::to_string(std::min(wanted, limits::kPageItems)));
    if (!cursor.empty()) request.query.emplace_back("cursor", cursor);
    ASSIGN_OR_RETURN(const Value page, client->Send(request));
    const Value* const found = page.is_object() ? page.Find("items") : nullptr;
    if (found == nullptr || !found->is_array()) {
      return absl::UnavailableError(client->server() + " does not answer like a jaque server");
    }
    for (size_t i = 0; i < found->size(); ++i) items.Append(found->at(i));
    cursor = page.StringOr("next", "");
  } while (!cursor.empty() && (limit == 0 || items.size() < limit));
  if (!cursor.empty()) {
    std::fprintf(stderr, "there are more than %zu: -limit 0 lists them all\n", items.size());
  }
  return items;
}

std::string TextOf(const Value& object, std::string_view member) {
  const Value* const value = object.is_object() ? object.Find(member) : nullptr;
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::string(value->AsString()) : ToJson(*value);
}

absl::Time TimeOf(const Value& object, std::string_view member) {
  absl::Time time;
  std::string error;
  const std::string text = TextOf(object, member);
  return absl::ParseTime(absl::RFC3339_full, text, &time, &error) ? time : absl::InfinitePast();
}

absl::StatusOr<std::string> ReadJsonText(const std::string& flag, const std::string& text) {
  std::string json = text;
  if (text == "-") {
    ASSIGN_OR_RETURN(json, ReadFile("-", limits::kInputBytes));
  } else if (!text.empty() && text[0] == '@') {
    ASSIGN_OR_RETURN(json, ReadFile(text.substr(1), limits::kInputBytes));
  }
  const absl::StatusOr<Value> value = ParseJson(json);
  if (value.ok()) return json;
  return absl::InvalidArgumentError(
      fmt::format("{} is no JSON: {}", flag, std::string(value.status().message())));
}

std::vector<ClientCommand> ClientCommands() {
  std::vector<ClientCommand> all;
  for (const auto& group :
       {DefinitionCommands(), InstanceCommands(), WatchCommands(), ChangeCommands(),
        EventCommands(), ScheduleCommands(), OperationCommands(), ShellCommands()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::optional<int> RunClientCommand(const std::vector<std::string>& arguments) {
  std::string siblings;
  for (const ClientCommand& command : ClientCommands()) {
    const size_t space = command.name.find(' ');
    if (command.name.substr(0, space) != arguments[0]) continue;
    if (space == std::string_view::npos) {
      return command.run(command, {arguments.begin() + 1, arguments.end()});
    }
    const std::string_view second = command.name.substr(space + 1);
    if (arguments.size() > 1 && arguments[1] == second) {
      return command.run(command, {arguments.begin() + 2, arguments.end()});
    }
    siblings += fmt::format("{}{}", siblings.empty() ? "" : ", ", second);
  }
  if (siblings.empty()) return std::nullopt;
  return ReportUsage(
      absl::InvalidArgumentError(fmt::format("jaque {}: say what: {}", arguments[0], siblings)));
}

std::string ClientCommandsHelp() {
  std::string text;
  for (const ClientCommand& command : ClientCommands()) {
    text += fmt::format("  {:<24} {}\n", command.name, command.summary);
  }
  return text;
}

}  // namespace jaque::cmd
