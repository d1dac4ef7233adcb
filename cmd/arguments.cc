// SPDX-License-Identifier: Apache-2.0
#include "cmd/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "cmd/files.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

bool TakesValue(const CLI::Option& option) { return option.get_expected_max() > 0; }
bool IsRepeatable(const CLI::Option& option) { return option.get_expected_max() > 1; }

const CLI::Option* Find(const CLI::App& app, const std::string& flag) {
  return app.get_option_no_throw("--" + flag);
}

// The arguments as CLI11 wants them, and where each came from.
class Collector {
 public:
  Collector(const CLI::App& app, const Surroundings& surroundings)
      : app_(app), surroundings_(surroundings) {}

  absl::Status AddCommandLine(const std::vector<std::string>& arguments);
  void AddEnvironment();
  absl::Status AddConfig();

  // Flags first, then what stands alone.
  std::vector<std::string> Arguments() const {
    std::vector<std::string> all = flags_;
    all.push_back("--");
    all.insert(all.end(), positionals_.begin(), positionals_.end());
    return all;
  }
  // CLI11's message begins with --flag; says instead where its value came from: "-shards",
  // "JAQUE_SHARDS", "jaque.conf:3".
  std::string Explain(std::string message) const {
    for (const auto& [flag, origin] : origins_) {
      const std::string name = "--" + flag + ":";
      if (message.rfind(name, 0) != 0) continue;
      return origin + (origin == "-" + flag ? ":" : ": " + flag + ":") +
             message.substr(name.size());
    }
    return message;
  }

 private:
  absl::Status AddFlag(const std::vector<std::string>& arguments, size_t* position);
  void Add(const std::string& flag, const std::string& value, const std::string& origin) {
    flags_.push_back(fmt::format("--{}={}", flag, value));
    origins_[flag] = origin;
  }
  absl::Status AddConfigLine(std::string_view line, const std::string& place);
  absl::Status CheckPositionals() const;

  const CLI::App& app_;
  const Surroundings& surroundings_;
  std::vector<std::string> flags_, positionals_;
  std::map<std::string, std::string> origins_;
  std::set<std::string> from_config_;
  std::string config_;
};

absl::Status Collector::AddFlag(const std::vector<std::string>& arguments, size_t* position) {
  std::string text = arguments[*position];
  text.erase(0, text[1] == '-' ? 2 : 1);
  const size_t equals = std::min(text.find('='), text.size());
  const std::string flag = text.substr(0, equals);
  const CLI::Option* option = Find(app_, flag);
  if (option == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("unknown flag -{}; {} -help lists them", flag, app_.get_name()));
  }
  std::string value;
  if (equals < text.size()) {
    value = text.substr(equals + 1);
  } else if (!TakesValue(*option)) {
    value = "true";
  } else if (*position + 1 < arguments.size()) {
    value = arguments[++*position];
  } else {
    return absl::InvalidArgumentError(fmt::format("flag -{} needs a value", flag));
  }
  if (flag == "config") config_ = value;
  Add(flag, value, "-" + flag);
  return absl::OkStatus();
}

absl::Status Collector::AddCommandLine(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      positionals_.insert(positionals_.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (argument == "-h" || argument == "-help" || argument == "--help") {
      return absl::CancelledError(HelpText(app_));
    }
    if (argument.size() < 2 || argument[0] != '-') {
      positionals_.push_back(argument);
      continue;
    }
    RETURN_IF_ERROR(AddFlag(arguments, &i));
  }
  return CheckPositionals();
}

absl::Status Collector::CheckPositionals() const {
  size_t room = 0;
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_positional()) room += static_cast<size_t>(option->get_expected_max());
  }
  if (positionals_.size() <= room) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" is one argument too many (a value follows its flag); {} -help says more",
                  positionals_[room], app_.get_name()));
}

void Collector::AddEnvironment() {
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& flag : option->get_lnames()) {
      const std::string name = EnvironmentName(flag);
      const char* value = surroundings_.environment(name);
      if (value == nullptr || *value == '\0' || origins_.contains(flag)) continue;
      if (flag == "config") config_ = value;
      if (!IsRepeatable(*option)) {
        Add(flag, value, name);
        continue;
      }
      for (const absl::string_view part : absl::StrSplit(value, ',')) {
        Add(flag, std::string(absl::StripAsciiWhitespace(part)), name);
      }
    }
  }
}

