// SPDX-License-Identifier: Apache-2.0
#include "ui/token_file.h"

#include <fstream>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { std::ofstream(path_) << text; }

  absl::StatusOr<Caller> Ask(Authenticator* authenticator, const std::string& token) {
    std::optional<absl::StatusOr<Caller>> caller;
    authenticator->Authenticate(token, [&](absl::StatusOr<Caller> got) { caller = got; });
    return *caller;
  }

  const testing::TempFolder folder_;
  const std::string path_ = folder_.path() + "/tokens";
};

TEST_F(TokenFileTest, LetsInWhoHasAToken) {
  const NewToken ada = MakeToken("ada", {"operator@shop", "viewer"}).value();
  const NewToken bob = MakeToken("bob", {"admin"}).value();
  Write("# people\n\n" + ada.line + "\n  " + bob.line + "\r\n");
  const auto tokens = OpenTokenFile(path_).value();
  const absl::StatusOr<Caller> caller = Ask(tokens.get(), ada.token);
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->name, "ada");
  EXPECT_THAT(caller->Namespaces(Role::kOperator), ElementsAre("shop"));
  EXPECT_TRUE(caller->MayEverywhere(Role::kViewer));
  EXPECT_EQ(Ask(tokens.get(), bob.token)->name, "bob");
  for (const std::string& other : {std::string("x"), ada.token + "x", ada.token.substr(1)}) {
    EXPECT_TRUE(absl::IsUnauthenticated(Ask(tokens.get(), other).status()));
  }
}

TEST_F(TokenFileTest, TheFileKnowsNoToken) {
  const NewToken ada = MakeToken("ada", {"viewer"}).value();
  EXPECT_THAT(ada.line, HasSubstr("ada sha256:"));
  EXPECT_THAT(ada.line, Not(HasSubstr(ada.token.substr(6))));
  EXPECT_EQ(ada.token.size(), 6 + 43u);
  EXPECT_NE(ada.token, MakeToken("ada", {"viewer"})->token);
  EXPECT_FALSE(MakeToken("ada", {"god"}).ok());
  EXPECT_FALSE(MakeToken("ada lovelace", {"viewer"}).ok());
  EXPECT_FALSE(MakeToken("", {"viewer"}).ok());
}

TEST_F(TokenFileTest, IsReadAgainWhenItChanges) {
  const NewToken ada = MakeToken("ada", {"viewer"}).value();
  const NewToken bob = MakeToken("bob", {"viewer"}).value();
  Write(ada.line + "\n");
  const auto tokens = OpenTokenFile(path_).value();
  Write(ada.line + "\n" + bob.line + "\n");
  tokens->Tick();
  EXPECT_TRUE(Ask(tokens.get(), bob.token).ok());
  Write(bob.line + "\n");
  tokens->Tick();
  EXPECT_FALSE(Ask(tokens.get(), ada.token).ok());
  // A file that cannot be read lets nobody in and throws nobody out.
  Write("nonsense\n");
  tokens->Tick();
  EXPECT_TRUE(Ask(tokens.get(), bob.token).ok());
  EXPECT_FALSE(Ask(tokens.get(), ada.token).ok());
}

TEST_F(TokenFileTest, WhatIsWrongIsSaidWithItsPlace) {
  const std::string hex(64, '0');
  const std::pair<std::string, const char*> cases[] = {
      {"ada sha256:" + hex, "tokens:2: write: name sha256:HEX role"},
      {"ada " + hex + " viewer", "tokens:2: after the name comes sha256:"},
      {"ada sha256:00 viewer", "tokens:2: after the name comes sha256:"},
      {"ada sha256:" + hex + " boss", "tokens:2: \"boss\" is no role"},
      {"a sha256:" + hex + " viewer\nb sha256:" + hex + " admin", "tokens:3: this digest stands"},
  };
  for (const auto& [line, why] : cases) {
    Write("# one\n" + line + "\n");
    EXPECT_THAT(std::string(OpenTokenFile(path_).status().message()), HasSubstr(why));
  }
  EXPECT_FALSE(OpenTokenFile(folder_.path() + "/none").ok());
}

}  // namespace
}  // namespace jaque::ui
