// SPDX-License-Identifier: Apache-2.0
// Facts as messages on NATS, each acknowledged by a stream that has the subject. The message id is
// object and seq, so that a stream stores one that comes again once. Messages of an object go one
// after the other, those of different objects side by side.
#pragma once

#include <memory>
#include <string>

#include "nats/connection.h"
#include "sink/export_output.h"

namespace jaque {

// `subject` may hold {kind}, the kind of the fact, and {object}, as a token each. InvalidArgument
// for one that is none. The connection outlives the exporter.
absl::StatusOr<std::unique_ptr<Exporter>> MakeNatsExporter(nats::Connection* connection,
                                                           const std::string& subject);

}  // namespace jaque
