// SPDX-License-Identifier: Apache-2.0
// What makes the shell comfortable: completion, and contexts.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "cmd/client_command.h"
#include "cmd/exit_code.h"
#include "cmd/table.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

// Commands that talk to no server.
constexpr std::string_view kLocal[] = {"run", "validate", "expr", "token", "version", "help"};

constexpr char kBash[] = R"(# jaque completion for bash: source <(jaque completion bash)
_jaque() {
  local word=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} second=${COMP_WORDS[2]} words command
  if ((COMP_CWORD == 1)); then
    words='@FIRST@'
  else
    command=$first
    case $first in
@CASES@
    esac
  fi
  if [[ -z $words && $word == -* ]]; then
    words=$(jaque $command -help 2>/dev/null | sed -n 's/^  \(-[a-z-]*\).*/\1/p')
  elif [[ -z $words ]]; then
    case $command in
      get|watch|tasks|history|cancel|suspend|resume|retry|rerun)
        words=$(jaque list -o name -limit 100 2>/dev/null) ;;
      start|'definitions get'|'definitions versions'|'definitions diff'|'definitions delete')
        words=$(jaque definitions list -o name 2>/dev/null) ;;
      'schedules '*) words=$(jaque schedules list -o name 2>/dev/null) ;;
      'dead-letters '*) words=$(jaque dead-letters list -o name 2>/dev/null) ;;
      'context '*) words=$(jaque context list -o name 2>/dev/null) ;;
      apply|run|validate) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -o bashdefault -F _jaque jaque
)";

// zsh takes bash's function as it is.
constexpr char kZsh[] = R"(#compdef jaque
# jaque completion for zsh: source <(jaque completion zsh)
autoload -U +X bashcompinit && bashcompinit
)";

// The words that may stand first, each once.
std::vector<std::string> FirstWords() {
  std::vector<std::string> words(std::begin(kLocal), std::end(kLocal));
  std::set<std::string> seen(words.begin(), words.end());
  for (const ClientCommand& command : ClientCommands()) {
    const std::string word(command.name.substr(0, command.name.find(' ')));
    if (seen.insert(word).second) words.push_back(word);
  }
  return words;
}

