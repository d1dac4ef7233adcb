// SPDX-License-Identifier: Apache-2.0
// From the values of -export to exporters. Main thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "nats/connection.h"
#include "sink/export_output.h"
#include "store/database.h"

namespace jaque {

struct ExporterParts {
  store::Database* store = nullptr;
  nats::Connection* nats = nullptr;  // null: there is none
  std::string ca_file, proxy;        // of HTTP, as flags say
  std::string otlp_headers;          // "name=value,…", as OpenTelemetry's environment has them
};

// Its name in metrics, logs and positions: without what follows a question mark, which may be
// secret.
std::string ExportName(const std::string& url);

// "ndjson:PATH", "otlp:URL", "webhook:URL", "nats:SUBJECT". InvalidArgument for another one, or one
// that cannot work. All of `parts` outlive it.
absl::StatusOr<std::unique_ptr<Exporter>> MakeExporter(const std::string& url,
                                                       const ExporterParts& parts);

}  // namespace jaque
