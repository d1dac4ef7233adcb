// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server for tests, in a folder of its own, run by an unprivileged user (it refuses
// root). One thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tests/support/temp_folder.h"

namespace jaque::testing {

class PostgresServer {
 public:
  // Starts it; `status` says whether that worked.
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // NotFound: it is not installed.
  const absl::Status& status() const { return status_; }
  // Of a place of its own for each name: letters and digits.
  std::string Url(const std::string& name) const;

 private:
  absl::Status Run(const std::string& words) const;
  absl::Status Start();

  TempFolder folder_;
  std::string binaries_;
  absl::Status status_;
};

}  // namespace jaque::testing
