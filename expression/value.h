// SPDX-License-Identifier: Apache-2.0
// A JSON value as jq sees it: immutable, reference-counted, shared between threads without copying;
// an operation on an unshared value changes it in place (so `.a += [x]` in a loop is not
// quadratic). Numbers: 64-bit integers are exact; other literals keep their text until computed on
// (jq 1.8). Objects keep the order of insertion. Strings are valid UTF-8 (invalid input becomes
// U+FFFD). Copying costs an atomic increment; destruction never recurses (depth is bounded by
// memory only).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace jaque {

struct Member;

class Value {
 public:
  // In jq's order of types (manual, "sort").
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

  Value() noexcept : head_(0), payload_(0) {}  // null
  Value(const Value& other) noexcept : head_(other.head_), payload_(other.payload_) { Retain(); }
  Value(Value&& other) noexcept : head_(other.head_), payload_(other.payload_) { other.Clear(); }
  Value& operator=(const Value& other) noexcept {
    other.Retain();
    const auto head = other.head_;
    const auto payload = other.payload_;
    Release();  // may free what holds `other`: v = v.at(0)
    head_ = head;
    payload_ = payload;
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    if (this == &other) return *this;
    Value old(std::move(*this));  // released last: it may hold `other`
    head_ = other.head_;
    payload_ = other.payload_;
    other.Clear();
    return *this;
  }
  ~Value() { Release(); }

  static Value Bool(bool b) { return Value(b ? kTrueTag : kFalseTag, uint64_t{0}); }
  static Value Int(int64_t n) { return Value(kIntTag, static_cast<uint64_t>(n)); }
  // Integral doubles below 2^53 become integers (except -0).
  static Value Double(double d) {
    if (d > -kExactDouble && d < kExactDouble) {
      const auto n = static_cast<int64_t>(d);
      if (static_cast<double>(n) == d && (n != 0 || Bits(d) == 0)) return Int(n);
    }
    return Value(kDoubleTag, Bits(d));
  }
  // A number literal: exact integer where it fits 64 bits, else a double that keeps `text`.
  // nullopt if `text` is not a JSON number.
  static std::optional<Value> NumberFromLiteral(std::string_view text);
  static Value String(std::string_view utf8);
  static Value Array(std::vector<Value> items = {});
  static Value Object() { return Value(kObjectTag, uint64_t{0}); }
  static Value Object(std::initializer_list<std::pair<std::string_view, Value>> members);

  Kind kind() const { return kKinds[tag()]; }
  bool is_null() const { return tag() == kNullTag; }
  bool is_bool() const { return tag() == kTrueTag || tag() == kFalseTag; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return tag() == kArrayTag; }
  bool is_object() const { return tag() == kObjectTag; }
  // jq's truth: everything but null and false.
  bool truthy() const { return tag() > kFalseTag; }

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

  // Changes; in place if unshared, else on a copy. Set on null makes an object, Append on null an
  // array.
  void Set(std::string_view key, Value value);
  void Erase(std::string_view key);
  void Append(Value value);
  void SetAt(size_t index, Value value);

  // jq's total order (manual, "sort"): <0, 0, >0. Integers compare exactly.
  static int Compare(const Value& a, const Value& b);
  friend bool operator==(const Value& a, const Value& b) { return Equal(a, b); }
  // NaN equals nothing, as in jq.
  static bool Equal(const Value& a, const Value& b) {
    if (a.head_ == b.head_ && a.payload_ == b.payload_ && a.tag() < kDoubleTag) return true;
    return EqualSlow(a, b);
  }
  // What a comparison may cost, and what became of it. Values that share parts can be endless to
  // walk.
  struct Effort {
    size_t depth = SIZE_MAX;      // arrays and objects inside each other
    uint64_t steps = UINT64_MAX;  // pairs that may still be compared; counted down
    bool too_deep = false;        // then the result means nothing
    bool too_long = false;        // the same
  };
  static int Compare(const Value& a, const Value& b, Effort* effort);
  static bool Equal(const Value& a, const Value& b, Effort* effort);
  // Whether arrays and objects nest deeper than `depth` (a scalar has depth 0).
  bool DeeperThan(size_t depth) const;

  // Bytes of memory held by this value and all it shares (an upper estimate, each shared part once
  // for each reference); for limits. Bounded work: stops counting at `cap`.
  size_t MemoryEstimate(size_t cap) const;

