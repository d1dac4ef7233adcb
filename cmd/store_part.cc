// SPDX-License-Identifier: Apache-2.0
#include "cmd/store_part.h"

#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "sink/exporters.h"

namespace jaque::cmd {

absl::StatusOr<std::unique_ptr<StorePart>> StorePart::Create(const Flags& flags, const Clock* clock,
                                                             Backends* backends,
                                                             LogProgress* progress) {
  const bool sink = flags.roles.contains(Role::kSink);
  const std::string url =
      StoreUrl(flags.store, flags.data_dir, sink, flags.roles.contains(Role::kUi));
  if (url.empty()) return std::unique_ptr<StorePart>();
  auto part = std::unique_ptr<StorePart>(new StorePart(flags, clock, backends));
  RETURN_IF_ERROR(PatientlyWhileAway(clock, "the store", [&]() -> absl::Status {
    ASSIGN_OR_RETURN(part->database_, store::OpenDatabase(url));
    return absl::OkStatus();
  }));
  part->store_ = store::MakeStore(part->database_);
  if (sink) RETURN_IF_ERROR(part->MakeTheSink(progress, url == "sqlite::memory:"));
  return part;
}

absl::Status StorePart::MakeTheSink(LogProgress* progress, bool in_memory) {
  // What only this process has, nobody else fills.
  shared_ = backends_.sinks != nullptr && !in_memory;
  SinkOptions options;
  options.shards = flags_.shards;
  options.retention = flags_.store.retention;
  if (in_memory) options.retention.keep_last = limits::kMemoryStoreInstances;
  options.fresh_log = backends_.queue_connection == nullptr && backends_.folder == nullptr;
  options.trim_log = options.fresh_log;
  SinkParts parts;
  parts.clock = clock_;
  parts.log = backends_.log.get();
  parts.definitions = backends_.definitions.get();
  parts.store = database_;
  parts.progress = progress;
  parts.owned = [this] { return Owned(); };
  ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Output>> exporters, MakeExporters());
  sink_ = std::make_unique<Sink>(options, parts, std::move(exporters));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::unique_ptr<Output>>> StorePart::MakeExporters() const {
  ExporterParts parts;
  parts.store = database_.get();
  parts.nats = backends_.queue_connection.get();
  parts.ca_file = flags_.http_ca;
  parts.proxy = flags_.http_proxy;
  if (const char* headers = std::getenv("OTEL_EXPORTER_OTLP_HEADERS")) parts.otlp_headers = headers;
  std::vector<std::unique_ptr<Output>> exporters;
  std::set<std::string> names;
  for (const std::string& url : flags_.store.exports) {
    const std::string name = ExportName(url);
    absl::StatusOr<std::unique_ptr<Exporter>> exporter = MakeExporter(url, parts);
    if (exporter.ok() && !names.insert(name).second) {
      exporter = absl::InvalidArgumentError("it is there twice");
    }
    if (!exporter.ok()) {
      return absl::Status(exporter.status().code(),
                          Cat("-export ", name, ": ", Message(exporter.status())));
    }
    exporters.push_back(
        std::make_unique<ExportOutput>(name, *std::move(exporter), database_.get()));
  }
  return exporters;
}

std::vector<ShardId> StorePart::Owned() const {
  if (shared_) {
    // While nobody can be judged everything may be its own: the positions are the fence.
    return ShardsOfSink(sinks_->Members(), flags_.id, flags_.shards);
  }
  std::vector<ShardId> all(flags_.shards);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

absl::Status StorePart::Join(const MembershipOptions& self, std::function<void()> superseded) {
  if (sink_ == nullptr || !shared_) return absl::OkStatus();
  ClusterOptions options;
  options.membership = self;
  sinks_ = std::make_unique<Cluster>(clock_, backends_.sinks.get(), nullptr, options,
                                     Cluster::Callbacks{nullptr, std::move(superseded)});
  return sinks_->Join();
}

void StorePart::Start() {
  if (sink_ != nullptr) sink_->Start();
}

void StorePart::Stop() {
  if (sinks_ != nullptr) sinks_->Leave();
  if (sink_ != nullptr) sink_->Stop();
  sinks_.reset();
}

}  // namespace jaque::cmd
