// SPDX-License-Identifier: Apache-2.0
#include "nats/message.h"

#include "gtest/gtest.h"

namespace jaque::nats {
namespace {

TEST(ParseDelivery, OldAndNewForm) {
  for (const char* reply : {"$JS.ACK.S.c.2.10.5.1700000000000000000.7",
                            "$JS.ACK.domain.hash.S.c.2.10.5.1700000000000000000.7",
                            "$JS.ACK._.hash.S.c.2.10.5.1700000000000000000.7.random"}) {
    const auto info = ParseDelivery(reply);
    ASSERT_TRUE(info) << reply;
    EXPECT_EQ(info->stream, "S");
    EXPECT_EQ(info->consumer, "c");
    EXPECT_EQ(info->delivered, 2);
    EXPECT_EQ(info->stream_sequence, 10u);
    EXPECT_EQ(info->consumer_sequence, 5u);
    EXPECT_EQ(info->pending, 7u);
  }
}

TEST(ParseDelivery, WhatIsNone) {
  for (const char* reply :
       {"", "_INBOX.x", "$JS.ACK", "$JS.ACK.S.c.x.10.5.1.7", "$JS.ACK.S.c.1.2.3.4",
        "$JS.ACK.a.b.S.c.1.2.3.4", "...............", "................."}) {
    EXPECT_FALSE(ParseDelivery(reply)) << reply;
  }
}

}  // namespace
}  // namespace jaque::nats
