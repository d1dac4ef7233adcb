// SPDX-License-Identifier: Apache-2.0
// What the table `terms` finds instances by: words of their texts, in lower case, and their tags.
// Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jaque::store {

// Adds the words of a text: letters, digits, and whatever is not ASCII. Others divide. A set of
// limits::kSearchWords takes no more.
void AddWords(std::string_view text, std::set<std::string>* words);
std::set<std::string> WordsOf(std::string_view text);

// "#key␟value": no word begins so.
std::string TagTerm(std::string_view key, std::string_view value);

// The terms from `from` and before `before` begin with a prefix.
struct TermRange {
  std::string from, before;
};
TermRange WordsFrom(const std::string& beginning);
TermRange TagsWith(std::string_view key);

}  // namespace jaque::store
