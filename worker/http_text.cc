// SPDX-License-Identifier: Apache-2.0
#include "worker/http_text.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

struct UrlFree {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(char* text) const { curl_free(text); }
};
using Url = std::unique_ptr<CURLU, UrlFree>;

Url ParseUrl(const std::string& text) {
  Url url(curl_url());
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return nullptr;
  }
  return url;
}

std::string Part(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, UrlFree> owned(text);
  return text;
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void AppendEscaped(char c, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out->append({'%', kHex[byte >> 4], kHex[byte & 15]});
}

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return absl::ascii_tolower(x) == absl::ascii_tolower(y);
         });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(text.front())) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(text.back())) text.remove_suffix(1);
  return text;
}

std::string EncodeBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

bool IsToken(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isalnum(c) || kOthers.find(c) != std::string_view::npos;
  });
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

std::string CanonicalHeaderName(std::string_view name) {
  std::string canonical(name);
  bool first = true;
  for (char& c : canonical) {
    c = first ? absl::ascii_toupper(c) : absl::ascii_tolower(c);
    first = c == '-';
  }
  return canonical;
}

std::string_view ReasonPhrase(int status) {
  static constexpr std::pair<int, std::string_view> kPhrases[] = {
      {300, "Multiple Choices"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {402, "Payment Required"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {407, "Proxy Authentication Required"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {423, "Locked"},
      {424, "Failed Dependency"},
      {425, "Too Early"},
      {426, "Upgrade Required"},
      {428, "Precondition Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {451, "Unavailable For Legal Reasons"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
      {507, "Insufficient Storage"},
      {508, "Loop Detected"},
      {511, "Network Authentication Required"},
  };
  for (const auto& [code, phrase] : kPhrases) {
    if (code == status) return phrase;
  }
  return "";
}

std::string MediaType(std::string_view content_type) {
  return Lower(Trim(content_type.substr(0, content_type.find(';'))));
}

std::string MediaTypeParameter(std::string_view content_type, std::string_view name) {
  size_t at = content_type.find(';');
  while (at != std::string_view::npos) {
    content_type.remove_prefix(at + 1);
    at = content_type.find(';');
    const std::string_view parameter = content_type.substr(0, at);
    const size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (!EqualsIgnoreCase(Trim(parameter.substr(0, equals)), name)) continue;
    std::string_view value = Trim(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    return Lower(value);
  }
  return "";
}

bool IsJsonType(std::string_view media_type) {
  return media_type == "application/json" || media_type == "text/json" ||
         (media_type.size() > 5 && media_type.substr(media_type.size() - 5) == "+json");
}

bool IsTextType(std::string_view media_type) {
  static constexpr std::string_view kTypes[] = {
      "application/xml",        "application/yaml", "application/x-yaml",
      "application/javascript", "application/sql",  "application/x-www-form-urlencoded",
      "application/graphql",    "application/toml", "application/x-ndjson"};
  return media_type.substr(0, 5) == "text/" ||
         (media_type.size() > 4 && media_type.substr(media_type.size() - 4) == "+xml") ||
         (media_type.size() > 5 && media_type.substr(media_type.size() - 5) == "+yaml") ||
         std::find(std::begin(kTypes), std::end(kTypes), media_type) != std::end(kTypes);
}

std::string EscapeUriComponent(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      escaped.push_back(c);
    } else {
      AppendEscaped(c, &escaped);
    }
  }
  return escaped;
}

std::string EscapeUri(std::string_view uri) {
  constexpr std::string_view kReserved = ":/?#[]@!$&'()*+,;=";
  std::string escaped;
  for (size_t i = 0; i < uri.size(); ++i) {
    const char c = uri[i];
    const bool is_escape = c == '%' && i + 2 < uri.size() && absl::ascii_isxdigit(uri[i + 1]) &&
                           absl::ascii_isxdigit(uri[i + 2]);
    if (IsUnreserved(c) || is_escape || kReserved.find(c) != std::string_view::npos) {
      escaped.push_back(c);
    } else {
      AppendEscaped(c, &escaped);
    }
  }
  return escaped;
}

std::string AddQuery(std::string_view uri,
                     const std::vector<std::pair<std::string, std::string>>& query) {
  const size_t hash = uri.find('#');
  std::string added(uri.substr(0, hash));
  const size_t mark = added.find('?');
  bool first = mark == std::string::npos;
  const bool bare = !first && (added.back() == '?' || added.back() == '&');
  for (const auto& [name, value] : query) {
    if (first) {
      added.push_back('?');
    } else if (!(bare && &query.front().first == &name)) {
      added.push_back('&');
    }
    first = false;
    added.append(EscapeUriComponent(name)).append("=").append(EscapeUriComponent(value));
  }
  if (hash != std::string_view::npos) added.append(uri.substr(hash));
  return added;
}

absl::StatusOr<std::string> ResolveUri(const std::string& base, const std::string& reference) {
  const Url url = ParseUrl(base);
  if (url == nullptr ||
      curl_url_set(url.get(), CURLUPART_URL, EscapeUri(reference).c_str(), 0) != CURLUE_OK) {
    return absl::InvalidArgumentError(Cat("\"", reference, "\" is no URI reference"));
  }
  return Part(url, CURLUPART_URL);
}

bool SameOrigin(const std::string& a, const std::string& b) {
  const Url one = ParseUrl(a), two = ParseUrl(b);
  if (one == nullptr || two == nullptr) return false;
  const auto port = [](const Url& url) { return Part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT); };
  return Part(one, CURLUPART_SCHEME) == Part(two, CURLUPART_SCHEME) && port(one) == port(two) &&
         EqualsIgnoreCase(Part(one, CURLUPART_HOST), Part(two, CURLUPART_HOST));
}

std::string WithoutUserInfo(const std::string& uri) {
  const size_t start = uri.find("://");
  if (start == std::string::npos) return uri;
  const size_t end = std::min(uri.find_first_of("/?#", start + 3), uri.size());
  const size_t at = uri.rfind('@', end);
  if (at == std::string::npos || at < start + 3 || at >= end) return uri;
  return uri.substr(0, start + 3) + uri.substr(at + 1);
}

}  // namespace jaque
