// SPDX-License-Identifier: Apache-2.0
#include "cmd/json_stream.h"

#include <streambuf>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "expression/json.h"

namespace jaque::cmd {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();

bool IsSpace(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool EndsScalar(int c) {
  return c == kEnd || IsSpace(c) ||
         std::string_view("{}[],:\"").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

int JsonStream::Peek() { return in_.rdbuf()->sgetc(); }

void JsonStream::Take() {
  const int c = in_.rdbuf()->sbumpc();
  text_.push_back(static_cast<char>(c));
  if (c == '\n') {
    ++line_;
    column_ = 1;
  } else if ((c & 0xC0) != 0x80) {
    ++column_;
  }
}

void JsonStream::TakeString() {
  Take();
  while (Peek() != kEnd && Peek() != '"') {
    if (Peek() == '\\') Take();
    if (Peek() != kEnd) Take();
  }
  if (Peek() != kEnd) Take();
}

void JsonStream::TakeNested() {
  int depth = 0;
  while (Peek() != kEnd) {
    const int c = Peek();
    if (c == '"') {
      TakeString();
      continue;
    }
    Take();
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return;
  }
}

void JsonStream::TakeScalar() {
  do Take();
  while (!EndsScalar(Peek()));
}

// "line:column: message" of a value's text, moved to where the value began.
absl::Status JsonStream::Place(std::string_view message) const {
  const size_t first = message.find(':');
  const size_t second = message.find(':', first + 1);
  int line = 0, column = 0;
  const bool placed =
      second != std::string_view::npos &&
      absl::SimpleAtoi(std::string(message.substr(0, first)), &line) &&
      absl::SimpleAtoi(std::string(message.substr(first + 1, second - first - 1)), &column);
  if (!placed) {
    return absl::InvalidArgumentError(
        absl::StrCat(start_line_, ":", start_column_, ": ", std::string(message)));
  }
  if (line == 1) column += start_column_ - 1;
  return absl::InvalidArgumentError(
      absl::StrCat(line + start_line_ - 1, ":", column, std::string(message.substr(second))));
}

absl::StatusOr<std::optional<Value>> JsonStream::Next() {
  if (in_.rdbuf() == nullptr) return std::nullopt;
  while (IsSpace(Peek())) Take();
  text_.clear();
  start_line_ = line_;
  start_column_ = column_;
  const int c = Peek();
  if (c == kEnd) return std::nullopt;
  if (c == '{' || c == '[') {
    TakeNested();
  } else if (c == '"') {
    TakeString();
  } else {
    TakeScalar();
  }
  absl::StatusOr<Value> value = ParseJson(text_, {.allow_nan = true});
  if (!value.ok()) return Place({value.status().message().data(), value.status().message().size()});
  return *std::move(value);
}

}  // namespace jaque::cmd
