// SPDX-License-Identifier: Apache-2.0
// Which instances a request means: the filter of the lists in its query, of bulk operations in its
// body. InvalidArgument names what is wrong. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "expression/value.h"
#include "store/store.h"
#include "ui/routes.h"

namespace jaque::ui {

// The names of its parameters, and of others that the route has.
std::vector<std::string> WithFilter(std::vector<std::string> others);

absl::StatusOr<store::InstanceFilter> ReadFilter(const Call& call);
absl::StatusOr<store::InstanceFilter> ReadFilter(const Value& object);

}  // namespace jaque::ui
