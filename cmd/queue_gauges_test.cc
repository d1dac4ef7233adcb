// SPDX-License-Identifier: Apache-2.0
#include "cmd/queue_gauges.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/simulated_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_task_queue.h"

namespace jaque::cmd {
namespace {

using testing::HasSubstr;

TEST(QueueGauges, SayWhatWaitsInEachPool) {
  SimulatedClock clock;
  MemoryTaskQueue tasks(&clock);
  MemoryCommandBus bus(&clock);
  Metrics metrics;
  QueueGauges gauges(&tasks, &bus, &metrics);
  gauges.Look();
  EXPECT_THAT(metrics.Text(), HasSubstr("jaque_queue_dead_letters 0"));
  for (const char* id : {"a", "b"}) tasks.Publish("p", id, id, [](const absl::Status&) {});
  gauges.Look();
  EXPECT_THAT(metrics.Text(), HasSubstr("jaque_queue_tasks_waiting{pool=\"p\"} 2"));
  std::vector<std::unique_ptr<TaskDelivery>> taken;
  tasks.Pull("p", 2, absl::ZeroDuration(), [&](auto deliveries) { taken = std::move(deliveries); });
  gauges.Look();
  EXPECT_THAT(metrics.Text(), HasSubstr("jaque_queue_tasks_waiting{pool=\"p\"} 0"));
}

TEST(QueueGauges, SayHowManyCommandsWereGivenUp) {
  SimulatedClock clock;
  MemoryTaskQueue tasks(&clock);
  MemoryCommandBus bus(&clock, {.ingress_attempts = 1});
  Metrics metrics;
  QueueGauges gauges(&tasks, &bus, &metrics);
  const auto service = bus.Serve("e1", [](std::string, bool, CommandBus::ReplyFn reply) {
    reply(absl::UnavailableError("no"));
  });
  bus.Submit("command", "id", absl::Seconds(1), [](const absl::StatusOr<std::string>&) {});
  gauges.Look();
  EXPECT_THAT(metrics.Text(), HasSubstr("jaque_queue_dead_letters 1"));
}

}  // namespace
}  // namespace jaque::cmd
