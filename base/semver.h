// SPDX-License-Identifier: Apache-2.0
// Precedence of semantic versions (semver.org 2.0.0, section 11). Pure; any thread.
#pragma once

#include <string_view>

namespace jaque {

// <0, 0, >0. Build metadata does not count. A text that is no semantic version comes below all that
// are, and such texts are ordered byte by byte. Numbers may have any length.
int CompareSemver(std::string_view a, std::string_view b);

// True for a version with a pre-release part (1.0.0-rc.1), and for what is no version at all.
bool IsPrerelease(std::string_view version);

// The order in which `latest` picks: any release above any pre-release, else by precedence.
struct LatestOrder {
  bool operator()(std::string_view a, std::string_view b) const {
    const bool a_pre = IsPrerelease(a), b_pre = IsPrerelease(b);
    if (a_pre != b_pre) return a_pre;
    const int order = CompareSemver(a, b);
    return order != 0 ? order < 0 : a < b;  // builds of one version: by text, to be a total order
  }
};

}  // namespace jaque
