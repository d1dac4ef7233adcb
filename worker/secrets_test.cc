// SPDX-License-Identifier: Apache-2.0
#include "worker/secrets.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "expression/json.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque {
namespace {

class SecretStoreTest : public ::testing::Test {
 protected:
  SecretStoreTest() {
    EXPECT_TRUE(temp_.ok());
    options_.folder = temp_.path() + "/secrets";
    std::filesystem::create_directory(options_.folder);
    Write("../outside", "no");
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(options_.folder + "/" + name) << text;
  }
  // Its JSON, or "none".
  std::string Get(const std::string& name) {
    auto store = MakeSecretStore(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    const auto secret = (*store)->Get(name);
    return secret.ok() ? ToJson(*secret) : "none";
  }

  std::string root_;
  const testing::TempFolder temp_;
  SecretStoreOptions options_;
};

TEST_F(SecretStoreTest, FilesAreTextOrJson) {
  Write("token", "abc\n");
  Write("spaces", "  a b \n\n");
  Write("login", "{\"username\": \"u\", \"password\": 12}\n");
  Write("number", "12345");
  Write("almost", "{not json");
  Write("empty", "");
  EXPECT_EQ(Get("token"), "\"abc\"");
  EXPECT_EQ(Get("spaces"), "\"  a b \\n\"");
  EXPECT_EQ(Get("login"), "{\"username\":\"u\",\"password\":12}");
  EXPECT_EQ(Get("number"), "\"12345\"");
  EXPECT_EQ(Get("almost"), "\"{not json\"");
  EXPECT_EQ(Get("empty"), "\"\"");
}

TEST_F(SecretStoreTest, AReplacedFileIsSeen) {
  Write("token", "one");
  auto store = MakeSecretStore(options_);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(ToJson(*(*store)->Get("token")), "\"one\"");
  Write("token", "two");
  EXPECT_EQ(ToJson(*(*store)->Get("token")), "\"two\"");
}

TEST_F(SecretStoreTest, NamesDoNotLeadOutOfTheFolder) {
  std::filesystem::create_directory(options_.folder + "/folder");
  for (const char* name :
       {"../outside", "", ".", "..", "a/b", "folder", "/etc/passwd", ".hidden"}) {
    EXPECT_EQ(Get(name), "none") << name;
  }
}

TEST_F(SecretStoreTest, TheEnvironmentComesSecond) {
  options_.environment = {{"JAQUE_SECRET_MY_TOKEN", "from-environment"},
                          {"JAQUE_SECRET_LOGIN", "{\"a\":1}"},
                          {"JAQUE_TARGET", "all"}};
  EXPECT_EQ(Get("my-token"), "\"from-environment\"");
  EXPECT_EQ(Get("login"), "{\"a\":1}");
  EXPECT_EQ(Get("target"), "none");
  Write("my-token", "from-file");
  EXPECT_EQ(Get("my-token"), "\"from-file\"");
  SecretStoreOptions without_folder = options_;
  without_folder.folder = temp_.path() + "/absent";
  EXPECT_FALSE(MakeSecretStore(without_folder).ok());
}

TEST(SecretEnvironmentTest, TakesOnlySecrets) {
  setenv("JAQUE_SECRET_TEST_ONE", "a=b", 1);
  const auto environment = SecretEnvironment();
  unsetenv("JAQUE_SECRET_TEST_ONE");
  ASSERT_EQ(environment.count("JAQUE_SECRET_TEST_ONE"), 1u);
  EXPECT_EQ(environment.at("JAQUE_SECRET_TEST_ONE"), "a=b");
  EXPECT_EQ(environment.count("PATH"), 0u);
}

}  // namespace
}  // namespace jaque
