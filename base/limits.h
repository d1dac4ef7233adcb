// SPDX-License-Identifier: Apache-2.0
// Every limit of the product, on one page (docs/limits.md explains them to users). A limit is
// checked at the door and, where state depends on it, again in Decide.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jaque::limits {

// --- definitions -------------------------------------------------------------------------------
inline constexpr size_t kDefinitionBytes = 1 << 20;  // one document, as text
inline constexpr size_t kDefinitionNodes = 100'000;  // after aliases are expanded
inline constexpr int kDefinitionDepth = 128;         // nesting of a document
inline constexpr size_t kFindings = 100;             // findings reported for one document

// --- JSON Schema (one validation) ---------------------------------------------------------------
inline constexpr uint64_t kSchemaSteps = 5'000'000;  // keywords and members looked at
inline constexpr int kSchemaDepth = 500;             // schemas applied inside each other
inline constexpr size_t kSchemaViolations = 5;       // named in the error

// --- JSON --------------------------------------------------------------------------------------
inline constexpr int kJsonDepth = 10'000;         // as jq 1.8
inline constexpr size_t kInputBytes = 512 << 10;  // an instance's input, an event's data
// A value that must be stored with its batch in one message of the log (NATS: 1 MiB with headers).
inline constexpr size_t kValueBytes = 900 << 10;

// --- expressions (design, section 8; each is a parameter of an evaluation) -----------------------
inline constexpr size_t kExpressionBytes = 64 << 10;  // source text of one expression
inline constexpr int kExpressionNesting = 150;        // brackets inside brackets, of the source
inline constexpr int kExpressionHeight = 200;         // of its syntax tree: operators in a chain
inline constexpr uint64_t kExpressionSteps = 20'000'000;
inline constexpr int64_t kExpressionMillis = 1'000;
inline constexpr size_t kExpressionMemory = 64 << 20;  // live bytes made by one evaluation
inline constexpr int kExpressionDepth = 10'000;        // calls and backtrack points on the stack
inline constexpr size_t kExpressionOutputs = 10'000;
inline constexpr uint64_t kRegexRetries = 1'000'000;  // of one match (Oniguruma's retry limit)

inline constexpr size_t kRegexPatternBytes = 16 << 10;  // source text of one regular expression
inline constexpr unsigned kRegexNesting = 200;          // groups inside groups
inline constexpr int kRegexGroups = 1'000;              // capture groups
inline constexpr unsigned kRegexStack = 400'000;        // backtrack points of one match
inline constexpr unsigned long kRegexCalls = 100'000;   // subexpression calls of one search

// --- execution ---------------------------------------------------------------------------------
inline constexpr int kStepsPerDecision = 1'000;    // then the decision is cut and continued
inline constexpr int kStepsWithoutWait = 100'000;  // a loop that never waits faults
inline constexpr int kFrameDepth = 64;             // nested tasks at run time
inline constexpr size_t kLiveFrames = 10'000;      // tasks of one instance alive at once
inline constexpr int kChildDepth = 16;             // run workflow inside run workflow
inline constexpr size_t kIterations = 1'000'000;   // items of one for
inline constexpr int64_t kDurationSeconds = 100LL * 365 * 86'400;  // a wait, a timeout, a delay
inline constexpr int64_t kRetryDelaySeconds = 86'400;              // a retry's delay is capped here
inline constexpr int kRetryAttempts = 1'000;             // where the policy names no limit
inline constexpr size_t kProblemDetailBytes = 16 << 10;  // the rest of an error's text is cut
inline constexpr size_t kConsumedEvents = 10'000;        // ids remembered by one instance
inline constexpr size_t kEventsBuffered = 1'000;         // events waiting for one listen's foreach

inline constexpr size_t kTags = 32;                // of one instance
inline constexpr size_t kTagBytes = 256;           // of a key, of a value
inline constexpr size_t kBackfillFirings = 1'000;  // of one backfill of a schedule
inline constexpr size_t kFiringsShown = 100;       // of a schedule's next ones
inline constexpr int kMissedFirings = 100;         // caught up after an outage, newest ones
inline constexpr int64_t kMissedMicros = 7LL * 86'400'000'000;  // how far back a cron is caught up

// --- the log -----------------------------------------------------------------------------------
inline constexpr size_t kBatchBytes = 960 << 10;    // events of one append (NATS takes 1 MiB)
inline constexpr size_t kEventOverheadBytes = 128;  // of an event beside its values, at most
inline constexpr int kAppendResends = 5;            // of one whose outcome is unknown
inline constexpr int64_t kAppendResendMicros = 200'000;
inline constexpr size_t kSnapshotLogBytes = 8 << 20;     // of a shard's log, before a snapshot
inline constexpr size_t kSnapshotPartBytes = 900 << 10;  // of one key
inline constexpr int kSnapshotMarks = 64;  // earlier snapshots remembered for trimming
inline constexpr int64_t kDeathWindowMicros = 120'000'000;  // deaths of owners count for so long
inline constexpr size_t kMarkedDeaths = 2;  // of owners running an object, then it is quarantined
inline constexpr int64_t kReloadMicros = 1'000'000;     // between attempts to read a shard back
inline constexpr int64_t kOutboxRetryMicros = 500'000;  // before a refused delivery is repeated

