// SPDX-License-Identifier: Apache-2.0
// A JSON value as jq sees it: immutable, reference-counted, shared between threads without copying;
// an operation on an unshared value changes it in place (so `.a += [x]` in a loop is not quadratic).
// Numbers: 64-bit integers are exact; other literals keep their text until computed on (jq 1.8).
// Objects keep the order of insertion. Strings are valid UTF-8 (invalid input becomes U+FFFD).
// Copying costs an atomic increment; destruction never recurses (depth is bounded by memory only).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jaque {

class Value {
 public:
  // In jq's order of types (manual, "sort").
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

  Value() noexcept;  // null
  Value(const Value& other) noexcept;
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other) noexcept;
  Value& operator=(Value&& other) noexcept;
  ~Value();

  static Value Bool(bool b);
  static Value Int(int64_t n);
  static Value Double(double d);
  // A number literal: exact integer where it fits 64 bits, else a double that keeps `text`.
  // nullopt if `text` is not a JSON number.
  static std::optional<Value> NumberFromLiteral(std::string_view text);
  static Value String(std::string_view utf8);
  static Value Array(std::vector<Value> items = {});
  static Value Object();
  static Value Object(std::initializer_list<std::pair<std::string_view, Value>> members);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kTrue || kind() == Kind::kFalse; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }
  // jq's truth: everything but null and false.
  bool truthy() const { return kind() > Kind::kFalse; }

  // Each CHECKs its kind.
  double AsDouble() const;
  std::optional<int64_t> AsInt() const;  // nullopt if not an integer of 64 bits
  std::string_view AsString() const;     // valid while this Value lives

  // Elements of an array, members of an object, bytes of a string; 0 for others.
  size_t size() const;
  // Array element; CHECKs the kind and the range.
  const Value& at(size_t index) const;
  // Object member, nullptr if absent; CHECKs that this is an object. Valid while this Value lives.
  const Value* Find(std::string_view key) const;
  // Find through nested objects, {"a","b"}: nullptr as soon as something is absent or no object.
  const Value* FindPath(std::initializer_list<std::string_view> keys) const;
  // Member's text, or `fallback` where absent or no string.
  std::string_view StringOr(std::string_view key, std::string_view fallback) const;
  // Members in order of insertion; stops when `visit` returns false. CHECKs that this is an object.
  void ForEachMember(const std::function<bool(std::string_view, const Value&)>& visit) const;
  std::vector<std::string_view> Keys() const;

  // Changes; in place if unshared, else on a copy. Set on null makes an object, Append on null an array.
  void Set(std::string_view key, Value value);
  void Erase(std::string_view key);
  void Append(Value value);
  void SetAt(size_t index, Value value);

  // jq's total order (manual, "sort"): <0, 0, >0. Integers compare exactly.
  static int Compare(const Value& a, const Value& b);
  friend bool operator==(const Value& a, const Value& b) { return Compare(a, b) == 0; }

  // Bytes of memory held by this value and all it shares (an upper estimate, each shared part once
  // for each reference); for limits. Bounded work: stops counting at `cap`.
  size_t MemoryEstimate(size_t cap) const;

 private:
  // (the expression room's own affair)
};

}  // namespace jaque
