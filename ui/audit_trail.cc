// SPDX-License-Identifier: Apache-2.0
#include "ui/audit_trail.h"

#include <utility>

#include "base/limits.h"
#include "base/logging.h"
#include "base/text.h"

namespace jaque::ui {

AuditTrail::AuditTrail(store::Store* store) : store_(store) {
  if (store_ != nullptr) thread_ = std::thread([this] { Run(); });
}

AuditTrail::~AuditTrail() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  thread_.join();
}

void AuditTrail::Record(store::AuditEntry entry) {
  LogInfo("audit", {{"actor", entry.actor},
                    {"address", entry.address},
                    {"method", entry.method},
                    {"path", entry.path},
                    {"object", entry.object},
                    {"status", entry.status}});
  if (store_ == nullptr) return;
  {
    absl::MutexLock lock(&mutex_);
    if (waiting_.size() < limits::kAuditQueued) {
      waiting_.push_back(std::move(entry));
      return;
    }
  }
  LogError("the store is too slow: an entry of the audit trail is in this log alone");
}

void AuditTrail::Run() {
  while (true) {
    store::AuditEntry entry;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &AuditTrail::HasWork));
      if (waiting_.empty()) return;
      entry = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const absl::Status stored = store_->AppendAudit(entry);
    if (stored.ok()) continue;
    LogError("an entry of the audit trail is in this log alone", {{"why", Message(stored)}});
  }
}

}  // namespace jaque::ui
