// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <random>

namespace jaque {

uint64_t EntropySeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace jaque
