// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_replay.h"

#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "engine/apply.h"
#include "fmt/format.h"

namespace jaque::ui {

absl::Status InstanceReplay::ApplyPage(const store::HistoryPage& page, const Visit& visit,
                                       bool* enough) {
  for (const store::HistoryItem& item : page.items) {
    bytes_ += item.event.ByteSizeLong();
    if (++facts_ > limits::kReplayFacts || bytes_ > limits::kReplayBytes) {
      return absl::ResourceExhaustedError(
          fmt::format("the history of {} is too long to be read back for this", id_));
    }
    ASSIGN_OR_RETURN(const engine::Fact fact, engine::DecodeFact(item.event, definitions_));
    if (instance() == nullptr && !item.event.has_instance_started()) {
      // What follows the end concerns nobody; what has no beginning cannot be applied.
      if (facts_ > 1) return absl::OkStatus();
      return absl::DataLossError(fmt::format("the history of {} has no beginning", id_));
    }
    *enough = !visit(item, fact, /*applied=*/false);
    if (*enough) return absl::OkStatus();
    engine::Apply(&state_, id_, item.at, fact, nullptr);
    *enough = !visit(item, fact, /*applied=*/true);
    if (*enough) return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status InstanceReplay::Run(const Visit& visit) {
  store::HistorySeq next = 0;
  bool enough = false;
  do {
    ASSIGN_OR_RETURN(const store::HistoryPage page,
                     store_->History(id_, next, limits::kHistoryRead));
    if (page.items.empty() && facts_ == 0) RETURN_IF_ERROR(store_->GetInstance(id_).status());
    RETURN_IF_ERROR(ApplyPage(page, visit, &enough));
    next = page.next;
  } while (next != 0 && !enough);
  return absl::OkStatus();
}

absl::StatusOr<TopLevelHistory> ReadTopLevel(store::Store* store, DefinitionStore* definitions,
                                             const std::string& id) {
  TopLevelHistory history;
  InstanceReplay replay(store, definitions, id);
  RETURN_IF_ERROR(
      replay.Run([&](const store::HistoryItem& item, const engine::Fact& fact, bool applied) {
        const engine::Instance* instance = replay.instance();
        if (!applied || instance == nullptr) return true;
        const v1::Event& event = fact.event;
        const bool begins =
            event.has_instance_started() ||
            (event.has_task_completed() && event.task_completed().parent() == engine::kRootFrame);
        const engine::Frame* root = instance->Find(engine::kRootFrame);
        if (!begins || root == nullptr) return true;
        history.workflow = instance->workflow;
        history.input = instance->input;
        if (root->cursor < instance->workflow->tasks.size()) {
          history.begins.push_back({item.seq, root->cursor, root->data, instance->context});
        }
        return true;
      }));
  if (history.workflow == nullptr) {
    return absl::DataLossError(fmt::format("the history of {} has no beginning", id));
  }
  return history;
}

}  // namespace jaque::ui
