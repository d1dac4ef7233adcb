// SPDX-License-Identifier: Apache-2.0
// How a reply to a command looks on the wire: the bytes, or a message with its status in a header.
// Used by both ends of nats_command_bus. Pure, but for sending.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "nats/connection.h"

namespace jaque {

inline constexpr char kReplyToHeader[] = "Jaque-Reply";  // of an ingress command: where replies go

absl::StatusOr<std::string> ReadReply(const nats::Message& message);

// What cannot be sent because it is too large becomes ResourceExhausted.
void SendReply(nats::Connection& connection, const std::string& to,
               const absl::StatusOr<std::string>& reply);

}  // namespace jaque
