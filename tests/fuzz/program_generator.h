// SPDX-License-Identifier: Apache-2.0
// Bytes to a jq program and its input, by the grammar: the same bytes give the same program, more
// bytes a larger one. Programs end soon in jq too: small numbers, no unbounded recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jaque::fuzz {

class ProgramGenerator {
 public:
  ProgramGenerator(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool exhausted() const { return at_ >= size_; }
  std::string Program();
  std::string Json();

 private:
  // 0 to count - 1; 0 when the bytes are used up.
  size_t Choose(size_t count);
  std::string_view Pick(const std::vector<std::string_view>& of);

  std::string JsonAt(int depth);
  std::string Pipe(int depth);
  std::string Term(int depth);
  std::string Postfix(int depth);
  std::string Operator(int depth);
  std::string Control(int depth);
  std::string Binding(int depth);
  std::string Call(int depth);
  std::string CallWithRegex(int depth);
  std::string Path(int depth);
  std::string Assignment(int depth);
  std::string Literal();
  std::string ObjectTerm(int depth);
  std::string Pattern(int depth);
  std::string Text();

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  std::vector<std::string> variables_;
};

}  // namespace jaque::fuzz