// The words that may stand after `first`.
std::vector<std::string> SecondWords(const std::string& first) {
  std::vector<std::string> words;
  for (const ClientCommand& command : ClientCommands()) {
    if (command.name.rfind(first + " ", 0) == 0) {
      words.emplace_back(command.name.substr(first.size() + 1));
    }
  }
  return words;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void Replace(std::string* text, std::string_view what, const std::string& with) {
  text->replace(text->find(what), what.size(), with);
}

std::string BashText() {
  std::string cases;
  for (const std::string& first : FirstWords()) {
    const std::vector<std::string> seconds = SecondWords(first);
    if (seconds.empty()) continue;
    cases +=
        fmt::format("      {}) command=\"$first $second\"; ((COMP_CWORD == 2)) && words='{}' ;;\n",
                    first, Joined(seconds));
  }
  cases.pop_back();
  std::string text = kBash;
  Replace(&text, "@FIRST@", Joined(FirstWords()));
  Replace(&text, "@CASES@", cases);
  return text;
}

std::string FishText() {
  std::string text =
      "# jaque completion for fish: jaque completion fish | source\ncomplete -c jaque -f\n";
  text += fmt::format("complete -c jaque -n __fish_use_subcommand -a '{}'\n", Joined(FirstWords()));
  for (const std::string& first : FirstWords()) {
    const std::vector<std::string> seconds = SecondWords(first);
    if (seconds.empty()) continue;
    text += fmt::format("complete -c jaque -n '__fish_seen_subcommand_from {}' -a '{}'\n", first,
                        Joined(seconds));
  }
  text +=
      "complete -c jaque -n '__fish_seen_subcommand_from get watch tasks history cancel suspend "
      "resume retry rerun' -a '(jaque list -o name -limit 100 2>/dev/null)'\n"
      "complete -c jaque -n '__fish_seen_subcommand_from start' -a '(jaque definitions list -o "
      "name "
      "2>/dev/null)'\n"
      "complete -c jaque -n '__fish_seen_subcommand_from apply run validate' -F\n";
  return text;
}

int Completion(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string shell;
  Session session(
      command,
      "In bash: source <(jaque completion bash); in zsh: source <(jaque completion zsh); in "
      "fish:\njaque completion fish | source.\n");
  session.Take("shell", &shell);
  if (const auto code = session.Parse(arguments)) return *code;
  std::string text;
  if (shell == "bash") {
    text = BashText();
  } else if (shell == "zsh") {
    text = kZsh + BashText();
  } else if (shell == "fish") {
    text = FishText();
  } else {
    return session.Usage("say which shell");
  }
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

std::string ConfigPath() {
  return ContextFilePath([](const std::string& name) { return std::getenv(name.c_str()); });
}

int ListContexts(const ClientCommand& command, const std::vector<std::string>& arguments) {
  Session session(command);
  if (const auto code = session.Parse(arguments)) return *code;
  const absl::StatusOr<ContextFile> file = ReadContextFile(ConfigPath());
  if (!file.ok()) return session.Fail(file.status());
  Value rows = Value::Array();
  for (const auto& [name, context] : file->contexts) {
    rows.Append(Value::Object({{"name", Value::String(name)},
                               {"current", Value::Bool(name == file->current)},
                               {"server", Value::String(context.server)},
                               {"tokenFile", Value::String(context.token_file)}}));
  }
  return session.Show(
      rows, [](const Value& row) { return TextOf(row, "name"); },
      [&] {
        Table table({"CONTEXT", "CURRENT", "SERVER", "TOKEN FILE"});
        for (size_t i = 0; i < rows.size(); ++i) {
          const Value& row = rows.at(i);
          table.Add({TextOf(row, "name"), TextOf(row, "current") == "true" ? "*" : "",
                     TextOf(row, "server"), TextOf(row, "tokenFile")});
        }
        return table.empty() ? "there are none; `jaque context set NAME -server URL` makes one\n"
                             : table.Text(session.colors());
      });
}

// set, use and remove.
int ChangeContexts(const ClientCommand& command, const std::vector<std::string>& arguments) {
  const std::string verb(command.name.substr(command.name.find(' ') + 1));
  std::string name;
  Session session(command,
                  verb == "set" ? "The first one that is made is used from then on.\n" : "");
  session.Take("name", &name);
  if (const auto code = session.Parse(arguments)) return *code;
  if (name.empty()) return session.Usage("say which");
  const std::string path = ConfigPath();
  absl::StatusOr<ContextFile> file = ReadContextFile(path);
  if (!file.ok()) return session.Fail(file.status());
  if (verb == "set") {
    const ServerFlags& flags = session.server_flags();
    if (flags.server.empty()) return session.Usage("say -server URL");
    file->contexts[name] = {flags.server, flags.token_file, flags.ca_file};
    if (file->current.empty()) file->current = name;
  } else if (!file->contexts.contains(name)) {
    return session.Fail(absl::NotFoundError(fmt::format("there is no context {}", name)));
  } else if (verb == "use") {
    file->current = name;
  } else {
    file->contexts.erase(name);
    if (file->current == name) file->current.clear();
  }
  const absl::Status written = WriteContextFile(path, *file);
  if (!written.ok()) return session.Fail(written);
  std::printf("%s: %s\n", path.c_str(),
              file->current.empty() ? "no context is used"
                                    : fmt::format("{} is used", file->current).c_str());
  return kExitOk;
}

}  // namespace

absl::Span<const ClientCommand> ShellCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"completion", "bash|zsh|fish", "print what makes the shell complete jaque's words",
       &Completion},
      {"context list", "", "list the servers that you know", &ListContexts},
      {"context set", "NAME -server URL [-token-file FILE] [-ca FILE]", "remember a server",
       &ChangeContexts},
      {"context use", "NAME", "talk to this server from now on", &ChangeContexts},
      {"context remove", "NAME", "forget a server", &ChangeContexts},
  };
  return kCommands;
}

}  // namespace jaque::cmd
