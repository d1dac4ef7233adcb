// SPDX-License-Identifier: Apache-2.0
// jq 1.8.2 (oracle.mjs under node) as a child process that speaks lines of JSON. One thread; a
// child that does not answer in time is ended and started again.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "expression/value.h"

namespace jaque::fuzz {

struct OracleResult {
  bool compiles = true;
  bool crashed = false;
  std::vector<Value> outputs;
  std::optional<Value> error;
};

class OracleProcess {
 public:
  explicit OracleProcess(std::string script) : script_(std::move(script)) {}
  ~OracleProcess() { Stop(); }
  OracleProcess(const OracleProcess&) = delete;
  OracleProcess& operator=(const OracleProcess&) = delete;

  // Whether node and its package are there and answer.
  bool Works();
  // A result for each program; nullopt if it took too long.
  std::optional<std::vector<OracleResult>> Run(const std::string& input,
                                               const std::vector<std::string>& programs);

 private:
  bool Start();
  void Stop();
  bool WriteLine(const std::string& line);
  std::optional<std::string> ReadLine();

  std::string script_;
  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string buffer_;
};

}  // namespace jaque::fuzz
