// SPDX-License-Identifier: Apache-2.0
#include "cmd/store_flags.h"

#include <map>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/duration.h"
#include "base/status_macros.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

// "720h", or "faulted=2160h" for one status.
absl::Status ParseRetention(const std::string& text, store::RetentionRules* rules) {
  static const auto* const kStatuses =
      new std::map<std::string, v1::InstanceStatus>{{"completed", v1::INSTANCE_STATUS_COMPLETED},
                                                    {"faulted", v1::INSTANCE_STATUS_FAULTED},
                                                    {"cancelled", v1::INSTANCE_STATUS_CANCELLED}};
  const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  ASSIGN_OR_RETURN(const absl::Duration age, ParseGoDuration(sides.back()));
  if (sides.size() == 1) {
    rules->age = age;
    return absl::OkStatus();
  }
  const auto status = kStatuses->find(sides.front());
  if (status == kStatuses->end()) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\": instances end completed, faulted or cancelled", sides.front()));
  }
  rules->by_status[status->second] = age;
  return absl::OkStatus();
}

}  // namespace

void AddStoreFlags(CLI::App* app, StoreFlags* flags) {
  const std::string group = "The store";
  app->add_option("--store", flags->url,
                  "database of lists and histories: sqlite:PATH, sqlite::memory: or "
                  "postgres://USER@HOST/DATABASE")
      ->type_name("URL")
      ->group(group);
  app->add_option_function<std::vector<std::string>>(
         "--store-retention",
         [flags](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const absl::Status status = ParseRetention(text, &flags->retention);
             if (!status.ok()) {
               throw CLI::ValidationError("--store-retention", std::string(status.message()));
             }
           }
         },
         "delete instances so long after their end; STATUS=DURATION for one status; may be "
         "repeated "
         "(default: never)")
      ->type_name("DURATION")
      ->allow_extra_args(false)
      ->group(group);
  app->add_option("--export", flags->exports,
                  "send every fact to ndjson:PATH, webhook:URL or nats:SUBJECT too, or traces to "
                  "otlp:URL, at least once; may be repeated")
      ->type_name("URL")
      ->allow_extra_args(false)
      ->group(group);
}

std::string StoreUrl(const StoreFlags& flags, const std::string& data_dir, bool sink, bool ui) {
  if (!flags.url.empty()) return sink || ui ? flags.url : "";
  if (!data_dir.empty() && (sink || ui)) return fmt::format("sqlite:{}/store.db", data_dir);
  return sink && ui ? "sqlite::memory:" : "";
}

}  // namespace jaque::cmd
