// SPDX-License-Identifier: Apache-2.0
#include "notifier/sender.h"

#include "gtest/gtest.h"

namespace jaque::notifier {
namespace {

// The example of the Standard Webhooks specification.
TEST(SenderTest, SignsAsStandardWebhooksSay) {
  EXPECT_EQ(Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
                 1614265330, "{\"test\": 2432232314}"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(SenderTest, ASecretWithoutPrefixIsTheKeyItself) {
  EXPECT_NE(Sign("abc", "id", 1, "x"), Sign("abd", "id", 1, "x"));
  EXPECT_NE(Sign("abc", "id", 1, "x"), Sign("abc", "id", 2, "x"));
  EXPECT_NE(Sign("abc", "id", 1, "x"), Sign("abc", "ie", 1, "x"));
  EXPECT_NE(Sign("abc", "id", 1, "x"), Sign("abc", "id", 1, "y"));
}

}  // namespace
}  // namespace jaque::notifier
