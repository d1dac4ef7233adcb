// SPDX-License-Identifier: Apache-2.0
// Says what jq's own parser would say of a bad text: it reads token by token, so its places differ
// from ours. Only for messages; the text is known to be bad.
#include <string>
#include <vector>

#include "expression/json.h"
#include "expression/text.h"

namespace jaque {
namespace {

using expression::Join;

// The parser's states that matter for messages.
class Explainer {
 public:
  explicit Explainer(std::string_view text) : text_(text) {}

  std::string Explain() {
    for (at_ = 0; at_ < text_.size() && message_.empty(); ++at_) Scan(text_[at_]);
    if (message_.empty()) AtEnd();
    size_t line = 1;
    size_t column = 0;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
      ++column;
      if (text_[i] == '\n') {
        ++line;
        column = 0;
      }
    }
    return Join({message_, " at line ", std::to_string(line), ", column ", std::to_string(column),
                 " (while parsing '", text_, "')"});
  }

 private:
  enum class Wants : uint8_t { kValue, kMore, kColon, kKey };

  void Scan(char c) {
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        EndString();
      else if (static_cast<unsigned char>(c) < 0x20)
        message_ = "Invalid string: control characters from U+0000 through U+001F must be escaped";
      return;
    }
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        EndWord();
        return;
      case '"':
        EndWord();
        in_string_ = true;
        string_start_ = at_;
        return;
      case '[':
      case '{':
      case ':':
      case ',':
      case ']':
      case '}':
        EndWord();
        if (message_.empty()) Structure(c);
        return;
      default:
        word_.push_back(c);
    }
  }

  void EndString() {
    in_string_ = false;
    const auto parsed = ParseJson(text_.substr(string_start_, at_ - string_start_ + 1));
    if (!parsed.ok())
      message_ = "Invalid escape";
    else
      HaveValue(true);
  }

  void EndWord() {
    if (word_.empty()) return;
    JsonParseOptions options;
    options.allow_nan = true;
    if (word_.find('\'') != word_.npos) {
      message_ = "Invalid string literal; expected \", but got '";
    } else if (!ParseJson(word_, options).ok()) {
      message_ = "Invalid numeric literal";
    } else {
      HaveValue(false);
    }
    word_.clear();
  }

  void HaveValue(bool is_string) {
    if (have_) {
      message_ =
          open_.empty() ? "Unexpected extra JSON values" : "Expected separator between values";
      return;
    }
    have_ = true;
    string_ = is_string;
  }

  void Structure(char c) {
    switch (c) {
      case '[':
      case '{':
        if (have_)
          message_ =
              open_.empty() ? "Unexpected extra JSON values" : "Expected separator between values";
        else if (open_.size() >= static_cast<size_t>(limits::kJsonDepth))
          message_ = "Exceeds depth limit for parsing";
        else
          open_.push_back(c), fresh_ = true;
        return;
      case ':':
        if (open_.empty())
          message_ = "':' not as part of an object";
        else if (!have_)
          message_ = "Expected string key before ':'";
        else if (open_.back() != '{')
          message_ = "':' not as part of an object";
        else if (keyed_ == open_.size())
          message_ = "':' should follow a key";
        else if (!string_)
          message_ = "Object keys must be strings";
        else
          Next(true);
        return;
      case ',':
        if (!have_)
          message_ = "Expected value before ','";
        else if (open_.empty())
          message_ = "',' not as part of an object or array";
        else if (open_.back() == '{' && keyed_ != open_.size())
          message_ = "Objects must consist of key:value pairs";
        else
          Next(false);
        return;
      default:
        Close(c);
    }
  }

  void Next(bool keyed) {
    have_ = false;
    fresh_ = false;
    keyed_ = keyed ? open_.size() : 0;
  }

  void Close(char c) {
    const char opening = c == ']' ? '[' : '{';
    if (open_.empty() || open_.back() != opening) {
      message_ = Join({"Unmatched '", std::string_view(&c, 1), "'"});
      return;
    }
    if (!have_ && !fresh_) {
      message_ = c == ']' ? "Expected another array element" : "Expected another key-value pair";
      return;
    }
    if (c == '}' && have_ && keyed_ != open_.size()) {
      message_ = "Objects must consist of key:value pairs";
      return;
    }
    open_.pop_back();
    have_ = true;
    string_ = false;
    fresh_ = false;
    keyed_ = !open_.empty() && open_.back() == '{' ? open_.size() : 0;
  }

  void AtEnd() {
    if (in_string_) {
      message_ = "Unfinished string at EOF";
      return;
    }
    EndWord();
    if (!message_.empty())
      message_ += " at EOF";
    else
      message_ =
          open_.empty() && have_ ? "Unexpected extra JSON values" : "Unfinished JSON term at EOF";
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string message_;
  std::vector<char> open_;
  std::string word_;
  size_t string_start_ = 0;
  size_t keyed_ = 0;  // the depth at which a key has been read
  bool in_string_ = false;
  bool escaped_ = false;
  bool have_ = false;    // a value waits for what follows
  bool string_ = false;  // and it is a string
  bool fresh_ = false;   // the container has nothing yet
};

}  // namespace

std::string JqParseError(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Join({"Expected JSON value (while parsing '", text, "')"});
  }
  return Explainer(text).Explain();
}

}  // namespace jaque
