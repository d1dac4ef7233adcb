// SPDX-License-Identifier: Apache-2.0
// Names on NATS: tokens of subjects, consumers and keys made of any text. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace jaque::nats {

// One token without '.', '*', '>', space or anything else that means something: [A-Za-z0-9-] stay,
// every other byte becomes "_" and two hex digits. Injective; "" becomes "_".
std::string EncodeToken(std::string_view text);
// What EncodeToken was given; InvalidArgument for what it never makes.
absl::StatusOr<std::string> DecodeToken(std::string_view token);

// Names under one prefix (-nats-prefix), so that several clusters can share a server.
class Names {
 public:
  // InvalidArgument unless 1 to 32 of [a-z0-9-], beginning with a letter.
  static absl::StatusOr<Names> Make(std::string_view prefix);

  std::string Stream(std::string_view name) const;   // LOG gives JAQUE_LOG
  std::string Subject(std::string_view rest) const;  // log.3 gives jaque.log.3
  std::string Bucket(std::string_view name) const;   // cluster gives jaque_cluster

 private:
  explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string prefix_;
};

}  // namespace jaque::nats
