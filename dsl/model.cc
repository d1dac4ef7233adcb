// SPDX-License-Identifier: Apache-2.0
#include "dsl/model.h"

namespace jaque::dsl {

std::string_view Task::kind_name() const {
  switch (kind()) {
    case TaskKind::kSet:
      return "set";
    case TaskKind::kDo:
      return "do";
    case TaskKind::kSwitch:
      return "switch";
    case TaskKind::kFor:
      return "for";
    case TaskKind::kFork:
      return "fork";
    case TaskKind::kTry:
      return "try";
    case TaskKind::kRaise:
      return "raise";
    case TaskKind::kWait:
      return "wait";
    case TaskKind::kEmit:
      return "emit";
    case TaskKind::kListen:
      return "listen";
    case TaskKind::kRunWorkflow:
      return "run";
    case TaskKind::kWorker: {
      const WorkerTask::Kind kind = std::get<WorkerTask>(spec).kind;
      return kind == WorkerTask::Kind::kHttp || kind == WorkerTask::Kind::kOpenApi ? "call" : "run";
    }
  }
  return "";
}

const Task* Workflow::FindByPointer(std::string_view pointer) const {
  for (const Task* task : by_index) {
    if (task->pointer == pointer) return task;
  }
  return nullptr;
}

}  // namespace jaque::dsl
