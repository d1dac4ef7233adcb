// SPDX-License-Identifier: Apache-2.0
// A message of NATS, owned. One thread at a time. Everything it gives is valid while it lives.
#pragma once

#include <nats/nats.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace jaque::nats {

class Message {
 public:
  Message() = default;
  explicit Message(natsMsg* message) : message_(message) {}

  std::string_view subject() const { return Text(natsMsg_GetSubject(message_.get())); }
  std::string_view reply() const { return Text(natsMsg_GetReply(message_.get())); }
  std::string_view data() const {
    return {natsMsg_GetData(message_.get()),
            static_cast<size_t>(natsMsg_GetDataLength(message_.get()))};
  }
  // Empty if absent.
  std::string_view header(const char* name) const {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message_.get(), name, &value) != NATS_OK) return {};
    return Text(value);
  }
  // What a server says instead of bringing data: 100 alive, 404 nothing there, 408 the request has
  // expired, 409 the consumer has gone, 503 nobody listens. 0 for a message that brings data.
  int status() const;

 private:
  struct Destroy {
    void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
  };
  static std::string_view Text(const char* text) { return text == nullptr ? "" : text; }

  std::unique_ptr<natsMsg, Destroy> message_;
};

// What the reply subject of a message from a consumer tells.
struct DeliveryInfo {
  std::string_view stream, consumer;
  int delivered = 0;  // 1 for the first time
  uint64_t stream_sequence = 0, consumer_sequence = 0, pending = 0;
};
std::optional<DeliveryInfo> ParseDelivery(std::string_view reply);

}  // namespace jaque::nats
