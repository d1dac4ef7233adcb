// SPDX-License-Identifier: Apache-2.0
// The history of an instance as the API shows it: facts and tasks. Pure; any thread.
#pragma once

#include <string>

#include "google/protobuf/message.h"
#include "store/store.h"
#include "ui/json_writer.h"

namespace jaque::ui {

std::string HistoryItemJson(const store::HistoryItem& item);

// Without the end, for those who add members.
JsonWriter TaskRowWriter(const store::TaskRow& row);
std::string TaskRowJson(const store::TaskRow& row);

// Any message of ours, whose bytes are JSON.
std::string MessageJson(const google::protobuf::Message& message);

// Whether nothing comes after this fact.
bool EndsInstance(const v1::Event& event);

}  // namespace jaque::ui
