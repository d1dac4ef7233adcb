// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/command_bus_contract.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/kv_store_contract.h"
#include "tests/contract/nats_backend.h"
#include "tests/contract/task_queue_contract.h"

namespace jaque {
namespace {

const auto* const kEndsTheServers = testing::AddGlobalTestEnvironment(new EndsTheServers<1>);

INSTANTIATE_TYPED_TEST_SUITE_P(Nats, EventLogContract, NatsBackend<1>);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, TaskQueueContract, NatsBackend<1>);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, CommandBusContract, NatsBackend<1>);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, EventStreamContract, NatsBackend<1>);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, KvStoreContract, NatsBackend<1>);

}  // namespace
}  // namespace jaque
