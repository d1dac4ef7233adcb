// SPDX-License-Identifier: Apache-2.0
// How an answer travels: entity tags (If-None-Match, If-Match) and gzip. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "ui/http.h"

namespace jaque::ui {

// A strong entity tag of these bytes, with its quotes.
std::string EntityTag(std::string_view bytes);

// Whether a header that lists tags, or "*", has this one; absent: `fallback`.
bool MatchesTag(std::string_view header, std::string_view tag, bool fallback);

// Wraps a reply: answers to GET get a tag, are 304 where the client has them, and are compressed
// where it takes that and it pays.
HttpReply Encoded(const HttpRequest& request, HttpReply reply);

}  // namespace jaque::ui