// --- outside work ------------------------------------------------------------------------------
inline constexpr size_t kHttpResponseBytes = 8 << 20;
inline constexpr int kHttpRedirects = 10;
inline constexpr int kHttpConnectSeconds = 10;
inline constexpr int kHttpSeconds = 300;                // where the task has no timeout
inline constexpr size_t kProcessOutputBytes = 1 << 20;  // each of stdout and stderr
inline constexpr int kProcessSeconds = 3'600;           // where the task has no timeout
inline constexpr int kProcessGraceSeconds = 2;          // from SIGTERM to SIGKILL
inline constexpr size_t kOpenApiDocuments = 64;         // parsed ones that a worker remembers
inline constexpr int kOpenApiSeconds = 300;             // then a document is fetched again
inline constexpr int kReferenceDepth = 32;              // $ref to $ref in an OpenAPI document
inline constexpr int kTaskDeliveries = 3;  // of one task; more mean that it kills workers

// --- the store (docs/product.md) -----------------------------------------------------------------
inline constexpr size_t kSinkBatchEvents = 5'000;       // projected by one transaction
inline constexpr size_t kSinkBufferedBytes = 32 << 20;  // read and not yet projected; then reading
                                                        // pauses
inline constexpr int64_t kSinkRetryMillis = 1'000;      // before a store that failed is tried again
inline constexpr size_t kMemoryStoreInstances = 10'000;  // ended ones kept by a store in memory
inline constexpr size_t kRetentionRows = 500;            // deleted by one transaction
inline constexpr size_t kSearchWords = 32;               // of one instance, that text search finds
inline constexpr int kStoreBusySeconds = 10;             // waited for another writer of SQLite
inline constexpr size_t kExportedBytes = 64 << 20;       // one NDJSON file, then the next begins
inline constexpr size_t kExportRequestBytes = 1 << 20;   // one request of an exporter, about
inline constexpr int kExportSeconds = 30;                // one request of an exporter

// --- the notifier --------------------------------------------------------------------------------
inline constexpr size_t kNotifierRules = 1'000;
inline constexpr int kDeliverySeconds = 86'400;          // then it is a dead letter
inline constexpr int kDeliveryTimeoutSeconds = 30;       // one attempt
inline constexpr int kDeliveryPauseSeconds = 3'600;      // the longest between two attempts
inline constexpr size_t kPendingDeliveries = 100'000;    // of a process; then the log waits
inline constexpr size_t kNotificationBytes = 256 << 10;  // one body
inline constexpr size_t kDeadLetters = 100'000;          // kept, of each kind

// --- serving -----------------------------------------------------------------------------------
inline constexpr size_t kRequestBytes = 2 << 20;         // an HTTP request's body
inline constexpr size_t kRequestHeaderBytes = 16 << 10;  // its request line and headers
inline constexpr int kRequestSeconds = 30;               // to send a request, to take an answer
inline constexpr int kIdleSeconds = 75;                  // a connection between two requests
inline constexpr int kDrainSeconds = 10;                 // requests in flight when the server stops
inline constexpr size_t kHttpConnections = 10'000;
inline constexpr size_t kEventsPerRequest = 1'000;   // a batch of CloudEvents
inline constexpr int kDefinitionsLoading = 64;       // submitted, not yet validated; then 429
inline constexpr size_t kPageItems = 1'000;          // of one page of a list
inline constexpr size_t kPageItemsDefault = 50;      // where the caller names none
inline constexpr size_t kCountedInstances = 10'000;  // then a count says "more than"
inline constexpr size_t kBulkInstances = 1'000;      // changed by one request
inline constexpr int kBulkParallel = 64;             // at a time
inline constexpr size_t kStreams = 1'000;            // live event streams (SSE) at a time
inline constexpr int kStreamIdleSeconds = 15;        // then a comment keeps it alive
inline constexpr size_t kGzipBytes = 1'024;          // shorter answers are not compressed
inline constexpr size_t kTokenBytes = 8 << 10;       // a bearer token
inline constexpr size_t kTokens = 10'000;            // of a token file
inline constexpr int kKeySetSeconds = 300;           // then the keys of an issuer are fetched again
inline constexpr int kClockSkewSeconds = 60;         // between an issuer and this process
inline constexpr size_t kRequestHeaderLines = 100;   // of one request
inline constexpr size_t kAuditQueued = 10'000;       // entries that wait for the store
inline constexpr size_t kNamespacesRemembered = 10'000;  // of instances, for the checks of access
inline constexpr int kNamespaceSeconds = 60;             // so long: an id may be used again later
inline constexpr size_t kTokenFileBytes = 4 << 20;
inline constexpr int kKeyFetchSeconds = 10;             // between two fetches of an issuer's keys
inline constexpr int kRefusedTokens = 60;               // of one address in a minute; then 429
inline constexpr size_t kAddressesRemembered = 10'000;  // for that
inline constexpr size_t kTokensWaiting = 1'000;         // for such a fetch

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

inline constexpr int kWaitSeconds = 60;             // the longest ?wait=
inline constexpr size_t kQueuedCommands = 100'000;  // then 429
inline constexpr size_t kEventsRetained = 100'000;  // memory event stream, offered to later listens
inline constexpr size_t kEndedInstances = 256;      // ended ones that a shard remembers
inline constexpr int64_t kEndedMicros = 120'000'000;    // ids of more: no second run
inline constexpr size_t kQueuedTasks = 1'000'000;       // memory task queue: not acknowledged yet
inline constexpr int kDeduplicationSeconds = 120;       // a message id sent again is stored once
inline constexpr size_t kDeduplicationIds = 100'000;    // ids that a memory sibling remembers
inline constexpr size_t kDeduplicationBatches = 1'000;  // ids the memory log remembers for a shard
inline constexpr int kAcknowledgeSeconds = 10;          // then a delivered message comes again
inline constexpr int kIngressAttempts = 10;             // of one ingress command, then it is dead

}  // namespace jaque::limits
