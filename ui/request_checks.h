// SPDX-License-Identifier: Apache-2.0
// What no request may be, whoever sends it: ambiguous in its path or headers, or sent by a page of
// another site. Pure; any thread.
#pragma once

#include <optional>

#include "ui/http.h"

namespace jaque::ui {

// The refusal, or nullopt. `has_host_name`: people reach the server by names of its own; else only
// an address or "localhost" is taken for it, since a site can point its name at our loopback.
std::optional<HttpResponse> CheckRequest(const HttpRequest& request, bool has_host_name);

}  // namespace jaque::ui
