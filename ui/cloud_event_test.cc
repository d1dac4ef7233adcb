// SPDX-License-Identifier: Apache-2.0
#include "ui/cloud_event.h"

#include <string>

#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

HttpRequest Structured(const std::string& body) {
  HttpRequest request;
  request.headers = {{"Content-Type", "application/cloudevents+json"}};
  request.body = body;
  return request;
}

HttpRequest Binary(const std::string& type, const std::string& body) {
  HttpRequest request;
  request.headers = {{"CE-Id", "7"},
                     {"ce-source", "/shop"},
                     {"ce-specversion", "1.0"},
                     {"ce-type", "order%20placed"},
                     {"Content-Type", type},
                     {"Accept", "*/*"}};
  request.body = body;
  return request;
}

std::string MessageOf(const HttpRequest& request) {
  return std::string(ReceiveEvents(request).status().message());
}

TEST(CloudEventTest, StructuredModeIsTakenAsItIs) {
  const auto events = ReceiveEvents(
      Structured(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"a":[1]}})"));
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_THAT(*events, SizeIs(1));
  EXPECT_EQ(events->at(0).json,
            R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"a":[1]}})");
}

TEST(CloudEventTest, BinaryModeTakesAttributesFromHeaders) {
  const auto events = ReceiveEvents(Binary("application/json; charset=utf-8", R"({"a": 1})"));
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->at(0).json,
            R"({"id":"7","source":"/shop","specversion":"1.0","type":"order placed",)"
            R"("datacontenttype":"application/json; charset=utf-8","data":{"a":1}})");
  EXPECT_THAT(ReceiveEvents(Binary("text/plain", "hi"))->at(0).json, HasSubstr(R"("data":"hi")"));
  EXPECT_THAT(ReceiveEvents(Binary("image/png", "\x89PNG"))->at(0).json,
              HasSubstr(R"("data_base64":"iVBORw==")"));
}

TEST(CloudEventTest, BatchesKeepTheirOrder) {
  const auto events =
      ReceiveEvents(Structured(R"([{"specversion":"1.0","id":"1","source":"/s","type":"t"},
                                   {"specversion":"1.0","id":"2","source":"/s","type":"t"}])"));
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_THAT(*events, SizeIs(2));
  EXPECT_THAT(events->at(1).json, HasSubstr(R"("id":"2")"));
  EXPECT_TRUE(ReceiveEvents(Structured("[]")).ok());
}

TEST(CloudEventTest, DedupIdsOfDifferentPairsDiffer) {
  const auto one =
      ReceiveEvents(Structured(R"({"specversion":"1.0","id":"b:c","source":"a","type":"t"})"));
  const auto other =
      ReceiveEvents(Structured(R"({"specversion":"1.0","id":"c","source":"a:b","type":"t"})"));
  EXPECT_NE(one->at(0).dedup_id, other->at(0).dedup_id);
}

TEST(CloudEventTest, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(MessageOf(Structured("{")), HasSubstr("the body is no JSON"));
  EXPECT_EQ(MessageOf(Structured("3")), "event 1: it is no JSON object");
  EXPECT_EQ(MessageOf(Structured(R"({"specversion":"1.0","source":"/s","type":"t"})")),
            "event 1: attribute \"id\" is missing");
  EXPECT_EQ(MessageOf(Structured(R"({"specversion":"0.3","id":"1","source":"/s","type":"t"})")),
            "event 1: its specversion is \"0.3\", not \"1.0\"");
  EXPECT_EQ(
      MessageOf(Structured(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","Big":1})")),
      "event 1: \"Big\" is no attribute name: lower-case letters and digits only");
  EXPECT_EQ(MessageOf(Structured(
                R"([{"specversion":"1.0","id":"1","source":"/s","type":"t"},{"id":"2"}])")),
            "event 2: attribute \"source\" is missing");
  EXPECT_THAT(MessageOf(Binary("application/json", "{")), HasSubstr("its data is no JSON"));
}

TEST(CloudEventTest, SizeIsBounded) {
  const std::string big =
      "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\","
      "\"data\":\"" +
      std::string(limits::kInputBytes, 'x') + "\"}";
  EXPECT_TRUE(absl::IsResourceExhausted(ReceiveEvents(Structured(big)).status()));
  std::string many = "[0";
  for (size_t i = 0; i < limits::kEventsPerRequest; ++i) many += ",0";
  EXPECT_TRUE(absl::IsResourceExhausted(ReceiveEvents(Structured(many + "]")).status()));
}

}  // namespace
}  // namespace jaque::ui
