// SPDX-License-Identifier: Apache-2.0
#include "ui/request_checks.h"

#include <string>

#include "base/limits.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

// 0: nothing is wrong with it.
int Refused(const HttpRequest& request, bool has_host_name = true) {
  const auto refused = CheckRequest(request, has_host_name);
  return refused ? refused->status : 0;
}
int RefusedPath(const std::string& path) {
  HttpRequest request{"GET", path, "", {}, "", ""};
  return Refused(request);
}
int RefusedPost(HttpHeaders headers) {
  HttpRequest request{"POST", "/api/v1/events", "", std::move(headers), "{}", ""};
  return Refused(request);
}
int RefusedHost(const std::string& host) {
  HttpRequest request{"GET", "/", "", {{"Host", host}}, "", ""};
  return Refused(request, /*has_host_name=*/false);
}

TEST(RequestChecksTest, APathMeansItself) {
  EXPECT_EQ(RefusedPath("/api/v1/instances/a.b..c"), 0);
  EXPECT_EQ(RefusedPath("/api/v1/definitions/a%20b/..."), 0);
  for (const char* path :
       {"/api/../etc/passwd", "/..", "/api/./v1", "/%2e%2e/x", "/%2E./x", "/a%2fb", "/a%5cb",
        "/a\\..\\b", "/a%00", "/a%0d%0aX:1", "/a%2", "api/v1", "http://other/api/v1", ""}) {
    EXPECT_EQ(RefusedPath(path), 400) << path;
  }
}

TEST(RequestChecksTest, WhatCountsStandsOnce) {
  for (const char* name : {"authorization", "Host", "Content-Type", "Content-Length", "Origin"}) {
    EXPECT_EQ(RefusedPost({{name, "a"}, {name, "a"}}), 400) << name;
  }
  EXPECT_EQ(RefusedPost({{"X-Forwarded-For", "a"}, {"X-Forwarded-For", "b"}}), 0);
}

TEST(RequestChecksTest, ABombOfHeadersIsRefused) {
  HttpHeaders headers(limits::kRequestHeaderLines, {"X", "y"});
  EXPECT_EQ(RefusedPost(headers), 0);
  headers.emplace_back("X", "y");
  EXPECT_EQ(RefusedPost(headers), 431);
}

TEST(RequestChecksTest, APageOfAnotherSiteMayNotWrite) {
  EXPECT_EQ(RefusedPost({{"Host", "jaque.example"}, {"Origin", "https://jaque.example"}}), 0);
  EXPECT_EQ(RefusedPost({{"Host", "jaque.example"}, {"Origin", "https://evil.example"}}), 403);
  EXPECT_EQ(RefusedPost({{"Host", "jaque.example"}, {"Origin", "null"}}), 403);
  EXPECT_EQ(RefusedPost({{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(RefusedPost({{"Sec-Fetch-Site", "same-site"}}), 403);
  EXPECT_EQ(RefusedPost({{"Sec-Fetch-Site", "same-origin"}}), 0);
}

TEST(RequestChecksTest, WhatAFormCanSendIsNoWrite) {
  for (const char* type : {"text/plain", "Text/Plain; charset=utf-8", "multipart/form-data; x=y",
                           "application/x-www-form-urlencoded"}) {
    EXPECT_EQ(RefusedPost({{"Content-Type", type}}), 415) << type;
    EXPECT_EQ(RefusedPost({{"Content-Type", type}, {"Authorization", "Bearer t"}}), 0) << type;
  }
  for (const char* type : {"application/json", "application/yaml",
                           "application/cloudevents-batch+json; charset=utf-8", ""}) {
    EXPECT_EQ(RefusedPost({{"Content-Type", type}}), 0) << type;
  }
}

TEST(RequestChecksTest, OnLoopbackANameThatSomebodyPointsHereIsNotOurs) {
  EXPECT_EQ(RefusedHost("127.0.0.1:8080"), 0);
  EXPECT_EQ(RefusedHost("[::1]:8080"), 0);
  EXPECT_EQ(RefusedHost("localhost"), 0);
  EXPECT_EQ(RefusedHost(""), 0);
  EXPECT_EQ(RefusedHost("evil.example:8080"), 403);
  EXPECT_EQ(RefusedHost("localhost.evil.example"), 403);
}

}  // namespace
}  // namespace jaque::ui
