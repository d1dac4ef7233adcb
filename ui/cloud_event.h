// SPDX-License-Identifier: Apache-2.0
// CloudEvents 1.0 out of an HTTP request: the structured, the batched and the binary content mode
// (CloudEvents HTTP protocol binding 1.0.2, section 3). Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ui/http.h"

namespace jaque::ui {

struct ReceivedEvent {
  std::string dedup_id;  // of its source and id: the same event sent again has the same
  std::string json;      // in the JSON format
};

// InvalidArgument names the event and the attribute that is wrong; ResourceExhausted says which
// limit.
absl::StatusOr<std::vector<ReceivedEvent>> ReceiveEvents(const HttpRequest& request);

}  // namespace jaque::ui
