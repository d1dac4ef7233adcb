// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

using ::testing::HasSubstr;

TEST(MetricsTest, TextNamesEachMetricWithItsHelp) {
  Metrics metrics;
  metrics.instances_started.Increment();
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("# HELP jaque_instances_started_total Instances that were started."));
  EXPECT_THAT(text, HasSubstr("\njaque_instances_started_total 1"));
  EXPECT_THAT(text, HasSubstr("\njaque_engine_appends_total 0"));
}

TEST(MetricsTest, RequestsAreCountedByClassAndTime) {
  Metrics metrics;
  metrics.CountHttpRequest(204, absl::Milliseconds(3));
  metrics.CountHttpRequest(404, absl::Milliseconds(30));
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("jaque_http_requests_total{class=\"2xx\"} 1"));
  EXPECT_THAT(text, HasSubstr("jaque_http_requests_total{class=\"4xx\"} 1"));
  EXPECT_THAT(text, HasSubstr("jaque_http_requests_total{class=\"5xx\"} 0"));
  EXPECT_THAT(text, HasSubstr("jaque_http_request_seconds_bucket{le=\"0.005\"} 1"));
  EXPECT_THAT(text, HasSubstr("jaque_http_request_seconds_count 2"));
}

}  // namespace
}  // namespace jaque
