// SPDX-License-Identifier: Apache-2.0
// jaque with a bug: it dies when it begins a task called "poison". For tests of careful mode.
#include <cstdlib>
#include <string>
#include <vector>

#include "cmd/serve.h"
#include "engine/step_probe.h"

int main(int argc, char** argv) {
  jaque::engine::step_probe = [](const jaque::dsl::Task& task) {
    if (task.name == "poison") std::abort();
  };
  return jaque::cmd::RunServeCommand(std::vector<std::string>(argv + 1, argv + argc));
}
