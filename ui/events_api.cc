// SPDX-License-Identifier: Apache-2.0
#include "ui/events_api.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "fmt/format.h"
#include "ui/cloud_event.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

// The events of one request: answered when the last of them is stored.
class Batch {
 public:
  Batch(size_t events, HttpReply reply) : left_(events), reply_(std::move(reply)) {
    accepted_ = events;
  }

  void Stored(const absl::Status& status) {
    {
      absl::MutexLock lock(&mutex_);
      if (!status.ok()) status_ = status;
      if (--left_ > 0) return;
    }
    Answer();
  }

  void Answer() {
    if (!status_.ok()) return reply_(ProblemOfStatus(status_));
    HttpResponse response;
    response.status = 202;
    response.body = fmt::format("{{\"accepted\":{}}}", accepted_);
    reply_(std::move(response));
  }

 private:
  absl::Mutex mutex_;
  size_t left_ ABSL_GUARDED_BY(mutex_);
  size_t accepted_ = 0;
  absl::Status status_;
  HttpReply reply_;
};

void Receive(const ApiParts& parts, Call call) {
  absl::StatusOr<std::vector<ReceivedEvent>> events = ReceiveEvents(call.request);
  if (absl::IsResourceExhausted(events.status())) {
    return call.reply(ProblemResponse(413, std::string(events.status().message())));
  }
  if (!events.ok()) return call.reply(ProblemOfStatus(events.status()));
  const auto batch = std::make_shared<Batch>(events->size(), std::move(call.reply));
  if (events->empty()) return batch->Answer();
  for (ReceivedEvent& event : *events) {
    parts.events->Publish(
        event.dedup_id, std::move(event.json),
        [batch](const absl::StatusOr<uint64_t>& stored) { batch->Stored(stored.status()); });
  }
}

}  // namespace

void AddEventRoutes(const ApiParts& parts, Routes* routes) {
  // An event belongs to no namespace: it may start and move instances of any.
  routes->Add("POST", "/api/v1/events", Everywhere(Role::kOperator), {},
              [parts](Call call) { Receive(parts, std::move(call)); });
}

}  // namespace jaque::ui
