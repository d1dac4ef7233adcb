// SPDX-License-Identifier: Apache-2.0
#include "dsl/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "dsl/text.h"

namespace jaque::dsl {

bool Findings::full() const { return findings_.size() >= limits::kFindings; }

void Findings::Add(Place place, std::string pointer, std::string message) {
  if (full()) return;
  for (const Finding& other : findings_) {
    if (other.line == place.line && other.column == place.column && other.message == message)
      return;
  }
  findings_.push_back({place.line, place.column, std::move(pointer), std::move(message)});
}

void Findings::Add(Findings others) {
  for (Finding& finding : others.findings_) {
    Add({finding.line, finding.column}, std::move(finding.pointer), std::move(finding.message));
  }
}

void Findings::AddAt(const Node& node, std::string message) {
  Add(node.place, PointerOf(node), std::move(message));
}

void Findings::AddAtKey(const Node& node, std::string message) {
  Add(node.key_place.line != 0 ? node.key_place : node.place, PointerOf(node), std::move(message));
}

std::vector<Finding> Findings::Take() {
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return std::move(findings_);
}

std::string FormatFinding(std::string_view file, const Finding& finding) {
  std::string text(file);
  if (finding.line > 0) Append(&text, ":", finding.line, ":", finding.column);
  Append(&text, ": ", finding.message);
  if (!finding.pointer.empty()) Append(&text, " (", finding.pointer, ")");
  return text;
}

}  // namespace jaque::dsl
