// SPDX-License-Identifier: Apache-2.0
// What a call's query and body say, checked. InvalidArgument names the parameter or the member.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "expression/value.h"
#include "store/store.h"
#include "ui/routes.h"

namespace jaque::ui {

std::string ReadText(const Call& call, std::string_view name);  // empty if absent
std::vector<std::string> ReadTexts(const Call& call, std::string_view name);
absl::StatusOr<bool> ReadFlag(const Call& call, std::string_view name);
absl::StatusOr<int64_t> ReadNumber(const Call& call, std::string_view name, int64_t least,
                                   int64_t most, int64_t fallback);
absl::StatusOr<size_t> ReadLimit(const Call& call);  // of a page's items
// ?wait=, cut to what is possible; zero if absent.
absl::StatusOr<absl::Duration> ReadWait(const Call& call);
absl::StatusOr<bool> ReadOrder(const Call& call, bool newest_first);  // ?order=: newest first

// RFC 3339; 0 for an empty text.
absl::StatusOr<store::Micros> ParseTime(std::string_view name, std::string_view text);
absl::StatusOr<store::HistorySeq> ParseSeq(std::string_view name, std::string_view text);
absl::StatusOr<std::pair<std::string, std::string>> ParseTag(std::string_view text);

// A body that is a JSON object with members of these names; an empty body is {}.
absl::StatusOr<Value> ReadObject(const Call& call, const std::vector<std::string>& members);
// A member that is text, if it is there.
absl::StatusOr<std::string> TextMember(const Value& object, std::string_view name,
                                       std::string_view fallback);
// {"reason": "…"}, of bounded length.
absl::StatusOr<std::string> ReadReason(const Call& call, std::string_view fallback);
absl::Status CheckReason(std::string_view reason);

}  // namespace jaque::ui
