// SPDX-License-Identifier: Apache-2.0
#include "store/terms.h"

#include "base/limits.h"
#include "base/text.h"

namespace jaque::store {
namespace {

constexpr size_t kWordBytes = 64;  // the rest of a word is not looked for

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void AddWords(std::string_view text, std::set<std::string>* words) {
  std::string word;
  const auto end = [&] {
    if (!word.empty() && words->size() < limits::kSearchWords) words->insert(word);
    word.clear();
  };
  bool cut = false;  // the rest of a long word, from a whole character on
  for (const char c : text) {
    if (!IsWordByte(c)) {
      end();
      cut = false;
      continue;
    }
    if (word.size() >= kWordBytes && !ContinuesCharacter(c)) cut = true;
    if (!cut) word += Lower(c);
  }
  end();
}

std::set<std::string> WordsOf(std::string_view text) {
  std::set<std::string> words;
  AddWords(text, &words);
  return words;
}

std::string TagTerm(std::string_view key, std::string_view value) {
  return Cat("#", key, "\x1f", value);
}

TermRange WordsFrom(const std::string& beginning) {
  return {beginning, beginning + "\xF4\x8F\xBF\xBF"};  // the last character there is
}

TermRange TagsWith(std::string_view key) { return {Cat("#", key, "\x1f"), Cat("#", key, "\x20")}; }

}  // namespace jaque::store