absl::Status Collector::AddConfigLine(std::string_view line, const std::string& place) {
  std::string text(absl::StripAsciiWhitespace(absl::string_view(line.data(), line.size())));
  if (text.empty() || text[0] == '#') return absl::OkStatus();
  const size_t colon = text.find_first_of(":=");
  if (colon == std::string::npos) {
    return absl::InvalidArgumentError(fmt::format("{}: write \"flag: value\"", place));
  }
  std::string flag(absl::StripAsciiWhitespace(text.substr(0, colon)));
  std::string value(absl::StripAsciiWhitespace(text.substr(colon + 1)));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  const CLI::Option* option = Find(app_, flag);
  if (option == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("{}: unknown flag \"{}\"; {} -help lists them", place, flag, app_.get_name()));
  }
  // What the command line or the environment says counts alone.
  if (origins_.contains(flag) && !from_config_.contains(flag)) return absl::OkStatus();
  if (from_config_.contains(flag) && !IsRepeatable(*option)) {
    return absl::InvalidArgumentError(fmt::format("{}: \"{}\" stands twice", place, flag));
  }
  from_config_.insert(flag);
  Add(flag, value, place);
  return absl::OkStatus();
}

absl::Status Collector::AddConfig() {
  if (config_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string text, surroundings_.read_file(config_));
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    RETURN_IF_ERROR(AddConfigLine(std::string(line), fmt::format("{}:{}", config_, ++number)));
  }
  return absl::OkStatus();
}

// `text` in lines of up to 70 columns, each after the first indented below it.
std::string Wrapped(const std::string& text) {
  std::string out;
  size_t columns = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (columns + word.size() > 70) {
      out += fmt::format("\n{:30}", "");
      columns = 0;
    } else if (!out.empty()) {
      out += ' ';
      ++columns;
    }
    out.append(word.data(), word.size());
    columns += word.size();
  }
  return out;
}

// "  -flag VALUE    what it does (default …)"
std::string FlagHelp(const CLI::Option& option) {
  std::string head = "-" + option.get_lnames().front();
  if (TakesValue(option)) head += " " + option.get_type_name();
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) {
    text += fmt::format(" (default {})", option.get_default_str());
  }
  const std::string wrapped = Wrapped(text);
  if (head.size() > 26) return fmt::format("  {}\n{:30}{}\n", head, "", wrapped);
  return fmt::format("  {:<28}{}\n", head, wrapped);
}

}  // namespace

Surroundings SystemSurroundings() {
  return {[](const std::string& name) { return std::getenv(name.c_str()); },
          [](const std::string& path) { return ReadFile(path, kConfigBytes); }};
}

std::string EnvironmentName(std::string_view flag) {
  std::string name = "JAQUE_";
  for (const char c : flag) name += c == '-' ? '_' : absl::ascii_toupper(c);
  return name;
}

std::string HelpText(const CLI::App& app) {
  std::string text = app.get_description();
  for (const std::string& group : app.get_groups()) {
    std::string flags;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group && option->nonpositional()) flags += FlagHelp(*option);
    }
    if (!flags.empty()) text += "\n" + group + ":\n" + flags;
  }
  text += "\n" + app.get_footer();
  if (text.back() != '\n') text += '\n';
  return text;
}

absl::Status ParseArguments(CLI::App* app, const std::vector<std::string>& arguments,
                            const Surroundings& surroundings) {
  Collector collector(*app, surroundings);
  RETURN_IF_ERROR(collector.AddCommandLine(arguments));
  collector.AddEnvironment();
  RETURN_IF_ERROR(collector.AddConfig());
  std::vector<std::string> all = collector.Arguments();
  std::reverse(all.begin(), all.end());  // CLI11 takes them from the back
  try {
    app->parse(std::move(all));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(collector.Explain(error.what()));
  }
  return absl::OkStatus();
}

}  // namespace jaque::cmd
