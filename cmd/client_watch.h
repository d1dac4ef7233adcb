// SPDX-License-Identifier: Apache-2.0
// `jaque watch`: the tasks of an instance as they run, from the server's stream: a tree that is
// redrawn in place on a terminal, plain lines elsewhere. TaskTree has what the stream said. Main
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cmd/client_command.h"
#include "cmd/task_screen.h"

namespace jaque::cmd {

// Watches to its end; the exit code of the process.
int WatchInstance(Session* session, const std::string& id);

class TaskTree {
 public:
  // A row of the API, new or changed. False: it says nothing new.
  bool Put(const Value& row);
  // The lines in the order of the tree.
  std::vector<const TaskLine*> Lines() const;
  // "12:00:01.250 completed  charge  1.2s  attempt 2", of a row as the API gives it.
  static std::string PlainLine(const Value& row, absl::TimeZone zone);

 private:
  struct Row {
    TaskLine line;
    std::string said;  // of the row, to know a repetition
    std::vector<int64_t> children;
  };
  void AddLines(int64_t seq, std::vector<const TaskLine*>* lines) const;

  std::map<int64_t, Row> rows_;     // by seq
  std::vector<int64_t> outermost_;  // seqs, in order
};

}  // namespace jaque::cmd
