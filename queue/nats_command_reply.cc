// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_command_reply.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace jaque {
namespace {

constexpr char kStatusHeader[] = "Jaque-Status";

}  // namespace

absl::StatusOr<std::string> ReadReply(const nats::Message& message) {
  const std::string_view text = message.header(kStatusHeader);
  if (text.empty()) return std::string(message.data());
  int code = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &code) || code == 0) {
    code = static_cast<int>(absl::StatusCode::kUnknown);
  }
  return absl::Status(static_cast<absl::StatusCode>(code), std::string(message.data()));
}

void SendReply(nats::Connection& connection, const std::string& to,
               const absl::StatusOr<std::string>& reply) {
  absl::Status failure = reply.status();
  if (reply.ok()) {
    failure = connection.Publish(to, "", {}, *reply);
    if (!absl::IsInvalidArgument(failure)) return;  // sent, or lost: the caller's deadline passes
    failure = absl::ResourceExhaustedError("the reply is too large");
  }
  const std::string code = absl::StrCat(static_cast<int>(failure.code()));
  connection.Publish(to, "", {{kStatusHeader, code}}, std::string(failure.message())).IgnoreError();
}

}  // namespace jaque
