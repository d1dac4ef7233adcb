// SPDX-License-Identifier: Apache-2.0
// The outbox of an instance: what it owes the outside until that is confirmed. Entries are added by
// Apply; their ids are deterministic, so that a repetition after a crash is harmless (design,
// invariant 4).
#pragma once

#include <string>

#include "engine/state.h"

namespace jaque::engine {

// The id of the child that the frame of a `run: workflow` starts. Ids given from outside have no
// point (ui/instances_api.cc), so nobody can take it before.
std::string ChildId(const Instance& instance, FrameId frame);

void AddEmitted(Instance* instance, const std::string& event_json);
void AddChild(Instance* instance, Frame* frame, const std::string& definition, const Value& input);
void AddCancelChild(Instance* instance, const std::string& child);
// Tells the parent that this instance has ended, if it waits for that.
void NotifyParent(Instance* instance);

}  // namespace jaque::engine
