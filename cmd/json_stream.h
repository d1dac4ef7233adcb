// SPDX-License-Identifier: Apache-2.0
// JSON values one after the other from a stream, with or without white space between, each read as
// soon as it is complete. Main thread.
#pragma once

#include <istream>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::cmd {

class JsonStream {
 public:
  explicit JsonStream(std::istream& in) : in_(in) {}

  // The next value, nullopt at the end. InvalidArgument "LINE:COLUMN: message", places in the
  // stream.
  absl::StatusOr<std::optional<Value>> Next();

  // Where the last value began, 1-based.
  int line() const { return start_line_; }
  int column() const { return start_column_; }

 private:
  int Peek();
  void Take();
  void TakeString();
  void TakeNested();
  void TakeScalar();
  absl::Status Place(std::string_view message) const;

  std::istream& in_;
  std::string text_;
  int line_ = 1;
  int column_ = 1;
  int start_line_ = 1;
  int start_column_ = 1;
};

}  // namespace jaque::cmd
