// SPDX-License-Identifier: Apache-2.0
#include "sink/fingerprint.h"

#include <openssl/sha.h>

#include <algorithm>

#include "absl/strings/escaping.h"

namespace jaque {

std::string Fingerprint(std::string_view text, size_t bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), std::min(bytes, sizeof digest)));
}

}  // namespace jaque
