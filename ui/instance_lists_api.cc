// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_lists_api.h"

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "ui/answers.h"
#include "ui/instance_filter.h"
#include "ui/instance_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

// Instances that the caller may see.
absl::StatusOr<store::InstanceFilter> ReadVisible(const Call& call) {
  ASSIGN_OR_RETURN(store::InstanceFilter filter, ReadFilter(call));
  filter.namespaces = call.caller.Namespaces(Role::kViewer);
  return filter;
}

std::string RowsJson(const std::vector<store::InstanceRow>& rows, const std::string& next) {
  ListWriter list;
  for (const store::InstanceRow& row : rows) list.Add(InstanceRow(row));
  return list.Take(next);
}

absl::StatusOr<HttpResponse> List(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const store::InstanceFilter filter, ReadVisible(call));
  store::Page page;
  ASSIGN_OR_RETURN(page.limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const bool newest_first, ReadOrder(call, /*newest_first=*/true));
  page.oldest_first = !newest_first;
  page.cursor = ReadText(call, "cursor");
  ASSIGN_OR_RETURN(const store::InstancePage found, parts.store->ListInstances(filter, page));
  return JsonResponse(200, RowsJson(found.items, found.next));
}

std::string CountsJson(const store::StatusCounts& counts) {
  std::string list = "[";
  for (const auto& [status, count] : counts.counts) {
    const auto most = static_cast<int64_t>(limits::kCountedInstances);
    JsonWriter item;
    item.Text("status", StatusName(status))
        .Int("count", std::min(count, most))
        .Bool("more", count > most);
    if (list.size() > 1) list += ',';
    list += item.Take();
  }
  return list + "]";
}

std::string SeriesJson(const std::vector<store::SeriesPoint>& points, store::Micros from,
                       store::Micros to) {
  std::string list = "[";
  for (const store::SeriesPoint& point : points) {
    JsonWriter item;
    item.Time("at", point.at)
        .Int("started", point.started)
        .Int("completed", point.completed)
        .Int("faulted", point.faulted)
        .Int("cancelled", point.cancelled);
    if (list.size() > 1) list += ',';
    list += item.Take();
  }
  JsonWriter series;
  series.Time("from", from).Time("to", to).Raw("points", list + "]");
  return series.Take();
}

absl::StatusOr<HttpResponse> Summarize(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const store::InstanceFilter filter, ReadVisible(call));
  ASSIGN_OR_RETURN(const int64_t buckets, ReadNumber(call, "buckets", 0, 500, 48));
  ASSIGN_OR_RETURN(store::Micros from, ParseTime("from", ReadText(call, "from")));
  ASSIGN_OR_RETURN(store::Micros to, ParseTime("to", ReadText(call, "to")));
  if (to == 0) to = absl::ToUnixMicros(parts.clock->Now());
  if (from == 0) from = std::max<store::Micros>(1, to - absl::ToInt64Microseconds(absl::Hours(24)));
  if (to <= from) return absl::InvalidArgumentError("to: is not after from");
  ASSIGN_OR_RETURN(const store::StatusCounts counts, parts.store->CountInstances(filter));
  JsonWriter summary;
  summary.Raw("counts", CountsJson(counts));
  if (buckets > 0) {
    ASSIGN_OR_RETURN(const std::vector<store::SeriesPoint> points,
                     parts.store->Series(filter, from, to, static_cast<int>(buckets)));
    summary.Raw("series", SeriesJson(points, from, to));
  }
  return JsonResponse(200, summary.Take());
}

absl::StatusOr<HttpResponse> Children(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const std::vector<store::InstanceRow> rows,
                   parts.store->Children(call.path[0], limit));
  if (rows.empty()) RETURN_IF_ERROR(parts.store->GetInstance(call.path[0]).status());
  std::vector<store::InstanceRow> visible;
  for (const store::InstanceRow& row : rows) {
    if (call.caller.May(Role::kViewer, row.namespace_)) visible.push_back(row);
  }
  return JsonResponse(200, RowsJson(visible, ""));
}

}  // namespace

void AddInstanceListRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  routes->Add("GET", "/api/v1/instances", Somewhere(Role::kViewer),
              WithFilter({"cursor", "limit", "order"}), OnStore(parts, pool, List));
  routes->Add("GET", "/api/v1/instances/summary", Somewhere(Role::kViewer),
              WithFilter({"from", "to", "buckets"}), OnStore(parts, pool, Summarize));
  routes->Add("GET", "/api/v1/instances/{id}/children", OfInstance(Role::kViewer), {"limit"},
              OnStore(parts, pool, Children));
}

}  // namespace jaque::ui
