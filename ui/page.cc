// SPDX-License-Identifier: Apache-2.0
#include "ui/page.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "zlib.h"

namespace jaque::ui {
namespace {

constexpr std::string_view kDocument = "/index.html";
constexpr std::string_view kBase = "<base href=\"./\">";

std::string Inflate(std::string_view gzip) {
  z_stream stream{};
  JAQUE_CHECK(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    const size_t size = out.size();
    out.resize(size + (64 << 10));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = 64 << 10;
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  JAQUE_CHECK(result == Z_STREAM_END);
  return out;
}

// The parts between the separators, without the spaces around them.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// "gzip" or "*" among the codings that the client takes, not refused by ";q=0".
bool TakesGzip(const HttpRequest& request) {
  for (const std::string_view coding : Split(request.Header("Accept-Encoding"), ',')) {
    const std::vector<std::string_view> parts = Split(coding, ';');
    if (parts[0] != "gzip" && parts[0] != "*") continue;
    return parts.size() < 2 || parts[1].find_first_not_of("q=0.") != std::string_view::npos;
  }
  return false;
}

bool Knows(const HttpRequest& request, std::string_view etag) {
  for (std::string_view known : Split(request.Header("If-None-Match"), ',')) {
    if (known.starts_with("W/")) known.remove_prefix(2);
    if (known == etag || known == "*") return true;
  }
  return false;
}

const PageFile* Find(const PageFiles& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PageFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

bool IsDocument(const HttpRequest& request) {
  const std::string_view path = request.path;
  for (const std::string_view other : {"/api", "/assets", "/healthz", "/readyz", "/metrics"}) {
    if (path == other || (path.starts_with(other) && path[other.size()] == '/')) return false;
  }
  return request.Header("Accept").find("text/html") != std::string_view::npos;
}

HttpResponse Answer(const PageFile& file, std::string etag) {
  HttpResponse response;
  response.content_type = std::string(file.content_type);
  response.headers = {
      {"ETag", std::move(etag)},
      {"Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Vary", "Accept-Encoding"},
  };
  return response;
}

HttpResponse NotModified(HttpResponse response) {
  response.status = 304;
  response.content_type.clear();
  return response;
}

HttpResponse ServeFile(const PageFile& file, const HttpRequest& request) {
  HttpResponse response = Answer(file, std::string(file.etag));
  if (Knows(request, file.etag)) return NotModified(std::move(response));
  if (TakesGzip(request)) {
    response.body = std::string(file.gzip);
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else {
    response.body = Inflate(file.gzip);
  }
  return response;
}

// As it stands the document is at the root; from "/instances/7" the root is one level up.
HttpResponse ServeDocument(const PageFile& file, const HttpRequest& request) {
  const auto levels = std::count(request.path.begin(), request.path.end(), '/') - 1;
  std::string up = "./";
  for (auto level = levels; level > 0; --level) up += "../";
  std::string etag(file.etag);
  etag.insert(etag.size() - 1, "-" + std::to_string(levels));
  HttpResponse response = Answer(file, etag);
  response.headers.back() = {"Vary", "Accept"};
  if (Knows(request, etag)) return NotModified(std::move(response));
  response.body = Inflate(file.gzip);
  const size_t base = response.body.find(kBase);
  JAQUE_CHECK(base != std::string::npos);
  response.body.replace(base, kBase.size(), "<base href=\"" + up + "\">");
  return response;
}

}  // namespace

std::optional<HttpResponse> ServePage(const PageFiles& files, const HttpRequest& request) {
  if (request.method != "GET" || files.empty()) return std::nullopt;
  const PageFile* file = Find(files, request.path);
  if (file != nullptr && file->path != kDocument) return ServeFile(*file, request);
  if (!IsDocument(request)) return std::nullopt;
  const PageFile* document = Find(files, kDocument);
  JAQUE_CHECK(document != nullptr);
  return ServeDocument(*document, request);
}

}  // namespace jaque::ui
