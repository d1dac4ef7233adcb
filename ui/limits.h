// SPDX-License-Identifier: Apache-2.0
// Limits of the API's own door, beside those of base/limits.h.
#pragma once

#include <cstddef>

namespace jaque::limits {

inline constexpr size_t kRequestHeaderLines = 100;       // of one request
inline constexpr size_t kAuditQueued = 10'000;           // entries that wait for the store
inline constexpr size_t kNamespacesRemembered = 10'000;  // of instances, for the checks of access
inline constexpr int kNamespaceSeconds = 60;             // so long: an id may be used again later
inline constexpr size_t kTokenFileBytes = 4 << 20;
inline constexpr int kKeyFetchSeconds = 10;      // between two fetches of an issuer's keys
inline constexpr size_t kTokensWaiting = 1'000;  // for such a fetch

}  // namespace jaque::limits
