// SPDX-License-Identifier: Apache-2.0
#include "ui/routes.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest()
      : routes_([](const Access&, Call call, const Routes::Handler& handler) {
          handler(std::move(call));
        }) {
    const auto remember = [this](Call call) {
      path_ = call.path;
      query_ = call.query;
      call.reply(HttpResponse{});
    };
    routes_.Add("GET", "/things/{id}", Open(), {"wait"}, remember);
    routes_.Add("POST", "/things/{id}", Open(), {}, remember);
    routes_.Add("POST", "/things/{id}/stop", Open(), {}, remember);
  }

  HttpResponse Get(const std::string& method, const std::string& path,
                   const std::string& query = "") {
    std::optional<HttpResponse> response;
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.query = query;
    routes_.Dispatch(std::move(request), [&response](HttpResponse r) { response = std::move(r); });
    return response.value();
  }

  Routes routes_;
  std::vector<std::string> path_;
  HttpHeaders query_;
};

TEST_F(RoutesTest, PathAndQueryAreDecoded) {
  EXPECT_EQ(Get("GET", "/things/a%20b", "wait=1%2B1+s").status, 200);
  EXPECT_THAT(path_, ElementsAre("a b"));
  EXPECT_THAT(query_, ElementsAre(Pair("wait", "1+1 s")));
}

TEST_F(RoutesTest, UnknownPathsAre404) {
  EXPECT_EQ(Get("GET", "/").status, 404);
  EXPECT_EQ(Get("GET", "/things/").status, 404);
  EXPECT_EQ(Get("GET", "/things/a/b").status, 404);
  EXPECT_EQ(Get("GET", "/things/a").status, 200);
}

TEST_F(RoutesTest, OtherMethodsAre405AndSayWhichAreAllowed) {
  const HttpResponse response = Get("DELETE", "/things/a");
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.headers, ElementsAre(Pair("Allow", "GET, POST")));
  EXPECT_EQ(response.content_type, "application/problem+json");
}

TEST_F(RoutesTest, AMisspeltParameterIsRefused) {
  const HttpResponse response = Get("GET", "/things/a", "wiat=3s");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("unknown parameter \\\"wiat\\\": there are wait"));
  EXPECT_EQ(Get("GET", "/things/a", "wait=1s&wait=2s").status, 400);
  EXPECT_EQ(Get("GET", "/things/a", "wait=%zz").status, 400);
  EXPECT_EQ(Get("GET", "/things/%2").status, 400);
}

}  // namespace
}  // namespace jaque::ui
