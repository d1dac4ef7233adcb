// SPDX-License-Identifier: Apache-2.0
// What the commands that talk to a server share: their table, flags, the client, the ways to print.
// Each group of commands is a file client_*.cc with a list of its own here. Main thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cmd/client.h"
#include "cmd/contexts.h"

namespace CLI {
class App;
}

namespace jaque::cmd {

struct ClientCommand {
  std::string_view name;       // "start", "schedules pause"
  std::string_view arguments;  // "ID..."
  std::string_view summary;
  int (*run)(const ClientCommand& command, const std::vector<std::string>& arguments);
};

absl::Span<const ClientCommand> InstanceCommands();
absl::Span<const ClientCommand> ChangeCommands();
absl::Span<const ClientCommand> WatchCommands();
absl::Span<const ClientCommand> DefinitionCommands();
absl::Span<const ClientCommand> EventCommands();
absl::Span<const ClientCommand> ScheduleCommands();
absl::Span<const ClientCommand> OperationCommands();
absl::Span<const ClientCommand> ShellCommands();
// All of them, in the order of the help.
std::vector<ClientCommand> ClientCommands();

// Runs the command whose words `arguments` begin with; nullopt if there is none.
std::optional<int> RunClientCommand(const std::vector<std::string>& arguments);

// "  start NAMESPACE/NAME   start an instance" for each, for `jaque help`.
std::string ClientCommandsHelp();

// One run of a command: its command line, then its conversation.
class Session {
 public:
  enum class Format { kTable, kJson, kYaml, kName };

  // `help`: what is said below the usage.
  explicit Session(const ClientCommand& command, std::string_view help = "");

  ~Session();

  // A positional argument.
  void Take(const std::string& name, std::string* value);
  void Take(const std::string& name, std::vector<std::string>* values);
  void AddText(const std::string& flag, std::string* value, const std::string& type,
               const std::string& help);
  void AddList(const std::string& flag, std::vector<std::string>* values, const std::string& type,
               const std::string& help);
  void AddLimit(size_t* limit);  // -limit: how many rows; 0: all
  void AddSwitch(const std::string& flag, bool* value, const std::string& help);

  // Reads the command line; the exit code if there is nothing more to do.
  std::optional<int> Begin(const std::vector<std::string>& arguments);
  // The same without a server to talk to.
  std::optional<int> Parse(const std::vector<std::string>& arguments);

  const ServerFlags& server_flags() const { return server_; }
  Client& client() { return *client_; }
  Format format() const { return format_; }
  bool colors() const { return colors_; }
  absl::Time now() const { return now_; }

  // Says what went wrong; the exit code.
  int Fail(const absl::Status& status) const;
  int Usage(const std::string& message) const;
  // Prints a value as -o says: `name` for each item of an array, `table` for people.
  int Show(const Value& value, absl::FunctionRef<std::string(const Value&)> name,
           absl::FunctionRef<std::string()> table) const;

 private:
  const ClientCommand& command_;
  const std::string help_;
  const std::unique_ptr<CLI::App> app_;  // declared only: CLI11 is slow to compile
  ServerFlags server_;
  std::string output_ = "table";
  Format format_ = Format::kTable;
  bool colors_ = false;
  absl::Time now_;
  std::unique_ptr<Client> client_;
};

// The items of a list, page after page, up to `limit` (0: all). Says on standard error that there
// are more.
absl::StatusOr<Value> FetchItems(Client* client, ApiRequest request, size_t limit);

// A member as text: strings as they are, other values as JSON, "" if it is absent.
std::string TextOf(const Value& object, std::string_view member);
// A member that is a time of RFC 3339; InfinitePast if it is absent.
absl::Time TimeOf(const Value& object, std::string_view member);
// JSON, "@FILE" or "-" for standard input, as JSON text.
absl::StatusOr<std::string> ReadJsonText(const std::string& flag, const std::string& text);

// Which instances: the flags of `list` and of changes in bulk.
struct FilterFlags {
  std::string namespace_, name, version, text, parent, rerun_of, schedule, since;
  std::vector<std::string> statuses, tags;

  bool empty() const;
};
void AddFilterFlags(Session* session, FilterFlags* filter);
// As parameters of a list, or as the object of a bulk request.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> FilterQuery(
    const FilterFlags& filter, absl::Time now);
absl::StatusOr<Value> FilterObject(const FilterFlags& filter, absl::Time now);

std::string InstanceTable(const Value& items, const Session& session);

}  // namespace jaque::cmd
