// SPDX-License-Identifier: Apache-2.0
#include "cmd/definitions.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_definition_store.h"
#include "tests/support/temp_folder.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DefinitionsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, int value) {
    std::ofstream(folder_.path() + "/" + name + ".yaml")
        << "document: {dsl: '1.0.3', namespace: t, name: " << name << ", version: 1.0.0}\n"
        << "do: [{s: {set: {x: " << value << "}}}]\n";
  }
  absl::Status Load(Differing differing) {
    return LoadDefinitions({folder_.path()}, differing, &definitions_);
  }

  const testing::TempFolder folder_;
  MemoryDefinitionStore definitions_;
};

TEST_F(DefinitionsTest, OneThatDiffersFromTheStoredOneIsRefused) {
  Write("a", 1);
  ASSERT_TRUE(Load(Differing::kRefused).ok());
  ASSERT_TRUE(Load(Differing::kRefused).ok());  // the same text
  Write("a", 2);
  const absl::Status refused = Load(Differing::kRefused);
  EXPECT_TRUE(absl::IsAlreadyExists(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("a.yaml: "));
}

TEST_F(DefinitionsTest, ASampleThatDiffersLeavesTheStoredOne) {
  Write("a", 1);
  ASSERT_TRUE(Load(Differing::kKept).ok());
  Write("a", 2);
  Write("b", 1);
  ASSERT_TRUE(Load(Differing::kKept).ok());
  EXPECT_THAT(definitions_.List(), ElementsAre("t/a:1.0.0", "t/b:1.0.0"));
  EXPECT_THAT((*definitions_.Get("t/a:1.0.0"))->source, HasSubstr("{x: 1}"));
}

}  // namespace
}  // namespace jaque::cmd
