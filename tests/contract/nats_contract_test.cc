// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/command_bus_contract.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/kv_store_contract.h"
#include "tests/contract/nats_backend.h"
#include "tests/contract/task_queue_contract.h"

namespace jaque {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Nats, EventLogContract, NatsBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, TaskQueueContract, NatsBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, CommandBusContract, NatsBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, EventStreamContract, NatsBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, KvStoreContract, NatsBackend);

}  // namespace
}  // namespace jaque
