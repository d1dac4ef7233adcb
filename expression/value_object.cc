// SPDX-License-Identifier: Apache-2.0
// Members of objects: a scan of words while there are few, then an index of hashes.
#include <cstdlib>

#include "absl/hash/hash.h"
#include "base/status_macros.h"
#include "expression/value.h"

namespace jaque {
namespace {

constexpr size_t kScanned = 12;  // objects up to this many members have no index
constexpr size_t kAbsent = SIZE_MAX;

}  // namespace

// Seeded by absl with an address, so that a sender of keys cannot aim for collisions.
size_t Value::HashKey(const Value& key) {
  if (key.tag() == kShortTag) return absl::HashOf(key.head_, key.payload_);
  return absl::HashOf(key.str());
}

void Value::IndexInsert(Heap* heap, size_t hash, size_t position) {
  const size_t mask = IndexSlots(heap) - 1;
  size_t slot = hash & mask;
  while (heap->index[slot] != 0) slot = (slot + 1) & mask;
  heap->index[slot] = uint64_t{static_cast<uint32_t>(hash >> 32)} << 32 | (position + 1);
}

void Value::Reindex(Heap* heap) {
  if (heap->capacity <= kScanned) return;
  const size_t bytes = IndexSlots(heap) * sizeof(uint64_t);
  if (heap->index == nullptr) {
    heap->index = static_cast<uint64_t*>(std::malloc(bytes));
    JAQUE_CHECK(heap->index != nullptr);
    AddThreadBytes(static_cast<int64_t>(bytes));
  }
  std::memset(heap->index, 0, bytes);
  for (size_t i = 0; i < heap->size; ++i) IndexInsert(heap, HashKey(MembersOf(heap)[i].key), i);
}

size_t Value::Position(const Value& key) const {
  if (payload_ == 0) return kAbsent;
  Heap* object = heap();
  const Member* members = MembersOf(object);
  if (object->index == nullptr) {
    for (size_t i = 0; i < object->size; ++i) {
      if (KeyEqual(members[i].key, key)) return i;
    }
    return kAbsent;
  }
  const size_t hash = HashKey(key);
  const size_t mask = IndexSlots(object) - 1;
  for (size_t slot = hash & mask; object->index[slot] != 0; slot = (slot + 1) & mask) {
    const uint64_t entry = object->index[slot];
    if (entry >> 32 != static_cast<uint32_t>(hash >> 32)) continue;
    const size_t position = static_cast<uint32_t>(entry) - 1;
    if (KeyEqual(members[position].key, key)) return position;
  }
  return kAbsent;
}

const Value* Value::FindKey(const Value& key) const {
  const size_t position = Position(key);
  return position == kAbsent ? nullptr : &MembersOf(heap())[position].value;
}

Value* Value::Slot(const Value& key) {
  if (is_null()) *this = Object();
  JAQUE_CHECK(is_object());
  size_t position = Position(key);
  if (position == kAbsent) {
    position = size();
    Own(position == 0 ? 4 : position + 1);
    new (&MembersOf(heap())[position]) Member{key, Value()};
    ++heap()->size;
    if (heap()->index != nullptr) IndexInsert(heap(), HashKey(key), position);
  } else {
    Own(0);
  }
  return &MembersOf(heap())[position].value;
}

bool Value::EraseKey(const Value& key) {
  const size_t position = Position(key);
  if (position == kAbsent) return false;
  Own(0);
  Heap* object = heap();
  Member gone = std::move(MembersOf(object)[position]);
  Member* members = MembersOf(object);
  std::memmove(static_cast<void*>(members + position), static_cast<void*>(members + position + 1),
               (object->size - position - 1) * sizeof(Member));
  --object->size;
  if (object->index != nullptr) Reindex(object);
  return true;
}

const Value* Value::Find(std::string_view key) const {
  JAQUE_CHECK(is_object());
  if (payload_ == 0) return nullptr;
  if (key.size() <= kShortBytes) return FindKey(StringUnchecked(key));
  if (heap()->index != nullptr) return FindKey(StringUnchecked(key));
  for (const Member& member : HeapMembers()) {
    if (member.key.tag() == kLongTag && member.key.str() == key) return &member.value;
  }
  return nullptr;
}

const Value* Value::FindPath(std::initializer_list<std::string_view> keys) const {
  const Value* value = this;
  for (std::string_view key : keys) {
    if (!value->is_object()) return nullptr;
    value = value->Find(key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string_view Value::StringOr(std::string_view key, std::string_view fallback) const {
  const Value* member = is_object() ? Find(key) : nullptr;
  return member != nullptr && member->is_string() ? member->str() : fallback;
}

void Value::ForEachMember(const std::function<bool(std::string_view, const Value&)>& visit) const {
  JAQUE_CHECK(is_object());
  const Value keep = *this;  // `visit` may change this Value
  for (const Member& member : keep.members()) {
    if (!visit(member.key.str(), member.value)) return;
  }
}

std::vector<std::string_view> Value::Keys() const {
  JAQUE_CHECK(is_object());
  std::vector<std::string_view> keys;
  for (const Member& member : members()) keys.push_back(member.key.str());
  return keys;
}

void Value::Set(std::string_view key, Value value) { *Slot(String(key)) = std::move(value); }

void Value::Erase(std::string_view key) {
  JAQUE_CHECK(is_object());
  EraseKey(String(key));
}

}  // namespace jaque
