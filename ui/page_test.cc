// SPDX-License-Identifier: Apache-2.0
#include "ui/page.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "zlib.h"

namespace jaque::ui {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string Gzip(std::string text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class PageTest : public ::testing::Test {
 protected:
  std::optional<HttpResponse> Get(const std::string& path, HttpHeaders headers = {}) {
    HttpRequest request;
    request.method = method_;
    request.path = path;
    request.headers = std::move(headers);
    return ServePage(files_, request);
  }
  // As a browser asks for a page.
  HttpResponse Visit(const std::string& path) {
    std::optional<HttpResponse> response = Get(path, {{"Accept", "text/html,*/*;q=0.8"}});
    EXPECT_TRUE(response.has_value()) << path;
    return response.value_or(HttpResponse{});
  }

  const std::string script_ = std::string(200'000, 'x') + "end";
  const std::string gzip_ = Gzip(script_);
  const std::string document_ = Gzip("<head><base href=\"./\"></head>");
  const PageFiles files_ = {
      {"/assets/index-1a.js", "text/javascript", "\"abc\"", true, gzip_},
      {"/icon.svg", "image/svg+xml", "\"i\"", false, gzip_},
      {"/index.html", "text/html; charset=utf-8", "\"def\"", false, document_},
  };
  std::string method_ = "GET";
};

TEST_F(PageTest, SendsFilesAsTheyAreCompressed) {
  const HttpResponse response =
      *Get("/assets/index-1a.js", {{"Accept-Encoding", "deflate, gzip;q=0.8, br"}});
  EXPECT_EQ(response.body, gzip_);
  EXPECT_EQ(response.content_type, "text/javascript");
  EXPECT_THAT(response.headers, Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_THAT(response.headers, Contains(Pair("Vary", "Accept-Encoding")));
}

TEST_F(PageTest, DecompressesForThoseWhoCannot) {
  for (const char* codings : {"", "identity", "br", "gzip;q=0, br", "gzip; q=0.0000"}) {
    const HttpResponse response = *Get("/assets/index-1a.js", {{"Accept-Encoding", codings}});
    EXPECT_EQ(response.body, script_) << codings;
    EXPECT_THAT(response.headers, Not(Contains(Pair("Content-Encoding", "gzip"))));
  }
}

TEST_F(PageTest, KeepsForeverWhatItsNameIdentifies) {
  EXPECT_THAT(Get("/assets/index-1a.js")->headers,
              Contains(Pair("Cache-Control", "public, max-age=31536000, immutable")));
  EXPECT_THAT(Get("/icon.svg")->headers, Contains(Pair("Cache-Control", "no-cache")));
  EXPECT_THAT(Visit("/").headers, Contains(Pair("Cache-Control", "no-cache")));
}

TEST_F(PageTest, SaysWhatHasNotChanged) {
  for (const char* known : {"\"i\"", "W/\"i\"", "\"x\", \"i\"", "*"}) {
    const HttpResponse response = *Get("/icon.svg", {{"If-None-Match", known}});
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(Get("/icon.svg", {{"If-None-Match", "\"other\""}})->status, 200);
}

TEST_F(PageTest, TheDocumentKnowsHowFarBelowTheRootItIs) {
  EXPECT_THAT(Visit("/").body, HasSubstr("<base href=\"./\">"));
  EXPECT_THAT(Visit("/instances").body, HasSubstr("<base href=\"./\">"));
  EXPECT_THAT(Visit("/instances/01J").body, HasSubstr("<base href=\"./../\">"));
  EXPECT_THAT(Visit("/definitions/a/b").body, HasSubstr("<base href=\"./../../\">"));
  EXPECT_THAT(Visit("/index.html").body, HasSubstr("<base href=\"./\">"));
}

TEST_F(PageTest, TheDocumentsOfTwoDepthsAreTwo) {
  EXPECT_THAT(Visit("/instances").headers, Contains(Pair("ETag", "\"def-0\"")));
  EXPECT_THAT(Visit("/instances/01J").headers, Contains(Pair("ETag", "\"def-1\"")));
  EXPECT_EQ(Get("/x/y", {{"Accept", "text/html"}, {"If-None-Match", "\"def-0\""}})->status, 200);
  EXPECT_EQ(Get("/x/y", {{"Accept", "text/html"}, {"If-None-Match", "\"def-1\""}})->status, 304);
}

TEST_F(PageTest, NothingButOurOwnFilesMayRun) {
  EXPECT_THAT(std::string(SecurityHeaders()),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'self';"),
                    HasSubstr("style-src 'self';"), HasSubstr("base-uri 'self'"),
                    Not(HasSubstr("unsafe"))));
}

TEST_F(PageTest, LeavesWhatIsNotThePages) {
  const HttpHeaders html = {{"Accept", "text/html"}};
  for (const char* path :
       {"/api", "/api/v1/nothing", "/assets/old-2b.js", "/healthz", "/readyz", "/metrics"}) {
    EXPECT_FALSE(Get(path, html).has_value()) << path;
  }
  EXPECT_TRUE(Get("/apiary", html).has_value());
  EXPECT_FALSE(Get("/instances", {{"Accept", "application/json"}}).has_value());
  method_ = "POST";
  EXPECT_FALSE(Get("/instances", html).has_value());
}

}  // namespace
}  // namespace jaque::ui
