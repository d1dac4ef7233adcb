// SPDX-License-Identifier: Apache-2.0
// Facts as lines of JSON to an address: one POST of up to limits::kExportRequestBytes (or one fact
// that has more) after the other. Any status 2xx takes it, after anything else it comes again.
#pragma once

#include <memory>

#include "sink/export_output.h"
#include "sink/http_post.h"

namespace jaque {

// The header Jaque-Batch-Id names the bytes of a body: the same bytes have the same id.
std::unique_ptr<Exporter> MakeWebhookExporter(HttpPostOptions options);

}  // namespace jaque
