// SPDX-License-Identifier: Apache-2.0
// What every DefinitionStore does. Backend: definitions() besides what collector.h says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dsl/load.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/definition_deletion.h"
#include "log/definition_store.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class DefinitionStoreContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  static DefinitionStore::WorkflowPtr Load(const std::string& name, const std::string& version,
                                           int value = 1) {
    dsl::LoadResult result = dsl::Load(
        absl::StrCat("document: {dsl: '1.0.3', namespace: test, name: ", name, ", version: '",
                     version, "'}\ndo:\n  - one:\n      set: {value: ", value, "}\n"));
    EXPECT_NE(result.workflow, nullptr);
    return result.workflow;
  }

  DefinitionStore& store() { return backend_.definitions(); }
  DefinitionDeletion& deletion() {
    return dynamic_cast<DefinitionDeletion&>(backend_.definitions());
  }

  // The version of the latest `name`, or the name of the status.
  std::string Latest(const std::string& name) {
    const auto latest = store().GetLatest(name);
    return latest.ok() ? (*latest)->version : absl::StatusCodeToString(latest.status().code());
  }

  Backend backend_;
};

TYPED_TEST_SUITE_P(DefinitionStoreContract);

TYPED_TEST_P(DefinitionStoreContract, GivesBackWhatWasPut) {
  ASSERT_TRUE(this->store().Put(this->Load("a", "1.0.0")).ok());
  const auto got = this->store().Get("test/a:1.0.0");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)->id(), "test/a:1.0.0");
  EXPECT_EQ((*got)->source, this->Load("a", "1.0.0")->source);
  EXPECT_EQ((*got)->tasks.size(), 1u);
}

TYPED_TEST_P(DefinitionStoreContract, WhatIsAbsentIsNotFound) {
  ASSERT_TRUE(this->store().Put(this->Load("a", "1.0.0")).ok());
  for (const char* id : {"test/a:1.0.1", "test/b:1.0.0", "other/a:1.0.0", "test/a", "", ":", "/",
                         "test/a:", "test/a:*", "*/*:*", "test/a:1.0.0 ", "test/>", "test.a:1"}) {
    EXPECT_TRUE(absl::IsNotFound(this->store().Get(id).status())) << id;
  }
  for (const char* name : {"test/b", "test", "", "test/*", "*", ">", "test/a:1.0.0"}) {
    EXPECT_TRUE(absl::IsNotFound(this->store().GetLatest(name).status())) << name;
  }
}

TYPED_TEST_P(DefinitionStoreContract, AVersionNeverChanges) {
  ASSERT_TRUE(this->store().Put(this->Load("a", "1.0.0", 1)).ok());
  EXPECT_TRUE(this->store().Put(this->Load("a", "1.0.0", 1)).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(this->store().Put(this->Load("a", "1.0.0", 2))));
  EXPECT_EQ((*this->store().Get("test/a:1.0.0"))->source, this->Load("a", "1.0.0", 1)->source);
}

TYPED_TEST_P(DefinitionStoreContract, LatestIsTheHighestRelease) {
  EXPECT_EQ(this->Latest("test/a"), "NOT_FOUND");
  for (const char* version : {"2.0.0-rc.2", "2.0.0-rc.10"}) {
    ASSERT_TRUE(this->store().Put(this->Load("a", version)).ok());
  }
  EXPECT_EQ(this->Latest("test/a"), "2.0.0-rc.10");
  for (const char* version : {"1.9.0", "1.10.0", "1.2.0"}) {
    ASSERT_TRUE(this->store().Put(this->Load("a", version)).ok());
  }
  EXPECT_EQ(this->Latest("test/a"), "1.10.0");
}

TYPED_TEST_P(DefinitionStoreContract, ListsIdsSorted) {
  EXPECT_THAT(this->store().List(), testing::IsEmpty());
  for (const char* name : {"b", "a-b", "a"}) {
    ASSERT_TRUE(this->store().Put(this->Load(name, "1.0.0")).ok());
  }
  ASSERT_TRUE(this->store().Put(this->Load("a", "1.0.0-x.y+build.5")).ok());
  EXPECT_THAT(this->store().List(),
              testing::ElementsAre("test/a-b:1.0.0", "test/a:1.0.0", "test/a:1.0.0-x.y+build.5",
                                   "test/b:1.0.0"));
  EXPECT_TRUE(this->store().Get("test/a:1.0.0-x.y+build.5").ok());
}

TYPED_TEST_P(DefinitionStoreContract, WhatIsDeletedIsKeptForThoseWhoHaveIt) {
  for (const char* version : {"1.0.0", "1.1.0"}) {
    ASSERT_TRUE(this->store().Put(this->Load("a", version)).ok());
  }
  EXPECT_TRUE(absl::IsNotFound(this->deletion().Delete("test/a:9.0.0")));
  ASSERT_TRUE(this->deletion().Delete("test/a:1.1.0").ok());
  EXPECT_TRUE(this->deletion().Delete("test/a:1.1.0").ok());
  EXPECT_TRUE(this->deletion().IsDeleted("test/a:1.1.0"));
  EXPECT_FALSE(this->deletion().IsDeleted("test/a:1.0.0"));
  EXPECT_TRUE(this->store().Get("test/a:1.1.0").ok());
  EXPECT_EQ(this->Latest("test/a"), "1.0.0");
  EXPECT_THAT(this->store().List(), testing::ElementsAre("test/a:1.0.0"));
  ASSERT_TRUE(this->deletion().Delete("test/a:1.0.0").ok());
  EXPECT_EQ(this->Latest("test/a"), "NOT_FOUND");
  EXPECT_TRUE(absl::IsAlreadyExists(this->store().Put(this->Load("a", "1.0.0", 2))));
  ASSERT_TRUE(this->store().Put(this->Load("a", "1.0.0")).ok());
  EXPECT_FALSE(this->deletion().IsDeleted("test/a:1.0.0"));
  EXPECT_EQ(this->Latest("test/a"), "1.0.0");
}

REGISTER_TYPED_TEST_SUITE_P(DefinitionStoreContract, GivesBackWhatWasPut, WhatIsAbsentIsNotFound,
                            AVersionNeverChanges, LatestIsTheHighestRelease, ListsIdsSorted,
                            WhatIsDeletedIsKeptForThoseWhoHaveIt);

}  // namespace jaque
