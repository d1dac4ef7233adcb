// SPDX-License-Identifier: Apache-2.0
// Printing JSON. Open containers live on an explicit stack.
#include <algorithm>
#include <array>

#include "expression/json.h"
#include "expression/number.h"
#include "expression/utf8.h"

namespace jaque {
namespace {

// Bytes that cannot stand in a JSON string as they are (jq also escapes DEL).
constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> table{};
  for (int i = 0; i < 0x20; ++i) table[static_cast<size_t>(i)] = true;
  table['"'] = table['\\'] = table[0x7F] = true;
  return table;
}();

void AppendUnit(char32_t unit, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out->append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out->push_back(kHex[unit >> shift & 0xF]);
}

void AppendEscape(unsigned char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      AppendUnit(c, out);
  }
}

void AppendString(std::string_view text, std::string* out) {
  out->push_back('"');
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!kEscaped[c]) continue;
    out->append(text, start, i - start);
    AppendEscape(c, out);
    start = i + 1;
  }
  out->append(text, start);
  out->push_back('"');
}

void AppendAsciiString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (kEscaped[c])
        AppendEscape(c, out);
      else
        out->push_back(text[i]);
      ++i;
      continue;
    }
    const char32_t point = NextCodePoint(text, &i);
    if (point >= 0x10000) {
      AppendUnit(0xD800 + ((point - 0x10000) >> 10), out);
      AppendUnit(0xDC00 + ((point - 0x10000) & 0x3FF), out);
    } else {
      AppendUnit(point, out);
    }
  }
  out->push_back('"');
}

void AppendScalar(const Value& value, bool ascii, std::string* out) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out->append("null");
      return;
    case Value::Kind::kFalse:
      out->append("false");
      return;
    case Value::Kind::kTrue:
      out->append("true");
      return;
    case Value::Kind::kNumber:
      AppendNumber(value, out);
      return;
    default:
      ascii ? AppendAsciiString(value.str(), out) : AppendString(value.str(), out);
  }
}

struct Open {
  const Value* container;
  size_t next;
};

class Compact {
 public:
  Compact(size_t max_depth, std::string* out) : max_depth_(max_depth), out_(out) {}

  void Print(const Value& root) {
    Start(root);
    while (!stack_.empty()) {
      const size_t depth = stack_.size();
      Open& top = stack_.back();
      const Value& container = *top.container;
      if (container.is_array()) {
        const auto items = container.items();
        while (top.next < items.size() && stack_.size() == depth) {
          if (top.next > 0) out_->push_back(',');
          Start(items[top.next++]);
          if (stack_.size() != depth) break;  // `top` may have moved
        }
        if (stack_.size() == depth) Finish(']');
      } else {
        const auto members = container.members();
        while (top.next < members.size()) {
          if (top.next > 0) out_->push_back(',');
          const Member& member = members[top.next++];
          AppendString(member.key.str(), out_);
          out_->push_back(':');
          Start(member.value);
          if (stack_.size() != depth) break;
        }
        if (stack_.size() == depth) Finish('}');
      }
    }
  }

 private:
  void Start(const Value& value) {
    if (!value.is_array() && !value.is_object()) {
      AppendScalar(value, false, out_);
    } else if (stack_.size() > max_depth_) {
      out_->append("<skipped: too deep>");
    } else if (value.size() == 0) {
      out_->append(value.is_array() ? "[]" : "{}");
    } else {
      out_->push_back(value.is_array() ? '[' : '{');
      stack_.push_back({&value, 0});
    }
  }

  void Finish(char bracket) {
    out_->push_back(bracket);
    stack_.pop_back();
  }

  const size_t max_depth_;
  std::string* out_;
  std::vector<Open> stack_;
};

// jq 1.8's default colours.
const char* ColorOf(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return "\x1b[0;90m";
    case Value::Kind::kString:
      return "\x1b[0;32m";
    case Value::Kind::kArray:
    case Value::Kind::kObject:
      return "\x1b[1;39m";
    default:
      return "\x1b[0;39m";
  }
}
constexpr char kKeyColor[] = "\x1b[1;34m";
constexpr char kColorEnd[] = "\x1b[0m";

class Pretty {
 public:
  Pretty(const JsonFormat& format, std::string* out) : format_(format), out_(out) {}

  void Print(const Value& root) {
    Start(root);
    while (!stack_.empty()) {
      Level& top = stack_.back();
      if (top.next == top.container->size()) {
        Finish();
        continue;
      }
      if (top.next > 0) {
        Color(*top.container);
        out_->push_back(',');
        ColorEnd();
      }
      NewLine(stack_.size());
      const size_t i = top.next++;
      if (top.container->is_array()) {
        Start(top.container->items()[i]);
        continue;
      }
      const Member& member = format_.sort_keys ? *top.sorted[i] : top.container->members()[i];
      Key(*top.container, member.key);
      Start(member.value);
    }
  }

 private:
  struct Level {
    const Value* container;
    size_t next;
    std::vector<const Member*> sorted;
  };

  void Color(const Value& value) {
    if (format_.colors) out_->append(ColorOf(value));
  }
  void ColorEnd() {
    if (format_.colors) out_->append(kColorEnd);
  }
  void NewLine(size_t depth) {
    if (format_.indent == 0) return;
    out_->push_back('\n');
    out_->append(depth * static_cast<size_t>(format_.indent), ' ');
  }

  void Key(const Value& object, const Value& key) {
    if (format_.colors) out_->append(kKeyColor);
    AppendScalar(key, format_.ascii, out_);
    ColorEnd();
    Color(object);
    out_->push_back(':');
    ColorEnd();
    if (format_.indent > 0) out_->push_back(' ');
  }

  void Start(const Value& value) {
    Color(value);
    if (!value.is_array() && !value.is_object()) {
      AppendScalar(value, format_.ascii, out_);
    } else if (value.size() == 0) {
      out_->append(value.is_array() ? "[]" : "{}");
    } else {
      out_->push_back(value.is_array() ? '[' : '{');
      stack_.push_back({&value, 0, {}});
      if (value.is_object() && format_.sort_keys) Sort(&stack_.back());
    }
    ColorEnd();
  }

  static void Sort(Level* level) {
    for (const Member& member : level->container->members()) level->sorted.push_back(&member);
    std::sort(level->sorted.begin(), level->sorted.end(),
              [](const Member* a, const Member* b) { return a->key.str() < b->key.str(); });
  }

  void Finish() {
    const Value& container = *stack_.back().container;
    NewLine(stack_.size() - 1);
    Color(container);
    out_->push_back(container.is_array() ? ']' : '}');
    ColorEnd();
    stack_.pop_back();
  }

  const JsonFormat& format_;
  std::string* out_;
  std::vector<Level> stack_;
};

}  // namespace

void AppendJson(const Value& value, std::string* out) {
  if (!value.is_array() && !value.is_object()) return AppendScalar(value, false, out);
  Compact(SIZE_MAX, out).Print(value);
}

void AppendJson(const Value& value, size_t max_depth, std::string* out) {
  if (!value.is_array() && !value.is_object()) return AppendScalar(value, false, out);
  Compact(max_depth, out).Print(value);
}

std::string ToJson(const Value& value) {
  std::string out;
  AppendJson(value, &out);
  return out;
}

std::string ToJson(const Value& value, const JsonFormat& format) {
  std::string out;
  Pretty(format, &out).Print(value);
  return out;
}

}  // namespace jaque
