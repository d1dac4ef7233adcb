// SPDX-License-Identifier: Apache-2.0
#include "dsl/text_place.h"

#include <algorithm>
#include <cstdint>

namespace jaque::dsl {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Length of the valid UTF-8 sequence at `text[i]`, 0 if there is none.
size_t SequenceLength(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (!IsContinuation(text[i + k])) return 0;
  }
  const unsigned char second = byte(i + 1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return length;
}

// Walks a scalar's source and its resolved text side by side. Runs of white space are matched with
// each other as a whole, whatever folding and indentation made of them.
class Alignment {
 public:
  Alignment(std::string_view text, size_t start, ScalarStyle style)
      : text_(text), at_(start), style_(style) {}

  size_t Walk(std::string_view resolved, size_t offset) {
    SkipToContent();
    size_t j = 0;
    while (j < offset && at_ < text_.size()) {
      if (IsSpace(resolved[j])) {
        while (j < resolved.size() && IsSpace(resolved[j])) ++j;
        SkipSourceSpace();
      } else {
        SkipSourceSpace();  // white space that folding dropped
        j += StepOver();
      }
    }
    if (j > 0 && j >= offset && offset < resolved.size() && !IsSpace(resolved[offset])) {
      SkipSourceSpace();
    }
    return at_;
  }

 private:
  void SkipToContent() {
    // An anchor or a tag may stand before the scalar.
    while (at_ < text_.size() && (text_[at_] == '&' || text_[at_] == '!')) {
      while (at_ < text_.size() && !IsSpace(text_[at_])) ++at_;
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    }
    if (style_ == ScalarStyle::kLiteral || style_ == ScalarStyle::kFolded) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      SkipSourceSpace();
    } else if (style_ == ScalarStyle::kSingle || style_ == ScalarStyle::kDouble) {
      ++at_;
    }
  }

  void SkipSourceSpace() {
    while (at_ < text_.size()) {
      if (IsSpace(text_[at_])) {
        ++at_;
      } else if (style_ == ScalarStyle::kDouble && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                 std::string_view("ntr \n\t").find(text_[at_ + 1]) != std::string_view::npos) {
        at_ += 2;
      } else {
        return;
      }
    }
  }

  // Steps over one character of the source; returns how many bytes of resolved text it made.
  size_t StepOver() {
    if (style_ == ScalarStyle::kDouble && text_[at_] == '\\' && at_ + 1 < text_.size()) {
      return StepOverEscape();
    }
    at_ += style_ == ScalarStyle::kSingle && text_.substr(at_, 2) == "''" ? 2 : 1;
    return 1;
  }

  size_t StepOverEscape() {
    const char kind = text_[at_ + 1];
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    uint32_t code = 0;
    for (char c : text_.substr(std::min(at_ + 2, text_.size()), digits)) {
      code = code * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    at_ = std::min(at_ + 2 + digits, text_.size());
    if (code >= 0xD800 && code < 0xDC00) {  // JSON: a pair of escapes, one character
      at_ = std::min(at_ + 6, text_.size());
      return 4;
    }
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }

  std::string_view text_;
  size_t at_;
  ScalarStyle style_;
};

}  // namespace

Place PlaceOfByte(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  Place place{1, 1};
  for (size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!IsContinuation(text[i])) {
      ++place.column;
    }
  }
  return place;
}

size_t ByteOfPlace(std::string_view text, Place place) {
  size_t at = 0;
  for (int line = 1; line < place.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return text.size();
    ++at;
  }
  for (int column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
  }
  return at;
}

std::optional<size_t> FindInvalidByte(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0 || text[i] == '\0') return i;
    i += length;
  }
  return std::nullopt;
}

Place PlaceInScalar(std::string_view text, const Node& node, size_t offset) {
  if (node.style == ScalarStyle::kNone || node.style == ScalarStyle::kAlias) return node.place;
  Alignment alignment(text, ByteOfPlace(text, node.place), node.style);
  return PlaceOfByte(text, alignment.Walk(node.text(), std::min(offset, node.text().size())));
}

}  // namespace jaque::dsl
