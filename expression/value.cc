// SPDX-License-Identifier: Apache-2.0
#include "expression/value.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/status_macros.h"
#include "expression/utf8.h"

namespace jaque {
namespace {

// The newest dead array or object whose children still wait for release, while one is being freed.
thread_local constinit void* dead = nullptr;
thread_local constinit bool freeing = false;

}  // namespace

size_t Value::UnitBytes(uint8_t tag) {
  if (tag == kArrayTag) return sizeof(Value);
  return tag == kObjectTag ? sizeof(Member) : 1;
}

Value::Heap* Value::Allocate(Tag tag, size_t capacity) {
  JAQUE_CHECK(capacity <= UINT32_MAX);
  const size_t bytes = sizeof(Heap) + capacity * UnitBytes(tag);
  void* memory = std::malloc(bytes);
  JAQUE_CHECK(memory != nullptr);
  thread_bytes_ += static_cast<int64_t>(bytes);
  return new (memory) Heap{{1}, 0, static_cast<uint32_t>(capacity), tag, nullptr, nullptr};
}

// Slots of the index: a power of two, at least twice the members.
size_t Value::IndexSlots(const Heap* heap) {
  size_t slots = 32;
  while (slots < size_t{heap->capacity} * 2) slots *= 2;
  return slots;
}

void Value::FreeOne(Heap* heap) {
  size_t bytes = sizeof(Heap) + size_t{heap->capacity} * UnitBytes(heap->tag);
  if (heap->index != nullptr) {
    bytes += IndexSlots(heap) * sizeof(uint64_t);
    std::free(heap->index);
  }
  thread_bytes_ -= static_cast<int64_t>(bytes);
  std::free(heap);
}

void Value::Destroy(Heap* heap) {
  if (heap->tag < kArrayTag) return FreeOne(heap);
  if (freeing) {  // a child of the one below: its turn comes, without recursion
    heap->next = static_cast<Heap*>(dead);
    dead = heap;
    return;
  }
  freeing = true;
  for (;;) {
    if (heap->tag == kArrayTag) {
      for (uint32_t i = 0; i < heap->size; ++i) ItemsOf(heap)[i].~Value();
    } else {
      for (uint32_t i = 0; i < heap->size; ++i) MembersOf(heap)[i].~Member();
    }
    FreeOne(heap);
    heap = static_cast<Heap*>(dead);
    if (heap == nullptr) break;
    dead = heap->next;
  }
  freeing = false;
}

Value Value::MakeShort(std::string_view bytes) {
  Value value(kShortTag, uint64_t{0});
  value.head_ |= static_cast<uint64_t>(bytes.size()) << 8;
  std::memcpy(reinterpret_cast<char*>(&value) + 2, bytes.data(), bytes.size());
  return value;
}

Value Value::MakeLong(std::string_view bytes, size_t capacity) {
  Heap* heap = Allocate(kLongTag, capacity);
  heap->size = static_cast<uint32_t>(bytes.size());
  std::memcpy(BytesOf(heap), bytes.data(), bytes.size());
  return Value(kLongTag, heap);
}

Value Value::StringUnchecked(std::string_view utf8) {
  if (utf8.empty()) return Value(kShortTag, uint64_t{0});
  return utf8.size() <= kShortBytes ? MakeShort(utf8) : MakeLong(utf8, utf8.size());
}

Value Value::String(std::string_view utf8) {
  if (Utf8Valid(utf8)) return StringUnchecked(utf8);
  return StringUnchecked(Utf8Repaired(utf8));
}

// The literal's double is stored before its text.
Value Value::Literal(double d, std::string_view text) {
  Heap* heap = Allocate(kLiteralTag, sizeof d + text.size());
  heap->size = heap->capacity;
  std::memcpy(BytesOf(heap), &d, sizeof d);
  std::memcpy(BytesOf(heap) + sizeof d, text.data(), text.size());
  return Value(kLiteralTag, heap);
}

double Value::LiteralDouble() const {
  double d;
  std::memcpy(&d, BytesOf(heap()), sizeof d);
  return d;
}

std::string_view Value::literal() const {
  if (tag() != kLiteralTag) return {};
  return {BytesOf(heap()) + sizeof(double), heap()->size - sizeof(double)};
}

std::string_view Value::LongString() const { return {BytesOf(heap()), heap()->size}; }

Value Value::ArrayFrom(absl::Span<const Value> items) {
  Value result(kArrayTag, uint64_t{0});
  if (items.empty()) return result;
  Heap* heap = Allocate(kArrayTag, items.size());
  for (const Value& item : items) new (&ItemsOf(heap)[heap->size++]) Value(item);
  return Value(kArrayTag, heap);
}

Value Value::Array(std::vector<Value> items) {
  Value result(kArrayTag, uint64_t{0});
  result.Reserve(items.size());
  for (Value& item : items) result.Append(std::move(item));
  return result;
}

Value Value::Object(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Value result = Object();
  for (const auto& [key, value] : members) result.Set(key, value);
  return result;
}

double Value::AsDouble() const {
  JAQUE_CHECK(is_number());
  return number();
}

std::optional<int64_t> Value::AsInt() const {
  JAQUE_CHECK(is_number());
  if (is_int()) return int_value();
  const double d = number();
  if (d >= -9223372036854775808.0 && d < 9223372036854775808.0 &&
      static_cast<double>(static_cast<int64_t>(d)) == d) {
    return static_cast<int64_t>(d);
  }
  return std::nullopt;
}

std::string_view Value::AsString() const {
  JAQUE_CHECK(is_string());
  return str();
}

size_t Value::size() const {
  if (tag() == kShortTag) return str().size();
  if (tag() < kLongTag || payload_ == 0) return 0;
  return heap()->size;
}

const Value& Value::at(size_t index) const {
  JAQUE_CHECK(is_array() && index < size());
  return ItemsOf(heap())[index];
}

bool Value::unshared() const {
  return !on_heap() || heap()->refs.load(std::memory_order_acquire) == 1;
}

// Values may be moved by copying their bytes: nothing points into them.
void Value::Own(size_t capacity) {
  const Tag mine = static_cast<Tag>(tag());
  if (payload_ == 0) {
    if (capacity == 0) return;
    payload_ = reinterpret_cast<uint64_t>(Allocate(mine, capacity));
    if (mine == kObjectTag) Reindex(heap());
    return;
  }
  Heap* old = heap();
  const bool alone = unshared();
  if (alone && capacity <= old->capacity) return;
  size_t wanted = old->size;
  if (capacity > wanted) wanted = std::max(capacity, size_t{old->size} + old->size / 2 + 2);
  Heap* fresh = Allocate(mine, wanted);
  fresh->size = old->size;
  const size_t bytes = old->size * UnitBytes(mine);
  if (alone) {
    std::memcpy(static_cast<void*>(fresh + 1), static_cast<void*>(old + 1), bytes);
    FreeOne(old);
  } else {
    const size_t values = bytes / sizeof(Value);
    for (size_t i = 0; i < values; ++i) new (&ItemsOf(fresh)[i]) Value(ItemsOf(old)[i]);
    Release();
  }
  payload_ = reinterpret_cast<uint64_t>(fresh);
  if (mine == kObjectTag) Reindex(fresh);
}

Value* Value::MutableItems() {
  Own(0);
  return payload_ == 0 ? nullptr : ItemsOf(heap());
}

Value* Value::MutableMemberValue(size_t index) {
  Own(0);
  return &MembersOf(heap())[index].value;
}

void Value::Reserve(size_t elements) {
  if (elements > size()) Own(elements);
}

void Value::Append(Value value) {
  if (is_null()) *this = Value(kArrayTag, uint64_t{0});
  JAQUE_CHECK(is_array());
  const size_t n = size();
  if (n == 0)
    Own(4);
  else
    Own(n + 1);
  new (&ItemsOf(heap())[n]) Value(std::move(value));
  ++heap()->size;
}

void Value::SetAt(size_t index, Value value) {
  JAQUE_CHECK(is_array() && index < size());
  MutableItems()[index] = std::move(value);
}

void Value::Truncate(size_t elements) {
  if (elements >= size()) return;
  Own(0);
  while (heap()->size > elements) ItemsOf(heap())[--heap()->size].~Value();
}

void Value::Extend(size_t elements) {
  if (elements <= size()) return;
  Own(elements);
  while (heap()->size < elements) new (&ItemsOf(heap())[heap()->size++]) Value();
}

void Value::AppendString(std::string_view utf8) {
  if (utf8.empty()) return;
  const std::string_view old = str();
  const size_t total = old.size() + utf8.size();
  if (tag() == kLongTag && unshared() && total <= heap()->capacity) {
    std::memcpy(BytesOf(heap()) + old.size(), utf8.data(), utf8.size());
    heap()->size = static_cast<uint32_t>(total);
    return;
  }
  Value result;
  if (total <= kShortBytes) {
    char bytes[kShortBytes];
    std::memcpy(bytes, old.data(), old.size());
    std::memcpy(bytes + old.size(), utf8.data(), utf8.size());
    result = MakeShort({bytes, total});
  } else {
    const bool growing = tag() == kLongTag && unshared();
    result = MakeLong(old, growing ? total + total / 2 : total);
    std::memcpy(BytesOf(result.heap()) + old.size(), utf8.data(), utf8.size());
    result.heap()->size = static_cast<uint32_t>(total);
  }
  *this = std::move(result);
}

bool Value::DeeperThan(size_t depth) const {
  // Each level's unvisited children: a span of Values with a stride (members are pairs).
  struct Level {
    const Value* next;
    const Value* end;
    size_t stride;
  };
  std::vector<Level> stack;
  const Value* value = this;
  for (;;) {
    if (value->is_array() || value->is_object()) {
      if (stack.size() + 1 > depth) return true;
      if (value->is_array()) {
        const auto items = value->items();
        stack.push_back({items.data(), items.data() + items.size(), 1});
      } else if (const auto members = value->members(); !members.empty()) {
        stack.push_back({&members[0].value, &members[0].value + 2 * members.size(), 2});
      }
    }
    while (!stack.empty() && stack.back().next == stack.back().end) stack.pop_back();
    if (stack.empty()) return false;
    value = stack.back().next;
    stack.back().next += stack.back().stride;
  }
}

size_t Value::MemoryEstimate(size_t cap) const {
  size_t bytes = 0;
  std::vector<const Value*> stack = {this};
  while (!stack.empty() && bytes < cap) {
    const Value* value = stack.back();
    stack.pop_back();
    bytes += sizeof(Value);
    if (!value->on_heap()) continue;
    const Heap* heap = value->heap();
    bytes += sizeof(Heap);
    if (heap->index != nullptr) bytes += IndexSlots(heap) * sizeof(uint64_t);
    if (heap->tag < kArrayTag) {
      bytes += heap->capacity;
      continue;
    }
    bytes += (heap->capacity - heap->size) * UnitBytes(heap->tag);
    const size_t values = heap->size * UnitBytes(heap->tag) / sizeof(Value);
    for (size_t i = 0; i < values && bytes + i * sizeof(Value) < cap; ++i) {
      stack.push_back(&ItemsOf(value->heap())[i]);
    }
  }
  return std::min(bytes, cap);
}

}  // namespace jaque
