// SPDX-License-Identifier: Apache-2.0
// An HTTP request and its answer, as the API sees them; the server below them is http_server.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace jaque::ui {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"; HEAD comes as GET
  std::string path;    // as sent, before the '?'
  std::string query;   // as sent, after the '?'
  HttpHeaders headers;
  std::string body;
  std::string peer;  // the address that it came from

  // The first header of that name, whatever its case; "" if there is none.
  std::string_view Header(std::string_view name) const;
};

// A body that comes piece by piece, as long as its connection lives: that lets go of it when the
// client has gone or the server stops.
class HttpStream {
 public:
  // Called once, on any thread; an empty piece ends the body.
  using PieceFn = absl::AnyInvocable<void(std::string)>;

  virtual ~HttpStream() = default;
  // Asked for when the piece before is written: a client that reads slowly is given no more.
  virtual void Next(PieceFn piece) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  HttpHeaders headers;
  std::shared_ptr<HttpStream> stream;  // instead of `body`, unless null
};

// Answers one request. Called exactly once, on any thread.
using HttpReply = absl::AnyInvocable<void(HttpResponse)>;

// Serves one request; runs on the server's thread and must not block.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;

// Percent-decodes; false where an escape is broken. A '+' is a space in a query only.
bool PercentDecode(std::string_view text, bool plus_is_space, std::string* out);

// The parameters of a query, decoded, in order; false where an escape is broken.
bool ParseQuery(std::string_view query, HttpHeaders* parameters);

// What every answer says to browsers, as lines of its head: types mean what they say, pages load
// and run what we serve and nothing else, in no frame, and tell nobody where they were.
std::string_view SecurityHeaders();

// The reason phrase of a status, "Not Found".
std::string_view ReasonPhrase(int status);

}  // namespace jaque::ui
