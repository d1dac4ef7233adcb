// SPDX-License-Identifier: Apache-2.0
#include "ui/history_api.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "ui/answers.h"
#include "ui/history_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

std::string SeqText(store::HistorySeq seq) { return seq == 0 ? "" : std::to_string(seq); }

// Read in parts, because a fact may be large: a page ends early rather than being huge.
absl::StatusOr<HttpResponse> History(const ApiParts& parts, const Call& call) {
  const std::string& id = call.path[0];
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const bool newest_first, ReadOrder(call, /*newest_first=*/false));
  ASSIGN_OR_RETURN(store::HistorySeq next, ParseSeq("cursor", ReadText(call, "cursor")));
  ListWriter list;
  size_t items = 0;
  do {
    const size_t wanted = std::min(limit - items, limits::kHistoryRead);
    ASSIGN_OR_RETURN(const store::HistoryPage page,
                     parts.store->History(id, next, wanted, newest_first));
    if (page.items.empty() && items == 0) RETURN_IF_ERROR(parts.store->GetInstance(id).status());
    for (const store::HistoryItem& item : page.items) list.Add(HistoryItemJson(item));
    items += page.items.size();
    next = page.next;
  } while (next != 0 && items < limit && list.bytes() < limits::kHistoryPageBytes);
  return JsonResponse(200, list.Take(SeqText(next)));
}

absl::StatusOr<HttpResponse> Tasks(const ApiParts& parts, const Call& call) {
  const std::string& id = call.path[0];
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const store::HistorySeq after, ParseSeq("cursor", ReadText(call, "cursor")));
  ASSIGN_OR_RETURN(const store::HistorySeq since,
                   ParseSeq("changedSince", ReadText(call, "changedSince")));
  const bool changed = call.Parameter("changedSince") != nullptr;
  ASSIGN_OR_RETURN(const store::TaskPage page,
                   changed ? parts.store->TasksChanged(id, std::max(since, after), limit)
                           : parts.store->Tasks(id, after, limit));
  if (page.items.empty()) RETURN_IF_ERROR(parts.store->GetInstance(id).status());
  ListWriter list;
  for (const store::TaskRow& row : page.items) list.Add(TaskRowJson(row));
  return JsonResponse(200, list.Take(SeqText(page.next)));
}

}  // namespace

void AddHistoryRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  routes->Add("GET", "/api/v1/instances/{id}/history", OfInstance(Role::kViewer),
              {"cursor", "limit", "order"}, OnStore(parts, pool, History));
  routes->Add("GET", "/api/v1/instances/{id}/tasks", OfInstance(Role::kViewer),
              {"cursor", "limit", "changedSince"}, OnStore(parts, pool, Tasks));
}

}  // namespace jaque::ui
