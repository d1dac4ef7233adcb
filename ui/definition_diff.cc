// SPDX-License-Identifier: Apache-2.0
#include "ui/definition_diff.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "dsl/node.h"
#include "expression/value.h"
#include "ui/json_writer.h"
#include "ui/text_diff.h"

namespace jaque::ui {
namespace {

// A list of tasks: objects of one member, the name, each name once.
bool IsTaskList(const Value& list) {
  if (!list.is_array() || list.size() == 0) return false;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& item = list.at(i);
    if (!item.is_object() || item.size() != 1) return false;
    names.push_back(item.Keys()[0]);
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::string At(const std::string& pointer, std::string_view key) {
  std::string place = pointer;
  dsl::AppendPointerToken(key, &place);
  return place;
}
std::string At(const std::string& pointer, size_t index) {
  return At(pointer, std::to_string(index));
}

// Walks both documents; definitions are of bounded depth, so it may recurse.
class Changes {
 public:
  // `was_at` and `is_at`: the place before and after.
  void Compare(const Value& before, const Value& after, const std::string& was_at,
               const std::string& is_at) {
    if (before == after) return;
    if (before.is_object() && after.is_object()) return Members(before, after, was_at, is_at);
    if (IsTaskList(before) && IsTaskList(after)) return Tasks(before, after, was_at, is_at);
    if (before.is_array() && after.is_array()) return Items(before, after, was_at, is_at);
    Add(Value::Object({{"kind", Value::String("changed")},
                       {"pointer", Value::String(is_at)},
                       {"before", before},
                       {"after", after}}));
  }

  Value Take() { return std::move(list_); }
  bool truncated() const { return truncated_; }

 private:
  void Add(Value change) {
    truncated_ = truncated_ || list_.size() >= limits::kDiffChanges;
    if (!truncated_) list_.Append(std::move(change));
  }
  void Added(const std::string& pointer, const Value& value) {
    Add(Value::Object(
        {{"kind", Value::String("added")}, {"pointer", Value::String(pointer)}, {"after", value}}));
  }
  void Removed(const std::string& pointer, const Value& value) {
    Add(Value::Object({{"kind", Value::String("removed")},
                       {"pointer", Value::String(pointer)},
                       {"before", value}}));
  }

  void Members(const Value& before, const Value& after, const std::string& was_at,
               const std::string& is_at) {
    before.ForEachMember([&](std::string_view key, const Value& value) {
      const Value* now = after.Find(key);
      if (now == nullptr) {
        Removed(At(was_at, key), value);
      } else {
        Compare(value, *now, At(was_at, key), At(is_at, key));
      }
      return true;
    });
    after.ForEachMember([&](std::string_view key, const Value& value) {
      if (before.Find(key) == nullptr) Added(At(is_at, key), value);
      return true;
    });
  }

  void Items(const Value& before, const Value& after, const std::string& was_at,
             const std::string& is_at) {
    const size_t both = std::min(before.size(), after.size());
    for (size_t i = 0; i < both; ++i) {
      Compare(before.at(i), after.at(i), At(was_at, i), At(is_at, i));
    }
    for (size_t i = both; i < before.size(); ++i) Removed(At(was_at, i), before.at(i));
    for (size_t i = both; i < after.size(); ++i) Added(At(is_at, i), after.at(i));
  }

  // Tasks are the same if they have the same name, wherever they stand; one moved if it stands in
  // another order to those that both lists have.
  void Tasks(const Value& before, const Value& after, const std::string& was_at,
             const std::string& is_at) {
    std::map<std::string_view, size_t> old_places, new_places;
    for (size_t i = 0; i < before.size(); ++i) old_places[before.at(i).Keys()[0]] = i;
    for (size_t i = 0; i < after.size(); ++i) new_places[after.at(i).Keys()[0]] = i;
    for (const auto& [name, i] : old_places) {
      if (!new_places.contains(name)) Removed(At(At(was_at, i), name), *before.at(i).Find(name));
    }
    size_t furthest = 0;
    for (size_t i = 0; i < after.size(); ++i) {
      const std::string_view name = after.at(i).Keys()[0];
      const std::string now = At(At(is_at, i), name);
      const auto old = old_places.find(name);
      if (old == old_places.end()) {
        Added(now, *after.at(i).Find(name));
        continue;
      }
      const std::string was = At(At(was_at, old->second), name);
      if (old->second < furthest) {
        Add(Value::Object({{"kind", Value::String("moved")},
                           {"pointer", Value::String(now)},
                           {"movedFrom", Value::String(was)}}));
      }
      furthest = std::max(furthest, old->second);
      Compare(*before.at(old->second).Find(name), *after.at(i).Find(name), was, now);
    }
  }

  Value list_ = Value::Array();
  bool truncated_ = false;
};

}  // namespace

std::string DiffJson(const dsl::Workflow& before, const dsl::Workflow& after) {
  Changes changes;
  changes.Compare(before.document, after.document, "", "");
  JsonWriter out;
  out.Text("from", before.version)
      .Text("to", after.version)
      .Member("unified",
              Value::String(UnifiedDiff(before.source, after.source, before.id(), after.id())))
      .Member("changes", changes.Take());
  if (changes.truncated()) out.Bool("truncated", true);
  return out.Take();
}

}  // namespace jaque::ui
