// SPDX-License-Identifier: Apache-2.0
#include "ui/cluster_api.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "ui/answers.h"
#include "ui/json_writer.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

// "[…]" of what `write` makes of each.
template <typename Items, typename Write>
std::string ArrayOf(const Items& items, const Write& write) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += ',';
    list += write(item);
  }
  return list + "]";
}

std::string MemberJson(const ClusterMember& member, const std::map<std::string, int>& owned) {
  JsonWriter out;
  out.Member("id", Value::String(member.id))
      .Text("role", member.role)
      .Text("state", member.state)
      .Text("address", member.address)
      .Text("version", member.version)
      .Time("startedAt", member.started_micros)
      .Time("heardAt", member.heard_micros);
  const auto found = owned.find(member.id);
  if (member.role == "engine" && found != owned.end()) out.Int("shards", found->second);
  if (member.in_view) out.Bool("inView", *member.in_view);
  return out.Take();
}

std::string OpeningJson(const store::ShardOpening& opening) {
  JsonWriter out;
  out.Int("shard", opening.shard)
      .Int("epoch", static_cast<int64_t>(opening.epoch))
      .Member("engine", Value::String(opening.engine))
      .Text("at", TimeText(opening.at))
      .Bool("unclean", opening.unclean);
  return out.Take();
}

std::string ViewJson(const SeenView& view) {
  JsonWriter out;
  out.Int("epoch", static_cast<int64_t>(view.epoch))
      .Time("at", view.at_micros)
      .Raw("members", ArrayOf(view.members, [](const std::string& member) {
             return ToJson(Value::String(member));
           }));
  return out.Take();
}

// Seconds; to the millisecond, which is what clocks of different machines are good for.
Value Seconds(absl::Duration time) {
  return Value::Double(static_cast<double>(absl::ToInt64Milliseconds(time)) / 1e3);
}

using Lags = std::map<uint32_t, absl::Duration>;

void AddLag(const Lags& lags, uint32_t shard, JsonWriter* out) {
  if (const auto lag = lags.find(shard); lag != lags.end())
    out->Member("lag", Seconds(lag->second));
}

// While the log cannot be asked positions are shown without lags.
Lags AskLags(const ApiParts& parts, const std::map<uint32_t, uint64_t>& passed) {
  return parts.cluster->Lags(passed).value_or(Lags());
}

std::string ReaderJson(const ApiParts& parts, const LogReader& reader) {
  std::map<uint32_t, uint64_t> passed;
  for (const auto& [shard, position] : reader.shards) passed[shard] = position.sequence;
  const Lags lags = AskLags(parts, passed);
  JsonWriter out;
  out.Member("name", Value::String(reader.name));
  if (!lags.empty()) {
    absl::Duration most;
    int64_t behind = 0;
    for (const auto& [shard, lag] : lags) {
      most = std::max(most, lag);
      behind += lag > absl::ZeroDuration();
    }
    out.Member("lag", Seconds(most)).Int("behind", behind);
  }
  out.Raw("shards", ArrayOf(reader.shards, [&lags](const auto& entry) {
            const auto& [shard, position] = entry;
            JsonWriter place;
            place.Int("shard", shard)
                .Int("sequence", static_cast<int64_t>(position.sequence))
                .Time("saidAt", position.said_micros);
            AddLag(lags, shard, &place);
            return place.Take();
          }));
  return out.Take();
}

// Nobody adds them up: each process counts for itself.
std::string CountersJson(const ApiParts& parts) {
  const auto count = [](const prometheus::Counter& counter) {
    return static_cast<int64_t>(counter.Value());
  };
  const Metrics& metrics = *parts.metrics;
  JsonWriter out;
  out.Member("process", Value::String(parts.server.id))
      .Int("forwarded", count(metrics.commands_forwarded_sent))
      .Int("forwardingFailed", count(metrics.commands_forwarded_error))
      .Int("notOwned", count(metrics.commands_not_owned))
      .Int("staleEpochs", count(metrics.stale_epochs))
      .Int("viewChanges", count(metrics.view_changes));
  return out.Take();
}

std::string QueueJson(std::string_view name, uint64_t waiting) {
  JsonWriter out;
  out.Text("name", name).Int("waiting", static_cast<int64_t>(waiting));
  return out.Take();
}

