// SPDX-License-Identifier: Apache-2.0
// From an HTTP answer to the output of call http and call openapi (DSL reference, "HTTP Call",
// "HTTP Response"). Content: JSON types are deserialised, text types are strings, others and none
// are base64; no bytes are null. Pure; any thread.
#pragma once

#include <string_view>

#include "worker/http_exchange.h"
#include "worker/outcome.h"

namespace jaque {

enum class HttpOutput { kRaw, kContent, kResponse };

struct HttpOutputRule {
  HttpOutput output = HttpOutput::kContent;
  bool allow_redirects = false;  // 300 to 399 are no errors
  std::string_view method;       // as the author wrote it
};

Outcome ReadAnswer(const HttpAnswer& answer, const HttpOutputRule& rule, const TaskRun& run);

}  // namespace jaque
