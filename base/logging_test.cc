// SPDX-License-Identifier: Apache-2.0
#include "base/logging.h"

#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(LoggingTest, TextQuotesWhatWouldReadAsTwoFields) {
  EXPECT_EQ(FormatLogText("engine started", {{"shards", 128}, {"id", "e1"}, {"ready", true}}),
            "engine started shards=128 id=e1 ready=true");
  EXPECT_EQ(FormatLogText("refused", {{"why", "a b=c"}, {"empty", ""}}),
            "refused why=\"a b=c\" empty=\"\"");
}

TEST(LoggingTest, ValuesOfStrangersCannotForgeALine) {
  EXPECT_EQ(FormatLogText("refused", {{"name", "x\ninfo all is well"}}),
            "refused name=\"x\\u000ainfo all is well\"");
  EXPECT_EQ(FormatLogJson("refused", {{"name", "\",\"level\":\"info"}, {"n", 1}}),
            "\"message\":\"refused\",\"name\":\"\\\",\\\"level\\\":\\\"info\",\"n\":1");
}

TEST(LoggingTest, LevelsAndFormatsAreNamed) {
  LogLevel level;
  EXPECT_TRUE(ParseLogLevel("warn", &level).ok());
  EXPECT_EQ(level, LogLevel::kWarn);
  EXPECT_EQ(ParseLogLevel("loud", &level).message(),
            "\"loud\" is none of debug, info, warn, error, off");
  LogFormat format;
  EXPECT_TRUE(ParseLogFormat("json", &format).ok());
  EXPECT_EQ(format, LogFormat::kJson);
  EXPECT_FALSE(ParseLogFormat("xml", &format).ok());
}

}  // namespace
}  // namespace jaque
