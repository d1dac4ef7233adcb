// SPDX-License-Identifier: Apache-2.0
// The memory siblings under the contracts, their clock stepped by the waiting test.
#include "base/simulated_clock.h"
#include "coordination/memory_kv_store.h"
#include "log/memory_event_log.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_queue.h"
#include "tests/contract/command_bus_contract.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/kv_store_contract.h"
#include "tests/contract/task_queue_contract.h"

namespace jaque {
namespace {

class MemoryBackend {
 public:
  MemoryEventLog& log() { return log_; }
  MemoryTaskQueue& queue() { return queue_; }
  TaskDepths& depths() { return queue_; }
  MemoryCommandBus& bus() { return bus_; }
  MemoryEventStream& stream() { return stream_; }

  MemoryKvStore& kv() { return kv_; }
  MemoryKvStore& kv_with_ttl() { return kv_with_ttl_; }

  static std::string Missing() { return ""; }
  static absl::Duration patience() { return absl::ZeroDuration(); }
  static absl::Duration ack_wait() { return absl::Seconds(2); }
  static absl::Duration kv_ttl() { return absl::Seconds(5); }
  static int ingress_attempts() { return MemoryCommandBus::Options().ingress_attempts; }
  void Pass(absl::Duration time) { clock_.Advance(time); }
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
  MemoryKvStore kv_{&clock_};
  MemoryKvStore kv_with_ttl_{&clock_, kv_ttl()};
  MemoryEventStream stream_{&clock_};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EventLogContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, KvStoreContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, TaskQueueContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, CommandBusContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EventStreamContract, MemoryBackend);

}  // namespace
}  // namespace jaque
