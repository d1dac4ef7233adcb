// SPDX-License-Identifier: Apache-2.0
#include "dsl/read.h"

#include <utility>

#include "base/limits.h"
#include "dsl/text.h"
#include "dsl/text_place.h"

namespace jaque::dsl {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool CheckBytes(std::string_view text, Findings* findings) {
  if (text.size() > limits::kDefinitionBytes) {
    findings->Add({}, "",
                  Cat("the document has ", text.size(), " bytes, more than the limit of ",
                      limits::kDefinitionBytes));
    return false;
  }
  if (const auto offset = FindInvalidByte(text)) {
    const bool nul = text[*offset] == '\0';
    findings->Add(PlaceOfByte(text, *offset), "",
                  nul ? "a NUL character is not allowed" : "the text is not valid UTF-8");
    return false;
  }
  return true;
}

// Flow-style YAML opens with `{` too. What is neither is reported in the language that it looks
// like.
std::unique_ptr<Node> ReadEither(std::string_view text, Findings* findings) {
  const size_t brace = text.find_first_not_of(kSpace);
  if (brace == std::string_view::npos || text[brace] != '{') return ReadYaml(text, findings);
  Findings in_json, in_yaml;
  if (auto root = ReadJson(text, &in_json)) {
    findings->Add(std::move(in_json));
    return root;
  }
  auto root = ReadYaml(text, &in_yaml);
  const size_t next = text.find_first_not_of(kSpace, brace + 1);
  const bool looks_like_json = next != std::string_view::npos && text[next] == '"';
  findings->Add(std::move(root == nullptr && looks_like_json ? in_json : in_yaml));
  return root;
}

}  // namespace

std::string_view SkipByteOrderMark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::unique_ptr<const Node> ReadDocument(std::string_view text, Findings* findings) {
  if (!CheckBytes(text, findings)) return nullptr;
  std::unique_ptr<Node> root = ReadEither(text, findings);
  if (root == nullptr) return nullptr;
  LinkParents(root.get());
  return root;
}

}  // namespace jaque::dsl
