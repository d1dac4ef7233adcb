// SPDX-License-Identifier: Apache-2.0
// The memory siblings under the contracts, their clock stepped by the waiting test.
#include "base/simulated_clock.h"
#include "log/memory_event_log.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_queue.h"
#include "tests/contract/command_bus_contract.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/task_queue_contract.h"

namespace jaque {
namespace {

class MemoryBackend {
 public:
  MemoryEventLog& log() { return log_; }
  MemoryTaskQueue& queue() { return queue_; }
  MemoryCommandBus& bus() { return bus_; }
  MemoryEventStream& stream() { return stream_; }

  static absl::Duration patience() { return absl::ZeroDuration(); }
  static absl::Duration ack_wait() { return absl::Seconds(2); }
  static int ingress_attempts() { return MemoryCommandBus::Options().ingress_attempts; }
  void Step() {
    clock_.Advance(absl::Milliseconds(50));
    queue_.ExpireOverdue();
    bus_.ExpireOverdue();
  }

 private:
  SimulatedClock clock_;
  MemoryEventLog log_{&clock_};
  MemoryTaskQueue queue_{&clock_, {.ack_wait = ack_wait()}};
  MemoryCommandBus bus_{&clock_};
  MemoryEventStream stream_{&clock_};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EventLogContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, TaskQueueContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, CommandBusContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EventStreamContract, MemoryBackend);

}  // namespace
}  // namespace jaque
