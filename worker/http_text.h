// SPDX-License-Identifier: Apache-2.0
// Small rules of HTTP and of URIs as text: names, media types, escaping, references. Pure; any
// thread. Sources: RFC 9110 (fields, methods, status codes), RFC 3986 (URIs).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

bool EqualsIgnoreCase(std::string_view a, std::string_view b);
std::string Lower(std::string_view text);
std::string_view Trim(std::string_view text);
std::string EncodeBase64(std::string_view bytes);

// A method or a header name: RFC 9110 "token".
bool IsToken(std::string_view text);
// No line ends or other control characters that would end the header early.
bool IsFieldValue(std::string_view text);
// "content-TYPE" as "Content-Type".
std::string CanonicalHeaderName(std::string_view name);
// "Not Found"; empty for a code without a name.
std::string_view ReasonPhrase(int status);

// Type and subtype in small letters, without parameters.
std::string MediaType(std::string_view content_type);
// The parameter's value in small letters; empty if absent.
std::string MediaTypeParameter(std::string_view content_type, std::string_view name);
bool IsJsonType(std::string_view media_type);  // application/json, text/json, …+json
bool IsTextType(std::string_view media_type);  // text/…, XML, YAML, forms, scripts

// Everything but RFC 3986 "unreserved" as %XX.
std::string EscapeUriComponent(std::string_view text);
// Escapes what may not stand in a URI at all (white space, control characters, non-ASCII, a % that
// begins no escape) and leaves the rest alone: nothing is escaped twice.
std::string EscapeUri(std::string_view uri);
// Adds name=value pairs, escaped, to those that are there, before a fragment.
std::string AddQuery(std::string_view uri,
                     const std::vector<std::pair<std::string, std::string>>& query);
// `reference` (of a Location header, of an OpenAPI server) seen from `base`; InvalidArgument if it
// is none.
absl::StatusOr<std::string> ResolveUri(const std::string& base, const std::string& reference);
// Scheme, host and port are the same.
bool SameOrigin(const std::string& a, const std::string& b);
// "http://host:1/p?q" without user information, for messages.
std::string WithoutUserInfo(const std::string& uri);

}  // namespace jaque
