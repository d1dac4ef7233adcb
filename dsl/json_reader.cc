// SPDX-License-Identifier: Apache-2.0
// RFC 8259, strictly, with the places that expression/json.h does not keep. Recursion is bounded by
// the document's depth limit.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "dsl/key_index.h"
#include "dsl/read.h"
#include "dsl/text.h"
#include "dsl/text_place.h"
#include "dsl/yaml_scalar.h"

namespace jaque::dsl {
namespace {

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (code >> 6)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (code >> 12)));
    out->push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (code >> 18)));
    out->push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

class Parser {
 public:
  Parser(std::string_view text, Findings* findings) : text_(text), findings_(findings) {}

  std::unique_ptr<Node> Parse() {
    auto root = std::make_unique<Node>();
    SkipSpace();
    if (!ParseValue(0, root.get())) return nullptr;
    SkipSpace();
    if (at_ < text_.size()) Fail("text after the end of the document");
    return at_ < text_.size() ? nullptr : std::move(root);
  }

 private:
  // False, to be returned.
  bool Fail(std::string message) {
    findings_->Add(PlaceOfByte(text_, at_), "", Cat("not valid JSON: ", message));
    return false;
  }

  // Steps over white space and keeps count of the line.
  void SkipSpace() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Place Here() const {
    int column = 1;
    for (size_t i = line_start_; i < at_; ++i) {
      if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
    }
    return {line_, column};
  }

  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool ParseValue(int depth, Node* node) {
    if (depth >= limits::kDefinitionDepth) {
      return Fail(Cat("nested deeper than ", limits::kDefinitionDepth, " levels"));
    }
    if (++nodes_ > limits::kDefinitionNodes) {
      return Fail(Cat("more than ", limits::kDefinitionNodes, " values"));
    }
    node->place = Here();
    if (At('{')) return ParseObject(depth, node);
    if (At('[')) return ParseArray(depth, node);
    if (At('"')) {
      node->style = ScalarStyle::kDouble;
      std::string text;
      if (!ParseString(&text)) return false;
      node->value = Value::String(text);
      return true;
    }
    node->style = ScalarStyle::kPlain;
    return ParseWord(node);
  }

  bool ParseWord(Node* node) {
    size_t end = at_;
    while (end < text_.size() &&
           std::string_view(" \t\r\n,]}").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    if (word == "true" || word == "false") {
      node->value = Value::Bool(word == "true");
    } else if (word != "null") {
      auto number = DefinitionNumber(word);
      if (!number.has_value()) return Fail("expected a value");
      node->value = *std::move(number);
    }
    at_ = end;
    return true;
  }

  bool ParseObject(int depth, Node* node) {
    KeyIndex keys;
    node->value = Value::Object();
    ++at_;
    SkipSpace();
    while (!At('}')) {
      if (!node->children.empty()) {
        if (!At(',')) return Fail("expected `,` or `}`");
        ++at_;
        SkipSpace();
      }
      Node child;
      child.key_place = Here();
      if (!At('"')) return Fail("expected a key in quotes");
      if (!ParseString(&child.key)) return false;
      RefuseDuplicate(child, keys.Find(child.key, node->children));
      SkipSpace();
      if (!At(':')) return Fail("expected `:`");
      ++at_;
      SkipSpace();
      if (!ParseValue(depth + 1, &child)) return false;
      node->value.Set(child.key, child.value);
      node->children.push_back(std::move(child));
      SkipSpace();
    }
    ++at_;
    return true;
  }

  void RefuseDuplicate(const Node& child, const Node* earlier) {
    if (earlier == nullptr) return;
    findings_->Add(child.key_place, "",
                   Cat("duplicate key `", child.key, "`; the first one is at ",
                       earlier->key_place.line, ":", earlier->key_place.column));
  }

  bool ParseArray(int depth, Node* node) {
    node->value = Value::Array();
    ++at_;
    SkipSpace();
    while (!At(']')) {
      if (!node->children.empty()) {
        if (!At(',')) return Fail("expected `,` or `]`");
        ++at_;
        SkipSpace();
      }
      Node child;
      if (!ParseValue(depth + 1, &child)) return false;
      node->value.Append(child.value);
      node->children.push_back(std::move(child));
      SkipSpace();
    }
    ++at_;
    return true;
  }

  bool ParseString(std::string* out) {
    ++at_;
    while (!At('"')) {
      if (at_ >= text_.size()) return Fail("a string does not end");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return Fail("a control character in a string");
      if (c == '\\') {
        if (!ParseEscape(out)) return false;
      } else {
        out->push_back(c);
        ++at_;
      }
    }
    ++at_;
    return true;
  }

  bool ParseEscape(std::string* out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char name = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (name == 'u') return ParseUnicodeEscape(out);
    const size_t which = kNames.find(name);
    if (which == std::string_view::npos) return Fail("an unknown escape");
    out->push_back(kMeanings[which]);
    at_ += 2;
    return true;
  }

  std::optional<uint32_t> HexAt(size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    uint32_t code = 0;
    for (char c : text_.substr(at + 2, 4)) {
      if (!absl::ascii_isxdigit(c)) return std::nullopt;
      code = code * 16 + (absl::ascii_isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
  }

  bool ParseUnicodeEscape(std::string* out) {
    const auto high = HexAt(at_);
    if (!high.has_value()) return Fail("\\u must be followed by four hexadecimal digits");
    if (*high < 0xD800 || *high > 0xDFFF) {
      AppendUtf8(*high, out);
      at_ += 6;
      return true;
    }
    const auto low = HexAt(at_ + 6);
    if (*high > 0xDBFF || !low.has_value() || *low < 0xDC00 || *low > 0xDFFF) {
      return Fail("half of a surrogate pair");
    }
    AppendUtf8(0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00), out);
    at_ += 12;
    return true;
  }

  const std::string_view text_;
  Findings* const findings_;
  size_t at_ = 0;
  int line_ = 1;
  size_t line_start_ = 0;
  size_t nodes_ = 0;
};

}  // namespace

std::unique_ptr<Node> ReadJson(std::string_view text, Findings* findings) {
  return Parser(text, findings).Parse();
}

}  // namespace jaque::dsl
