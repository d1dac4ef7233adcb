// SPDX-License-Identifier: Apache-2.0
// Every metric of the process, declared here and nowhere else (docs/hacking.md, "a metric"). Any
// thread; an increment is one atomic operation and never blocks. Names begin with jaque_, units are
// in the name.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace jaque {

struct Metrics {
  Metrics();

  prometheus::Registry registry;

  // The process.
  prometheus::Gauge& start_time_seconds;

  // The engine.
  prometheus::Counter& instances_started;
  prometheus::Counter& instances_completed;
  prometheus::Counter& instances_faulted;
  prometheus::Counter& instances_cancelled;
  prometheus::Counter& decisions;
  prometheus::Counter& appends;
  prometheus::Counter& append_conflicts;
  prometheus::Histogram& append_seconds;
  prometheus::Histogram& batch_decisions;

  // The cluster. A command is forwarded at most once, counted here by the claimer; not_owned counts
  // those that arrived marked at an engine that does not own their object.
  prometheus::Counter& commands_forwarded_sent;
  prometheus::Counter& commands_forwarded_error;
  prometheus::Counter& commands_not_owned;
  prometheus::Counter& stale_epochs;
  prometheus::Counter& quarantined;
  prometheus::Counter& view_changes;
  prometheus::Gauge& view_epoch;
  prometheus::Gauge& members;
  prometheus::Gauge& cut_off;
  prometheus::Gauge& shards_owned;
  prometheus::Histogram& takeover_seconds;
  prometheus::Counter& snapshots;

  // The work queue, as engines see it: waiting tasks by pool, of all pools that there are or were.
  prometheus::Family<prometheus::Gauge>& tasks_waiting;
  prometheus::Gauge& dead_letters;  // commands that were given up

  // The sink.
  prometheus::Counter& sink_batches;
  prometheus::Counter& sink_events;
  prometheus::Counter& sink_errors;
  prometheus::Counter& sink_deleted;
  prometheus::Gauge& sink_lag_seconds;
  prometheus::Gauge& sink_buffered_bytes;
  prometheus::Histogram& sink_transaction_seconds;
  prometheus::Family<prometheus::Counter>& export_errors;   // by output
  prometheus::Family<prometheus::Counter>& export_records;  // by output

  // The notifier.
  prometheus::Counter& deliveries_sent;
  prometheus::Counter& deliveries_failed;
  prometheus::Counter& deliveries_dead;
  prometheus::Gauge& deliveries_pending;
  prometheus::Gauge& notifier_lag_seconds;

  // The API.
  prometheus::Gauge& http_streams;
  prometheus::Counter& refused_unauthenticated;
  prometheus::Counter& refused_forbidden;

  // The HTTP server. A request is counted under the class of its answer, "2xx".
  static constexpr int kHttpClasses = 6;
  prometheus::Counter* http_requests[kHttpClasses];
  prometheus::Histogram& http_request_seconds;
  prometheus::Gauge& http_connections;

  void CountHttpRequest(int status, absl::Duration took);

  // The Prometheus text format, version 0.0.4.
  std::string Text() const;
};

// The process has one set; it lives for ever.
Metrics& ProcessMetrics();

}  // namespace jaque
