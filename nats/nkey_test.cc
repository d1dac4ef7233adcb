// SPDX-License-Identifier: Apache-2.0
#include "nats/nkey.h"

#include "gtest/gtest.h"

namespace jaque::nats {
namespace {

// From the documentation of NATS ("Using NKeys").
constexpr char kSeed[] = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr char kPublic[] = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

TEST(NKey, ASeedHasAPublicKey) {
  EXPECT_EQ(PublicKeyOfSeed(kSeed).value(), kPublic);
  EXPECT_EQ(PublicKeyOfSeed(std::string("-----BEGIN USER NKEY SEED-----\n") + kSeed +
                            "\n------END USER NKEY SEED------\n")
                .value(),
            kPublic);
}

TEST(NKey, WhatIsNoSeedIsRefusedAndNotSaid) {
  std::string wrong = kSeed;
  wrong[20] = wrong[20] == 'A' ? 'B' : 'A';
  for (const std::string& text : {std::string(), std::string(kPublic), wrong,
                                  std::string(kSeed).substr(1), std::string(kSeed) + "A"}) {
    const absl::Status status = PublicKeyOfSeed(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_EQ(std::string(status.message()).find(wrong.substr(2)), std::string::npos);
  }
}

}  // namespace
}  // namespace jaque::nats
