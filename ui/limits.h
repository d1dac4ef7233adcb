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

inline constexpr int kApiThreads = 4;                 // that wait for the store
inline constexpr size_t kApiQueued = 1'000;           // requests that wait for them; then 503
inline constexpr size_t kHistoryRead = 50;            // facts asked for at a time
inline constexpr size_t kHistoryPageBytes = 8 << 20;  // then a page ends early
inline constexpr size_t kReplayFacts = 200'000;       // of one instance, read back for a request
inline constexpr size_t kReplayBytes = 256 << 20;     // of their values
inline constexpr size_t kTaskValueBytes = 64 << 10;   // larger ones are shown when asked for
inline constexpr size_t kBulkSample = 10;             // instances shown by a preview
inline constexpr int kBulkRuns = 2;                   // at a time; then 429
inline constexpr size_t kOpeningsShown = 200;         // of shards, the newest
inline constexpr size_t kIdempotencyKeyBytes = 255;
inline constexpr size_t kDiffChanges = 1'000;        // shown
inline constexpr size_t kEvaluationBytes = 4 << 20;  // of the outputs of one evaluation
inline constexpr int kStreamPollMillis = 100;        // between two looks for news, at least
inline constexpr int kStreamPollSlowMillis = 500;    // where there were none
inline constexpr size_t kStreamFacts = 20;           // of one piece of a stream

}  // namespace jaque::limits
