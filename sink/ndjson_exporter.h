// SPDX-License-Identifier: Apache-2.0
// Lines of JSON in a file; when it has limits::kExportedBytes it becomes PATH.1, PATH.1 becomes
// PATH.2 and so on, and the oldest goes. One thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sink/export_output.h"

namespace jaque {

// `max_bytes` of one file, in `files` with the one that is written.
absl::StatusOr<std::unique_ptr<Exporter>> OpenNdjson(const std::string& path);
absl::StatusOr<std::unique_ptr<Exporter>> OpenNdjson(const std::string& path, size_t max_bytes,
                                                     int files);

}  // namespace jaque
