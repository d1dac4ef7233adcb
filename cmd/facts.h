// SPDX-License-Identifier: Apache-2.0
// What the log says about tasks, for people: reads batches of the log and turns each event into a
// fact with the task, the time and how long it took. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "jaque/v1/event.pb.h"
#include "log/definition_store.h"

namespace jaque::cmd {

struct Fact {
  enum class Kind {
    kStarted,
    kWaiting,    // for time or for events
    kIteration,  // of a for, or of a listen's foreach
    kCompleted,
    kSkipped,
    kFailed,
    kRetry,  // waits until another attempt
    kAttempt,
    kCaught,
    kEvent,  // consumed
    kInstanceStarted,
    kInstanceCompleted,
    kInstanceFaulted,
    kInstanceCancelled,
  };
  Kind kind = Kind::kStarted;
  std::string instance;
  std::string definition;
  DefinitionStore::WorkflowPtr workflow;  // null if it is unknown
  const dsl::Task* task = nullptr;        // of `workflow`; null: the instance itself
  absl::Time at;
  absl::Duration took;  // of what ended
  std::string detail;   // one line, may be empty
  std::string child;    // the instance that a started task runs, may be empty
  std::string output;   // JSON, of a completed instance
  v1::Problem error;    // of a faulted one
};

class FactReader {
 public:
  // `definitions` gives the workflow of each instance.
  explicit FactReader(DefinitionStore* definitions) : definitions_(definitions) {}

  // Facts of one serialized batch, in order.
  std::vector<Fact> Read(std::string_view batch);

 private:
  struct Frame {
    uint32_t task = 0;
    absl::Time started;
  };
  struct Instance {
    DefinitionStore::WorkflowPtr workflow;
    absl::Time started;
    std::map<uint32_t, Frame> frames;
  };

  void ReadEvent(const v1::Decision& decision, const v1::Event& event, std::vector<Fact>* facts);
  void StartInstance(const v1::InstanceStarted& started, Fact* fact, Instance* instance);
  void StartTask(const v1::TaskStarted& started, Fact* fact, Instance* instance);
  void CompleteTask(const v1::TaskCompleted& completed, Fact* fact, Instance* instance);
  bool ReadFrameEvent(const v1::Event& event, Fact* fact, Instance* instance);
  bool ReadInstanceEvent(const v1::Event& event, Fact* fact, const Instance& instance);

  DefinitionStore* const definitions_;
  std::map<std::string, Instance> instances_;
};

}  // namespace jaque::cmd
