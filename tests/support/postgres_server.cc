// SPDX-License-Identifier: Apache-2.0
#include "tests/support/postgres_server.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::testing {

PostgresServer::PostgresServer() : status_(Start()) {}

PostgresServer::~PostgresServer() {
  if (status_.ok()) {
    Run(Cat("pg_ctl -D ", folder_.path(), "/data -m immediate -w stop")).IgnoreError();
  }
}

absl::Status PostgresServer::Run(const std::string& words) const {
  const std::string user = geteuid() == 0 ? "runuser -u postgres -- " : "";
  const std::string line = Cat("cd ", folder_.path(), " && ", user, binaries_, "/", words, " >",
                               folder_.path(), "/said 2>&1 </dev/null");
  if (std::system(line.c_str()) == 0) return absl::OkStatus();
  return absl::InternalError(Cat("failed: ", line));
}

absl::Status PostgresServer::Start() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    if (std::filesystem::exists(entry.path() / "bin" / "initdb")) {
      binaries_ = (entry.path() / "bin").string();
    }
  }
  if (binaries_.empty()) return absl::NotFoundError("the PostgreSQL server is not installed");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  RETURN_IF_ERROR(
      Run(Cat("initdb -D ", folder_.path(), "/data -U jaque -A trust -E UTF8 --locale C -N")));
  return Run(Cat("pg_ctl -D ", folder_.path(), "/data -w -l ", folder_.path(),
                 "/log -o \"-h '' -k ", folder_.path(), " -c fsync=off\" start"));
}

std::string PostgresServer::Url(const std::string& name) const {
  Run(Cat("psql -h ", folder_.path(), " -U jaque -d postgres -c 'CREATE DATABASE ", name, "'"))
      .IgnoreError();  // it is there already
  return Cat("postgres://jaque@/", name, "?host=", folder_.path());
}

}  // namespace jaque::testing