  // --- for the evaluator: no checks but by the caller -------------------------------------------
  bool is_int() const { return tag() == kIntTag; }
  int64_t int_value() const { return static_cast<int64_t>(payload_); }
  // A number of any representation.
  double number() const {
    if (tag() == kIntTag) return static_cast<double>(int_value());
    return tag() == kDoubleTag ? FromBits(payload_) : LiteralDouble();
  }
  // The text of a literal whose double would lose it, else empty.
  std::string_view literal() const;
  std::string_view str() const {
    if (tag() != kShortTag) return LongString();
    return {reinterpret_cast<const char*>(this) + 2, static_cast<size_t>(head_ >> 8 & 0xff)};
  }
  absl::Span<const Value> items() const {
    return payload_ == 0 ? absl::Span<const Value>() : HeapItems();
  }
  absl::Span<const Member> members() const {
    return payload_ == 0 ? absl::Span<const Member>() : HeapMembers();
  }
  const Value* FindKey(const Value& key) const;  // key is a string
  // Unshares; null becomes an object. The member's value, inserted as null where absent.
  Value* Slot(const Value& key);
  bool EraseKey(const Value& key);  // whether it was there
  // Unshares an array: elements to change in place, valid until the next change of the array.
  Value* MutableItems();
  Value* MutableMemberValue(size_t index);  // of an object, in order of insertion
  void Reserve(size_t elements);            // of an array, or members of an object
  void Truncate(size_t elements);           // of an array
  // Fills with null up to `elements`.
  void Extend(size_t elements);
  // Appends to a string, in place if unshared. `utf8` may point into this string.
  void AppendString(std::string_view utf8);
  // A number that prints as `text`.
  static Value Literal(double d, std::string_view text);
  static Value ArrayFrom(absl::Span<const Value> items);
  // A valid UTF-8 string, not checked again.
  static Value StringUnchecked(std::string_view utf8);
  // The same object in memory, or the same null, boolean, number or short string.
  static bool Identical(const Value& a, const Value& b) {
    return a.head_ == b.head_ && a.payload_ == b.payload_;
  }
  // Whether copies of this value share memory.
  bool shares() const { return on_heap(); }
  bool unshared() const;
  // Bytes of all Values' memory that this thread allocated minus those it freed.
  static int64_t ThreadBytes() { return thread_bytes_; }
  static void AddThreadBytes(int64_t bytes) { thread_bytes_ += bytes; }

 private:
  enum Tag : uint8_t {
    kNullTag,
    kFalseTag,
    kTrueTag,
    kIntTag,
    kShortTag,
    kDoubleTag,
    kLiteralTag,  // from here on payload_ points to shared memory, or is 0 (empty)
    kLongTag,
    kArrayTag,
    kObjectTag
  };
  static constexpr Kind kKinds[] = {Kind::kNull,   Kind::kFalse,  Kind::kTrue,   Kind::kNumber,
                                    Kind::kString, Kind::kNumber, Kind::kNumber, Kind::kString,
                                    Kind::kArray,  Kind::kObject};
  static constexpr double kExactDouble = 9007199254740992.0;
  static constexpr size_t kShortBytes = 14;

  // Shared memory; elements, members or bytes follow. Linked by `next` when it waits for its end.
  struct Heap {
    std::atomic<uint32_t> refs;
    uint32_t size;
    uint32_t capacity;
    uint8_t tag;
    uint64_t* index;  // of a large object: open addressing, hash << 32 | position + 1
    Heap* next;
  };

  Value(Tag tag, uint64_t payload) : head_(tag), payload_(payload) {}
  Value(Tag tag, Heap* heap) : head_(tag), payload_(reinterpret_cast<uint64_t>(heap)) {}

  static uint64_t Bits(double d) {
    uint64_t bits;
    std::memcpy(&bits, &d, sizeof bits);
    return bits;
  }
  static double FromBits(uint64_t bits) {
    double d;
    std::memcpy(&d, &bits, sizeof d);
    return d;
  }
  uint8_t tag() const { return static_cast<uint8_t>(head_); }
  Heap* heap() const { return reinterpret_cast<Heap*>(payload_); }
  bool on_heap() const { return tag() >= kLiteralTag && payload_ != 0; }
  void Clear() { head_ = payload_ = 0; }
  void Retain() const {
    if (on_heap()) heap()->refs.fetch_add(1, std::memory_order_relaxed);
  }
  void Release() {
    if (on_heap() && (heap()->refs.load(std::memory_order_acquire) == 1 ||
                      heap()->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
      Destroy(heap());
    }
  }
  static void Destroy(Heap* heap);
  static void FreeOne(Heap* heap);
  static Heap* Allocate(Tag tag, size_t capacity);
  static size_t UnitBytes(uint8_t tag);
  static size_t IndexSlots(const Heap* heap);

  double LiteralDouble() const;
  std::string_view LongString() const;
  absl::Span<const Value> HeapItems() const;
  absl::Span<const Member> HeapMembers() const;
  static Value* ItemsOf(Heap* heap) { return reinterpret_cast<Value*>(heap + 1); }
  static Member* MembersOf(Heap* heap) { return reinterpret_cast<Member*>(heap + 1); }
  static char* BytesOf(Heap* heap) { return reinterpret_cast<char*>(heap + 1); }
  static Value MakeShort(std::string_view bytes);
  static Value MakeLong(std::string_view bytes, size_t capacity);

  void Own(size_t capacity);  // makes this array or object unshared with room for `capacity`
  static size_t HashKey(const Value& key);
  static void Reindex(Heap* heap);
  static void IndexInsert(Heap* heap, size_t hash, size_t position);
  size_t Position(const Value& key) const;  // SIZE_MAX if absent

  static bool EqualSlow(const Value& a, const Value& b);
  static int CompareScalars(const Value& a, const Value& b);
  static int CompareNumbers(const Value& a, const Value& b);
  static bool KeyEqual(const Value& a, const Value& b) {
    return Identical(a, b) || (a.tag() == kLongTag && b.tag() == kLongTag && a.str() == b.str());
  }
  friend class ValueComparer;

  static inline thread_local constinit int64_t thread_bytes_ = 0;

  uint64_t head_;  // tag; a short string's length in the second byte and its text from the third on
  uint64_t payload_;
};

struct Member {
  Value key;  // a string
  Value value;
};

inline absl::Span<const Value> Value::HeapItems() const { return {ItemsOf(heap()), heap()->size}; }
inline absl::Span<const Member> Value::HeapMembers() const {
  return {MembersOf(heap()), heap()->size};
}

}  // namespace jaque
