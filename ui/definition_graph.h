// SPDX-License-Identifier: Apache-2.0
// A definition as a graph to be drawn: its tasks, what each does in a few words, and where it
// leads. Pure; any thread.
#pragma once

#include <string>

#include "dsl/model.h"

namespace jaque::ui {

std::string GraphJson(const dsl::Workflow& workflow);

// "GET https://example.org/orders": what a task does, for people; empty if its kind says it all.
std::string TaskSummary(const dsl::Task& task);

}  // namespace jaque::ui
