// SPDX-License-Identifier: Apache-2.0
#include "ui/access.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Caller With(std::initializer_list<const char*> grants) {
  Caller caller;
  for (const char* text : grants) caller.grants.push_back(ParseGrant(text).value());
  return caller;
}

TEST(AccessTest, ARoleMayWhatThoseBelowItMay) {
  const Caller caller = With({"author@shop"});
  EXPECT_TRUE(caller.May(Role::kViewer, "shop"));
  EXPECT_TRUE(caller.May(Role::kOperator, "shop"));
  EXPECT_TRUE(caller.May(Role::kAuthor, "shop"));
  EXPECT_FALSE(caller.May(Role::kAdmin, "shop"));
}

TEST(AccessTest, ARoleIsBoundToItsNamespaces) {
  const Caller caller = With({"operator@shop,bank", "viewer@news"});
  EXPECT_TRUE(caller.May(Role::kOperator, "bank"));
  EXPECT_FALSE(caller.May(Role::kOperator, "news"));
  EXPECT_TRUE(caller.May(Role::kViewer, "news"));
  EXPECT_FALSE(caller.May(Role::kViewer, "sho"));
  EXPECT_FALSE(caller.May(Role::kViewer, ""));
  EXPECT_TRUE(caller.MaySomewhere(Role::kOperator));
  EXPECT_FALSE(caller.MayEverywhere(Role::kViewer));
  EXPECT_THAT(caller.Namespaces(Role::kOperator), ElementsAre("shop", "bank"));
  EXPECT_THAT(caller.Namespaces(Role::kViewer), ElementsAre("shop", "bank", "news"));
}

TEST(AccessTest, AListOfNamespacesIsNeverAllByAccident) {
  EXPECT_THAT(With({"viewer"}).Namespaces(Role::kViewer), IsEmpty());
  EXPECT_THAT(With({"viewer@*"}).Namespaces(Role::kViewer), IsEmpty());
  EXPECT_THAT(With({"viewer"}).Namespaces(Role::kOperator), ElementsAre(""));
  EXPECT_THAT(Caller().Namespaces(Role::kViewer), ElementsAre(""));
  EXPECT_FALSE(Caller().MaySomewhere(Role::kViewer));
}

TEST(AccessTest, GrantsAreReadAndWritten) {
  for (const char* text : {"viewer@*", "operator@shop", "admin@a,b"}) {
    EXPECT_EQ(GrantText(ParseGrant(text).value()), text);
  }
  for (const char* text : {"", "root", "viewer@", "viewer@a,", "viewer@a,*", "Viewer", "@shop"}) {
    EXPECT_FALSE(ParseGrant(text).ok()) << text;
  }
  EXPECT_THAT(std::string(ParseGrant("boss@x").status().message()),
              HasSubstr("\"boss@x\" is no role: viewer, operator"));
}

}  // namespace
}  // namespace jaque::ui
