// SPDX-License-Identifier: Apache-2.0
#include "nats/message.h"

#include <vector>

#include "absl/strings/numbers.h"

namespace jaque::nats {

int Message::status() const {
  if (natsMsg_GetDataLength(message_.get()) != 0) return 0;
  const std::string_view text = header("Status");
  int status = 0;
  return absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &status) ? status : 0;
}

std::optional<DeliveryInfo> ParseDelivery(std::string_view reply) {
  std::vector<absl::string_view> tokens;
  for (std::string_view rest = reply; tokens.size() < 16;) {
    const size_t dot = rest.find('.');
    const std::string_view token = rest.substr(0, dot);
    tokens.emplace_back(token.data(), token.size());
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  // $JS.ACK.<stream>.<consumer>.<delivered>.<sequence>.<consumer sequence>.<time>.<pending>, or
  // with a domain and an account's hash after ACK and sometimes a random token at the end.
  if (tokens.size() < 9 || tokens[0] != "$JS" || tokens[1] != "ACK") return std::nullopt;
  const size_t at = tokens.size() == 9 ? 2 : 4;
  if (tokens.size() < at + 7) return std::nullopt;
  DeliveryInfo info;
  info.stream = {tokens[at].data(), tokens[at].size()};
  info.consumer = {tokens[at + 1].data(), tokens[at + 1].size()};
  if (!absl::SimpleAtoi(tokens[at + 2], &info.delivered) ||
      !absl::SimpleAtoi(tokens[at + 3], &info.stream_sequence) ||
      !absl::SimpleAtoi(tokens[at + 4], &info.consumer_sequence) ||
      !absl::SimpleAtoi(tokens[at + 6], &info.pending)) {
    return std::nullopt;
  }
  return info;
}

}  // namespace jaque::nats
