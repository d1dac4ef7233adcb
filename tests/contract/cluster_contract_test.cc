// SPDX-License-Identifier: Apache-2.0
// The NATS siblings under the contracts, over three servers and streams of three replicas.
#include "tests/contract/command_bus_contract.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/kv_store_contract.h"
#include "tests/contract/nats_backend.h"
#include "tests/contract/task_queue_contract.h"

namespace jaque {
namespace {

const auto* const kEndsTheServers = testing::AddGlobalTestEnvironment(new EndsTheServers<3>);

INSTANTIATE_TYPED_TEST_SUITE_P(NatsCluster, EventLogContract, NatsBackend<3>);
INSTANTIATE_TYPED_TEST_SUITE_P(NatsCluster, TaskQueueContract, NatsBackend<3>);
INSTANTIATE_TYPED_TEST_SUITE_P(NatsCluster, CommandBusContract, NatsBackend<3>);
INSTANTIATE_TYPED_TEST_SUITE_P(NatsCluster, EventStreamContract, NatsBackend<3>);
INSTANTIATE_TYPED_TEST_SUITE_P(NatsCluster, KvStoreContract, NatsBackend<3>);

}  // namespace
}  // namespace jaque
