// SPDX-License-Identifier: Apache-2.0
// The document of the API and the routes of the server say the same.
#include "ui/openapi.h"

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/simulated_clock.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_definition_store.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "ui/api.h"
#include "ui/no_cluster_fixture.h"

namespace jaque::ui {
namespace {

using Operations = std::map<std::string, std::set<std::string>>;  // "GET /path": its parameters

Operations Served() {
  SimulatedClock clock;
  IdGenerator ids(&clock, 1);
  MemoryCommandBus bus(&clock);
  MemoryEventStream events(&clock);
  MemoryDefinitionStore definitions;
  Metrics metrics;
  NoCluster cluster;
  ApiParts parts;
  parts.clock = &clock;
  parts.ids = &ids;
  parts.commands = &bus;
  parts.dead_commands = &bus;
  parts.cluster = &cluster;
  parts.events = &events;
  parts.definitions = &definitions;
  parts.deletion = &definitions;
  parts.metrics = &metrics;
  const std::unique_ptr<Api> api = MakeApi(parts);
  Operations served;
  for (const auto& [route, parameters] : api->routes().List()) {
    std::set<std::string>& names = served[route];
    names.insert(parameters.begin(), parameters.end());
  }
  return served;
}

// What a parameter, or a reference to one, says: "tag*" where it may stand several times.
void AddParameter(const Value& document, const Value& written, std::set<std::string>* names) {
  const Value* parameter = &written;
  if (const Value* ref = written.Find("$ref")) {
    const std::string_view name = ref->AsString();
    parameter = document.FindPath({"components", "parameters", name.substr(name.rfind('/') + 1)});
    ASSERT_NE(parameter, nullptr) << name;
  }
  if (parameter->StringOr("in", "") != "query") return;
  const Value* schema = parameter->Find("schema");
  const bool many = schema != nullptr && schema->StringOr("type", "") == "array";
  names->insert(std::string(parameter->StringOr("name", "")) + (many ? "*" : ""));
}

void AddParameters(const Value& document, const Value* list, std::set<std::string>* names) {
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    AddParameter(document, list->at(i), names);
  }
}

Operations Documented() {
  const Value document = *ParseJson(OpenApiJson());
  Operations documented;
  document.Find("paths")->ForEachMember([&](std::string_view path, const Value& item) {
    for (const auto& [method, name] : {std::pair("get", "GET"), std::pair("post", "POST"),
                                       std::pair("put", "PUT"), std::pair("delete", "DELETE")}) {
      const Value* operation = item.Find(method);
      if (operation == nullptr) continue;
      std::set<std::string>& names = documented[std::string(name) + " " + std::string(path)];
      AddParameters(document, item.Find("parameters"), &names);
      AddParameters(document, operation->Find("parameters"), &names);
    }
    return true;
  });
  return documented;
}

TEST(OpenApi, HasEveryRouteWithItsParametersAndNoOther) {
  EXPECT_THAT(Served(), testing::ContainerEq(Documented()));
}

TEST(OpenApi, EveryOperationSaysWhoMayAndWhatCanGoWrong) {
  const Value document = *ParseJson(OpenApiJson());
  document.Find("paths")->ForEachMember([](std::string_view path, const Value& item) {
    item.ForEachMember([path](std::string_view method, const Value& operation) {
      if (method == "parameters") return true;
      EXPECT_NE(operation.Find("operationId"), nullptr) << path;
      EXPECT_TRUE(operation.Find("x-role") != nullptr || operation.Find("security") != nullptr)
          << path;
      for (const std::string_view status : {"400", "401", "403", "429", "503"}) {
        EXPECT_NE(operation.FindPath({"responses", status}), nullptr) << path << " " << status;
      }
      return true;
    });
    return true;
  });
}

}  // namespace
}  // namespace jaque::ui
