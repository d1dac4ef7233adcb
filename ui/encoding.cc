// SPDX-License-Identifier: Apache-2.0
#include "ui/encoding.h"

#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/limits.h"
#include "fmt/format.h"

namespace jaque::ui {
namespace {

// What is sent compressed is not the same bytes, so it has a tag of its own that means the same.
constexpr absl::string_view kZipped = "-gzip\"";

absl::string_view Trimmed(absl::string_view text) { return absl::StripAsciiWhitespace(text); }

// A tag as it was made: without the mark of a weak one and of a compressed one.
std::string Plain(absl::string_view tag) {
  if (absl::StartsWith(tag, "W/")) tag.remove_prefix(2);
  if (absl::EndsWith(tag, kZipped)) {
    return std::string(tag.substr(0, tag.size() - kZipped.size())) + "\"";
  }
  return std::string(tag);
}

bool TakesGzip(std::string_view header) {
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(header.data(), header.size()), ',')) {
    const std::pair<absl::string_view, absl::string_view> coding =
        absl::StrSplit(part, absl::MaxSplits(';', 1));
    const absl::string_view name = Trimmed(coding.first);
    if (!absl::EqualsIgnoreCase(name, "gzip") && name != "*") continue;
    const absl::string_view weight = Trimmed(coding.second);
    return !(absl::StartsWith(weight, "q=0") &&
             weight.find_first_of("123456789") == absl::string_view::npos);
  }
  return false;
}

std::optional<std::string> Zip(const std::string& body) {
  z_stream stream = {};
  // 16: with a gzip header. The lowest level: answers are made once and read once.
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END || out.size() >= body.size()) return std::nullopt;
  return out;
}

bool IsText(std::string_view type) {
  return type.find("json") != std::string_view::npos ||
         type.find("yaml") != std::string_view::npos || type.substr(0, 5) == "text/" ||
         type.find("javascript") != std::string_view::npos || type.substr(0, 9) == "image/svg";
}

std::string* FindHeader(HttpResponse* response, std::string_view name) {
  for (auto& [key, value] : response->headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

// What of a request decides how its answer travels.
struct Asked {
  bool get = false;
  bool gzip = false;
  std::string if_none_match;
};

void Tag(const Asked& asked, HttpResponse* response) {
  if (!asked.get || response->status != 200 || response->body.empty()) return;
  std::string* tag = FindHeader(response, "ETag");
  if (tag == nullptr) {
    response->headers.emplace_back("ETag", EntityTag(response->body));
    tag = &response->headers.back().second;
  }
  if (FindHeader(response, "Cache-Control") == nullptr) {
    response->headers.emplace_back("Cache-Control", "private, no-cache");
    tag = FindHeader(response, "ETag");
  }
  if (!MatchesTag(asked.if_none_match, *tag, /*fallback=*/false)) return;
  response->status = 304;
  response->body.clear();
  response->content_type.clear();
}

void Compress(const Asked& asked, HttpResponse* response) {
  if (response->body.size() < limits::kGzipBytes || !IsText(response->content_type) ||
      FindHeader(response, "Content-Encoding") != nullptr) {
    return;
  }
  response->headers.emplace_back("Vary", "Accept-Encoding");
  if (!asked.gzip) return;
  std::optional<std::string> zipped = Zip(response->body);
  if (!zipped) return;
  response->body = *std::move(zipped);
  response->headers.emplace_back("Content-Encoding", "gzip");
  if (std::string* tag = FindHeader(response, "ETag"); tag != nullptr && !tag->empty()) {
    tag->replace(tag->size() - 1, 1, std::string(kZipped));
  }
}

}  // namespace

std::string EntityTag(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("\"{:016x}{:016x}\"", hash.high64, hash.low64);
}

bool MatchesTag(std::string_view header, std::string_view tag, bool fallback) {
  if (header.empty()) return fallback;
  const std::string wanted = Plain(absl::string_view(tag.data(), tag.size()));
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(header.data(), header.size()), ',')) {
    const absl::string_view one = Trimmed(part);
    if (one == "*" || Plain(one) == wanted) return true;
  }
  return false;
}

HttpReply Encoded(const HttpRequest& request, HttpReply reply) {
  Asked asked;
  asked.get = request.method == "GET";
  asked.gzip = TakesGzip(request.Header("Accept-Encoding"));
  asked.if_none_match = std::string(request.Header("If-None-Match"));
  return [asked = std::move(asked), reply = std::move(reply)](HttpResponse response) mutable {
    if (response.stream == nullptr) {
      Tag(asked, &response);
      Compress(asked, &response);
    }
    reply(std::move(response));
  };
}

}  // namespace jaque::ui
