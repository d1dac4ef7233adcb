// SPDX-License-Identifier: Apache-2.0
// The definition stores under their contract.
#include <memory>

#include "log/memory_definition_store.h"
#include "log/nats_definition_store.h"
#include "tests/contract/definition_store_contract.h"
#include "tests/contract/nats_backend.h"
#include "tests/contract/sqlite_backend.h"

namespace jaque {
namespace {

const auto* const kEndsTheServers = ::testing::AddGlobalTestEnvironment(new EndsTheServers<1>);

class MemoryBackend {
 public:
  static std::string Missing() { return ""; }
  DefinitionStore& definitions() { return definitions_; }

 private:
  MemoryDefinitionStore definitions_;
};

class NatsDefinitionBackend : public NatsBackend<1> {
 public:
  DefinitionStore& definitions() {
    if (definitions_) return *definitions_;
    return Opened(&definitions_,
                  [this] { return NatsDefinitionStore::Open(connection_.get(), names_, 1); });
  }

 private:
  std::unique_ptr<NatsDefinitionStore> definitions_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, DefinitionStoreContract, MemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, DefinitionStoreContract, SqliteBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Nats, DefinitionStoreContract, NatsDefinitionBackend);

}  // namespace
}  // namespace jaque
