// SPDX-License-Identifier: Apache-2.0
#include "ui/client_address.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

std::string ClientOf(const std::vector<std::string>& networks, const std::string& peer,
                     HttpHeaders headers) {
  HttpRequest request;
  request.peer = peer;
  request.headers = std::move(headers);
  return TrustedProxies::Parse(networks).value().ClientOf(request);
}

TEST(ClientAddressTest, NobodyIsBelievedByDefault) {
  EXPECT_EQ(ClientOf({}, "192.0.2.9", {{"X-Forwarded-For", "10.1.1.1"}}), "192.0.2.9");
}

TEST(ClientAddressTest, OfAChainTheLastThatIsNoProxyCounts) {
  EXPECT_EQ(ClientOf({"10.0.0.0/8"}, "10.0.0.1",
                     {{"x-forwarded-for", "1.1.1.1, 192.0.2.9"}, {"X-Forwarded-For", "10.2.2.2"}}),
            "192.0.2.9");
}

TEST(ClientAddressTest, WhatIsNoAddressEndsTheChain) {
  EXPECT_EQ(ClientOf({"10.0.0.0/8"}, "10.0.0.1", {{"X-Forwarded-For", "1.1.1.1, <script>"}}),
            "10.0.0.1");
}

TEST(ClientAddressTest, TakesBothFamilies) {
  EXPECT_EQ(ClientOf({"fd00::/8"}, "fd00::1", {{"X-Forwarded-For", "2001:db8::7"}}), "2001:db8::7");
  EXPECT_EQ(ClientOf({"10.0.0.0/8"}, "::ffff:10.0.0.1", {{"X-Forwarded-For", "192.0.2.9"}}),
            "192.0.2.9");
  EXPECT_EQ(ClientOf({}, "::ffff:10.0.0.1", {}), "10.0.0.1");
}

TEST(ClientAddressTest, ANetworkHasToBeOne) {
  for (const char* text : {"everybody", "10.0.0.0/33", "", "fd00::/129", "10.0.0/8"}) {
    EXPECT_FALSE(TrustedProxies::Parse({text}).ok()) << text;
  }
  EXPECT_TRUE(TrustedProxies::Parse({"192.0.2.1", "::1"}).ok());
}

}  // namespace
}  // namespace jaque::ui
