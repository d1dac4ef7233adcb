// SPDX-License-Identifier: Apache-2.0
#include "dsl/uri_template.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "base/status_macros.h"
#include "dsl/text.h"
#include "expression/json.h"

namespace jaque::dsl {
namespace {

void AppendEscaped(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out->push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out->append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
}

absl::Status AppendProperty(std::string_view name, const Value& input, std::string* out) {
  const Value* value = input.is_object() ? input.Find(name) : nullptr;
  if (value == nullptr || value->is_null()) return absl::OkStatus();
  if (value->is_array() || value->is_object()) {
    return absl::InvalidArgumentError(Cat("`{", name.substr(0, 80),
                                          "}` of a URI template must be a string, a number, a "
                                          "boolean or null, not ",
                                          value->is_array() ? "a list" : "an object"));
  }
  AppendEscaped(value->is_string() ? value->AsString() : ToJson(*value), out);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ExpandUriTemplate(std::string_view text, const Value& input) {
  std::string uri;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    uri.append(text.substr(0, open));
    RETURN_IF_ERROR(AppendProperty(text.substr(open + 1, close - open - 1), input, &uri));
    text.remove_prefix(close + 1);
  }
  uri.append(text);
  return uri;
}

}  // namespace jaque::dsl
