// SPDX-License-Identifier: Apache-2.0
// Traces by OTLP over HTTP, in JSON: the spans of what has ended. When a task began is not in the
// fact that ends it, so it is asked of the store, which has to be further. A receiver that answers
// 400 or 413 never wants those spans; after anything else but 2xx they come again.
#pragma once

#include <memory>

#include "sink/export_output.h"
#include "sink/http_post.h"
#include "store/database.h"

namespace jaque {

// The store outlives it.
std::unique_ptr<Exporter> MakeOtlpExporter(HttpPostOptions options, store::Database* store);

}  // namespace jaque
