// SPDX-License-Identifier: Apache-2.0
// SQL for lists and counts of instances. A list is a merge of ordered walks, each along an index
// and over before it has read much more than a page; text that few instances have is looked up
// first instead. Pure; used by SqlStore.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/database.h"
#include "store/store.h"
#include "store/terms.h"

namespace jaque::store {

// Text of a statement and the parameters that it names.
class Sql {
 public:
  Sql& Add(std::string_view text) {
    text_ += text;
    return *this;
  }
  Sql& Bind(Parameter parameter);
  Statement statement() const { return {text_, parameters_}; }

 private:
  std::string text_;
  std::vector<Parameter> parameters_;
};

struct InstanceCursor {
  Micros started = 0;
  std::string id;

  std::string Text() const;
  static absl::StatusOr<InstanceCursor> Parse(const std::string& text);  // InvalidArgument
};

// Columns of InstanceRow, in the order of RowOf.
InstanceRow RowOf(const Row& row);
Sql SelectInstance(const std::string& id);  // and first_seq, end_seq, last_seq

class InstanceQuery {
 public:
  explicit InstanceQuery(const InstanceFilter& filter);

  // What has to be found among the terms, other than whole ones. The caller may say that few
  // instances have number `few` of them.
  const std::vector<TermRange>& ranges() const { return ranges_; }
  void BeginWith(size_t few) { few_ = few; }

  // Up to `limit` rows.
  Sql List(const std::optional<InstanceCursor>& after, bool oldest_first, size_t limit) const;
  // Counts up to `most`.
  Sql Count(v1::InstanceStatus status, size_t most) const;

 private:
  struct Walk {
    std::optional<std::string> space;  // namespace
    std::optional<v1::InstanceStatus> status;
  };
  std::vector<Walk> Walks() const;
  // FROM … WHERE …, without what an order needs.
  void AddSource(const Walk& walk, Sql* sql) const;
  void AddConditions(const Walk& walk, Sql* sql) const;
  void AddTermConditions(Sql* sql) const;
  bool begins_with_tag() const { return !few_.has_value() && !whole_terms_.empty(); }

  const InstanceFilter& filter_;
  std::vector<TermRange> ranges_;
  std::vector<std::string> whole_terms_;
  std::optional<size_t> few_;
};

// AND … for what limits a statistic: definition, namespaces, schedule.
void AddDefinitionConditions(const InstanceFilter& filter, Sql* sql);

}  // namespace jaque::store
