// SPDX-License-Identifier: Apache-2.0
// NKeys: how NATS writes Ed25519 keys as text. nats.c signs with a seed but has to be told the
// public key beside it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace jaque::nats {

// "UA…" of a user's seed "SUA…"; what stands around the seed (white space, the lines of a
// credentials file) is skipped. InvalidArgument, without the seed, if there is none.
absl::StatusOr<std::string> PublicKeyOfSeed(std::string_view text);

}  // namespace jaque::nats
