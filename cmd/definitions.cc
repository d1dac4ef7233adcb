// SPDX-License-Identifier: Apache-2.0
#include "cmd/definitions.h"

#include <cstdio>
#include <set>

#include "absl/time/time.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "cmd/files.h"
#include "dsl/load.h"
#include "fmt/format.h"
#include "jaque/v1/command.pb.h"

namespace jaque::cmd {
namespace {

// While shards are opened, commands wait.
constexpr absl::Duration kSchedulePatience = absl::Seconds(60);

}  // namespace

absl::StatusOr<std::shared_ptr<const dsl::Workflow>> LoadDefinition(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limits::kDefinitionBytes));
  dsl::LoadResult loaded = dsl::Load(text);
  for (const dsl::Finding& finding : loaded.findings) {
    std::fprintf(stderr, "%s\n", dsl::FormatFinding(path, finding).c_str());
  }
  if (loaded.workflow != nullptr) return std::move(loaded.workflow);
  return absl::InvalidArgumentError(fmt::format("{} is not a valid definition", path));
}

absl::Status LoadDefinitions(const std::vector<std::string>& paths, Differing differing,
                             DefinitionStore* definitions) {
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::vector<std::string> files, DefinitionFiles(path));
    for (const std::string& file : files) {
      ASSIGN_OR_RETURN(std::shared_ptr<const dsl::Workflow> workflow, LoadDefinition(file));
      const std::string id = workflow->id();
      const absl::Status stored = definitions->Put(std::move(workflow));
      if (absl::IsAlreadyExists(stored) && differing == Differing::kKept) {
        LogWarn("the stored definition differs and stays: a version never changes",
                {{"definition", id}, {"file", file}});
      } else if (!stored.ok()) {
        return absl::Status(stored.code(), file + ": " + std::string(stored.message()));
      }
    }
  }
  return absl::OkStatus();
}

void SetSchedules(DefinitionStore* definitions, CommandBus* commands, IdGenerator* ids) {
  std::set<std::string> names;
  for (const std::string& id : definitions->List()) {
    const auto workflow = definitions->Get(id);
    if (!workflow.ok() || !(*workflow)->schedule.has_value()) continue;
    names.insert((*workflow)->namespace_ + "/" + (*workflow)->name);
  }
  for (const std::string& name : names) {
    v1::Command command;
    command.set_id(ids->Ulid());
    command.set_object_id("schedule/" + name);
    command.mutable_set_schedule();
    commands->Submit(command.SerializeAsString(), command.id(), kSchedulePatience,
                     [name](absl::StatusOr<std::string> bytes) {
                       v1::CommandReply reply;
                       std::string why(bytes.ok() ? "" : bytes.status().message());
                       if (bytes.ok() && reply.ParseFromString(*bytes)) why = reply.message();
                       if (!why.empty()) LogWarn("schedule not set", {{"of", name}, {"why", why}});
                     });
  }
}

}  // namespace jaque::cmd
