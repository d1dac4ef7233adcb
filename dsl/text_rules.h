// SPDX-License-Identifier: Apache-2.0
// Rules that a text of a definition must keep: each says what is wrong, or "" if nothing is.
// Hand-written scanners instead of regular expressions, because the texts come from strangers.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jaque::dsl {

using TextRule = std::string (*)(std::string_view text);

std::string CheckSemanticVersion(std::string_view text);
std::string CheckDslVersion(std::string_view text);  // a semantic version 1.0.x
std::string CheckDnsLabel(std::string_view text);
std::string CheckHost(std::string_view text);
std::string CheckNotEmpty(std::string_view text);
std::string CheckRuntimeExpression(std::string_view text);
std::string CheckUriTemplate(std::string_view text);
std::string CheckUriOrExpression(std::string_view text);
std::string CheckPointerOrExpression(std::string_view text);
std::string CheckDateTimeOrExpression(std::string_view text);
std::string CheckDurationText(std::string_view text);  // ISO 8601 or an expression
std::string CheckVariableName(
    std::string_view text);  // usable as `$name`, and not the runtime's own

// `${ … }` as the whole text, white space around it aside.
bool IsRuntimeExpression(std::string_view text);
// RFC 3339 "2024-01-31T12:00:00Z", leap seconds and offsets included.
bool IsDateTime(std::string_view text);
// The near miss among `names`, "" if none is near.
std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace jaque::dsl