// Those that can be asked now.
std::vector<std::string> Queues(const ApiParts& parts) {
  std::vector<std::string> queues;
  if (const auto pools = parts.cluster->Pools(); pools.ok()) {
    uint64_t waiting = 0;
    for (const PoolState& pool : *pools) waiting += pool.waiting;
    queues.push_back(QueueJson("tasks", waiting));
  }
  if (parts.dead_commands != nullptr) {
    const auto dead = parts.dead_commands->CountDead();
    if (dead.ok()) queues.push_back(QueueJson("dead commands", *dead));
  }
  return queues;
}

// How far the store has each shard, and how long what it has not has waited.
class Projected {
 public:
  static absl::StatusOr<Projected> Ask(const ApiParts& parts) {
    Projected projected;
    if (parts.store == nullptr) return projected;
    ASSIGN_OR_RETURN(const std::vector<store::ShardPosition> all, parts.store->Positions());
    std::map<uint32_t, uint64_t> passed;
    for (const store::ShardPosition& position : all) {
      projected.positions_[position.shard] = position;
      passed[position.shard] = position.sequence;
    }
    projected.lags_ = AskLags(parts, passed);
    return projected;
  }

  std::string PlaceJson(const ShardPlace& place) const {
    JsonWriter out;
    out.Int("shard", place.shard).Text("owner", place.owner).Text("standby", place.standby);
    if (const auto found = positions_.find(place.shard); found != positions_.end()) {
      out.Int("projected", static_cast<int64_t>(found->second.sequence))
          .Time("projectedAt", found->second.at);
    }
    AddLag(lags_, place.shard, &out);
    return out.Take();
  }

 private:
  std::map<uint32_t, store::ShardPosition> positions_;
  Lags lags_;
};

absl::StatusOr<HttpResponse> Show(const ApiParts& parts, const Call&) {
  const ClusterState cluster = parts.cluster->Cluster();
  ASSIGN_OR_RETURN(const Projected projected, Projected::Ask(parts));
  std::vector<store::ShardOpening> openings;
  if (parts.store != nullptr) {
    ASSIGN_OR_RETURN(openings, parts.store->Openings(limits::kOpeningsShown));
  }
  std::map<std::string, int> owned;
  for (const ShardPlace& place : cluster.shards) {
    if (!place.owner.empty()) ++owned[place.owner];
  }
  const auto readers = parts.cluster->Readers().value_or(std::vector<LogReader>());
  JsonWriter out;
  if (cluster.epoch) out.Int("epoch", static_cast<int64_t>(*cluster.epoch));
  out.Count("expectedEngines", static_cast<uint64_t>(cluster.expected_engines))
      .Int("shards", static_cast<int64_t>(cluster.shards.size()))
      .Raw("members",
           ArrayOf(cluster.members,
                   [&owned](const ClusterMember& member) { return MemberJson(member, owned); }))
      .Raw("owners",
           ArrayOf(cluster.shards,
                   [&projected](const ShardPlace& place) { return projected.PlaceJson(place); }))
      .Raw(
          "readers",
          ArrayOf(readers, [&parts](const LogReader& reader) { return ReaderJson(parts, reader); }))
      .Raw("queues", ArrayOf(Queues(parts), [](const std::string& queue) { return queue; }))
      .Raw("counters", CountersJson(parts))
      .Raw("views", ArrayOf(cluster.views, ViewJson))
      .Raw("openings", ArrayOf(openings, OpeningJson));
  return JsonResponse(200, out.Take());
}

absl::StatusOr<HttpResponse> Pools(const ApiParts& parts, const Call&) {
  ASSIGN_OR_RETURN(const std::vector<PoolState> pools, parts.cluster->Pools());
  ListWriter list;
  for (const PoolState& pool : pools) {
    JsonWriter out;
    out.Member("name", Value::String(pool.name))
        .Int("waiting", static_cast<int64_t>(pool.waiting))
        .Int("running", static_cast<int64_t>(pool.running));
    if (pool.workers) out.Int("workers", *pool.workers);
    if (pool.places) out.Int("places", *pool.places);
    list.Add(out.Take());
  }
  return JsonResponse(200, list.Take(""));
}

}  // namespace

void AddClusterRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  if (parts.cluster == nullptr) return;
  routes->Add("GET", "/api/v1/cluster", Everywhere(Role::kViewer), {}, OnPool(parts, pool, Show));
  routes->Add("GET", "/api/v1/pools", Everywhere(Role::kViewer), {}, OnPool(parts, pool, Pools));
}

}  // namespace jaque::ui
