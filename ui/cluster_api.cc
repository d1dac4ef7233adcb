// SPDX-License-Identifier: Apache-2.0
#include "ui/cluster_api.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status_macros.h"
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
  if (const auto found = owned.find(member.id); found != owned.end()) {
    out.Int("shards", found->second);
  }
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

absl::StatusOr<HttpResponse> Show(const ApiParts& parts, const Call&) {
  const ClusterState cluster = parts.cluster->Cluster();
  std::map<uint32_t, store::ShardPosition> positions;
  std::vector<store::ShardOpening> openings;
  if (parts.store != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<store::ShardPosition> all, parts.store->Positions());
    for (const store::ShardPosition& position : all) positions[position.shard] = position;
    ASSIGN_OR_RETURN(openings, parts.store->Openings(limits::kOpeningsShown));
  }
  std::map<std::string, int> owned;
  for (const ShardPlace& place : cluster.shards) {
    if (!place.owner.empty()) ++owned[place.owner];
  }
  JsonWriter out;
  if (cluster.epoch) out.Int("epoch", static_cast<int64_t>(*cluster.epoch));
  out.Count("expectedEngines", static_cast<uint64_t>(cluster.expected_engines))
      .Int("shards", static_cast<int64_t>(cluster.shards.size()))
      .Raw("members",
           ArrayOf(cluster.members,
                   [&owned](const ClusterMember& member) { return MemberJson(member, owned); }))
      .Raw("owners",
           ArrayOf(cluster.shards,
                   [&positions](const ShardPlace& place) {
                     JsonWriter shard;
                     shard.Int("shard", place.shard)
                         .Text("owner", place.owner)
                         .Text("standby", place.standby);
                     if (const auto found = positions.find(place.shard); found != positions.end()) {
                       shard.Int("projected", static_cast<int64_t>(found->second.sequence))
                           .Time("projectedAt", found->second.at);
                     }
                     return shard.Take();
                   }))
      .Raw("openings", ArrayOf(openings, OpeningJson));
  return JsonResponse(200, out.Take());
}

absl::StatusOr<HttpResponse> Pools(const ApiParts& parts, const Call&) {
  ListWriter list;
  for (const PoolState& pool : parts.cluster->Pools()) {
    JsonWriter out;
    out.Text("name", pool.name)
        .Int("workers", pool.workers)
        .Count("places", static_cast<uint64_t>(pool.places));
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
