// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <algorithm>

#include "fmt/format.h"
#include "prometheus/text_serializer.h"

namespace jaque {
namespace {

prometheus::Counter& Counter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& Gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Counter& Forwarded(prometheus::Registry& registry, const char* outcome) {
  return prometheus::BuildCounter()
      .Name("jaque_engine_commands_forwarded_total")
      .Help("Commands sent on to the owner of their object, by what became of that.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

prometheus::Counter& Deliveries(prometheus::Registry& registry, const char* outcome) {
  return prometheus::BuildCounter()
      .Name("jaque_notifier_deliveries_total")
      .Help("Attempts to deliver a notification, by outcome.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

prometheus::Counter& Refused(prometheus::Registry& registry, const char* why) {
  return prometheus::BuildCounter()
      .Name("jaque_http_refused_total")
      .Help("Requests refused for who asked, by why.")
      .Register(registry)
      .Add({{"why", why}});
}

prometheus::Histogram& Histogram(prometheus::Registry& registry, const char* name, const char* help,
                                 const prometheus::Histogram::BucketBoundaries& bounds) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

// From what a memory-only answer takes to the longest wait.
const prometheus::Histogram::BucketBoundaries& Seconds() {
  static const auto* const bounds = new prometheus::Histogram::BucketBoundaries{
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
      0.05,   0.1,     0.25,   0.5,   1,      2.5,   10,   60};
  return *bounds;
}

}  // namespace

Metrics::Metrics()
    : start_time_seconds(Gauge(registry, "jaque_process_start_time_seconds",
                               "Unix time at which the process started.")),
      instances_started(
          Counter(registry, "jaque_instances_started_total", "Instances that were started.")),
      instances_completed(
          Counter(registry, "jaque_instances_completed_total", "Instances that completed.")),
      instances_faulted(
          Counter(registry, "jaque_instances_faulted_total", "Instances that faulted.")),
      instances_cancelled(
          Counter(registry, "jaque_instances_cancelled_total", "Instances that were cancelled.")),
      decisions(Counter(registry, "jaque_engine_decisions_total", "Commands that were decided.")),
      appends(Counter(registry, "jaque_engine_appends_total", "Batches appended to the log.")),
      append_conflicts(Counter(registry, "jaque_engine_append_conflicts_total",
                               "Appends that another writer's batch forestalled.")),
      append_seconds(Histogram(registry, "jaque_engine_append_seconds",
                               "From an append to its known outcome.", Seconds())),
      batch_decisions(Histogram(registry, "jaque_engine_batch_decisions",
                                "Decisions that one append stored together.",
                                {1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000})),
      commands_forwarded_sent(Forwarded(registry, "sent")),
      commands_forwarded_error(Forwarded(registry, "error")),
      commands_not_owned(Counter(registry, "jaque_engine_not_owned_total",
                                 "Forwarded commands whose object this engine does not own.")),
      stale_epochs(Counter(registry, "jaque_engine_stale_epoch_total",
                           "Batches of the log discarded for an epoch that had passed.")),
      quarantined(Counter(registry, "jaque_engine_quarantined_total",
                          "Objects that killed engines and are not run any more.")),
      view_changes(Counter(registry, "jaque_cluster_view_changes_total", "Views adopted.")),
      view_epoch(Gauge(registry, "jaque_cluster_epoch", "Epoch of the present view.")),
      members(Gauge(registry, "jaque_cluster_members", "Engines in the present view.")),
      cut_off(Gauge(registry, "jaque_cluster_cut_off",
                    "1 while this process cannot reach the coordination store.")),
      shards_owned(Gauge(registry, "jaque_engine_shards_owned", "Shards that this engine owns.")),
      takeover_seconds(Histogram(registry, "jaque_engine_takeover_seconds",
                                 "From the view that gives a shard to this engine to its opening.",
                                 Seconds())),
      snapshots(Counter(registry, "jaque_engine_snapshots_total", "Snapshots of shards stored.")),
      tasks_waiting(prometheus::BuildGauge()
                        .Name("jaque_queue_tasks_waiting")
                        .Help("Tasks that wait for a worker, by pool.")
                        .Register(registry)),
      dead_letters(Gauge(registry, "jaque_queue_dead_letters", "Commands that were given up.")),
      sink_batches(Counter(registry, "jaque_sink_batches_total", "Batches of the log projected.")),
      sink_events(Counter(registry, "jaque_sink_events_total", "Events of the log projected.")),
      sink_errors(Counter(registry, "jaque_sink_errors_total",
                          "Transactions that the store did not take; each is tried again.")),
      sink_deleted(Counter(registry, "jaque_sink_deleted_total",
                           "Instances deleted from the store for their age.")),
      sink_lag_seconds(Gauge(registry, "jaque_sink_lag_seconds",
                             "Age of the oldest batch read and not yet projected.")),
      sink_buffered_bytes(Gauge(registry, "jaque_sink_buffered_bytes",
                                "Bytes of the log read and not yet projected.")),
      sink_transaction_seconds(Histogram(registry, "jaque_sink_transaction_seconds",
                                         "One transaction of the store.", Seconds())),
      export_errors(prometheus::BuildCounter()
                        .Name("jaque_sink_export_errors_total")
                        .Help("Failed attempts to export, by output.")
                        .Register(registry)),
      export_records(prometheus::BuildCounter()
                         .Name("jaque_sink_export_records_total")
                         .Help("Records exported, by output.")
                         .Register(registry)),
      deliveries_sent(Deliveries(registry, "sent")),
      deliveries_failed(Deliveries(registry, "failed")),
      deliveries_dead(Deliveries(registry, "dead")),
      deliveries_pending(Gauge(registry, "jaque_notifier_deliveries_pending",
                               "Notifications that wait for their next attempt.")),
      notifier_lag_seconds(Gauge(registry, "jaque_notifier_lag_seconds",
                                 "Age of the oldest batch of the log not yet looked at.")),
      http_streams(Gauge(registry, "jaque_http_streams", "Open live event streams.")),
      refused_unauthenticated(Refused(registry, "unauthenticated")),
      refused_forbidden(Refused(registry, "forbidden")),
      http_request_seconds(Histogram(registry, "jaque_http_request_seconds",
                                     "From the last byte of a request to its answer.", Seconds())),
      http_connections(Gauge(registry, "jaque_http_connections", "Open connections.")) {
  auto& requests = prometheus::BuildCounter()
                       .Name("jaque_http_requests_total")
                       .Help("HTTP requests answered, by class of the status.")
                       .Register(registry);
  for (int i = 0; i < kHttpClasses; ++i) {
    http_requests[i] = &requests.Add({{"class", i == 0 ? "aborted" : fmt::format("{}xx", i)}});
  }
}

void Metrics::CountHttpRequest(int status, absl::Duration took) {
  http_requests[std::clamp(status / 100, 0, kHttpClasses - 1)]->Increment();
  http_request_seconds.Observe(absl::ToDoubleSeconds(took));
}

std::string Metrics::Text() const {
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

Metrics& ProcessMetrics() {
  static Metrics* const metrics = new Metrics;
  return *metrics;
}

}  // namespace jaque
