// SPDX-License-Identifier: Apache-2.0
#include "ui/events_api.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/cloud_event.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/store_handler.h"

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

absl::StatusOr<HttpResponse> Matches(const ApiParts& parts, const Call& call) {
  const std::string source = ReadText(call, "source"), id = ReadText(call, "id");
  if (source.empty() || id.empty()) {
    return absl::InvalidArgumentError("source and id: both are needed");
  }
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const std::vector<store::EventMatch> matches,
                   parts.store->EventMatches(source, id, limit));
  ListWriter list;
  for (const store::EventMatch& match : matches) {
    JsonWriter out;
    out.Text("instance", match.instance)
        .Member("task", Value::String(match.task))
        .Text("seq", std::to_string(match.seq))
        .Text("at", TimeText(match.at));
    list.Add(out.Take());
  }
  return JsonResponse(200, list.Take(""));
}

}  // namespace

void AddEventRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  // An event belongs to no namespace: it may start and move instances of any.
  routes->Add("POST", "/api/v1/events", Everywhere(Role::kOperator), {},
              [parts](Call call) { Receive(parts, std::move(call)); });
  routes->Add("GET", "/api/v1/events/matches", Everywhere(Role::kViewer), {"source", "id", "limit"},
              OnStore(parts, pool, Matches));
}

}  // namespace jaque::ui
