// SPDX-License-Identifier: Apache-2.0
// Writes one JSON object as text, member by member: values of workflows are JSON text already and
// go through unparsed. What has nothing to say is left out. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "expression/value.h"

namespace jaque::ui {

class JsonWriter {
 public:
  JsonWriter() : out_("{") {}

  JsonWriter& Text(std::string_view name, std::string_view text);  // unless empty
  JsonWriter& Time(std::string_view name, int64_t micros);         // unless 0
  JsonWriter& Seq(std::string_view name, int64_t seq);             // as text, unless 0
  JsonWriter& Count(std::string_view name, uint64_t count);        // unless 0
  JsonWriter& Int(std::string_view name, int64_t number);
  JsonWriter& Bool(std::string_view name, bool truth);
  JsonWriter& Member(std::string_view name, const Value& value);
  // `json` is JSON; left out if empty.
  JsonWriter& Raw(std::string_view name, std::string_view json);

  // The object. Once.
  std::string Take() {
    out_ += '}';
    return std::move(out_);
  }

 private:
  void Name(std::string_view name);

  std::string out_;
};

// A list as the API shows it; `next` is the cursor, empty at the end.
class ListWriter {
 public:
  void Add(std::string_view json);
  size_t bytes() const { return out_.size(); }
  std::string Take(std::string_view next);  // once

 private:
  std::string out_ = "{\"items\":[";
};

// RFC 3339 in UTC.
std::string TimeText(int64_t micros);

}  // namespace jaque::ui
