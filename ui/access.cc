// SPDX-License-Identifier: Apache-2.0
#include "ui/access.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace jaque::ui {
namespace {

constexpr Role kRoles[] = {Role::kViewer, Role::kOperator, Role::kAuthor, Role::kAdmin};

bool Names(const Grant& grant, std::string_view namespace_) {
  return grant.namespaces.empty() || std::find(grant.namespaces.begin(), grant.namespaces.end(),
                                               namespace_) != grant.namespaces.end();
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kViewer:
      return "viewer";
    case Role::kOperator:
      return "operator";
    case Role::kAuthor:
      return "author";
    default:
      return "admin";
  }
}

absl::StatusOr<Grant> ParseGrant(std::string_view text) {
  const size_t at = std::min(text.find('@'), text.size());
  const std::string_view name = text.substr(0, at);
  const auto* role = std::find_if(std::begin(kRoles), std::end(kRoles),
                                  [&](Role known) { return RoleName(known) == name; });
  if (role == std::end(kRoles)) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no role: viewer, operator, author or admin, with @NAMESPACE,… where "
                    "it is bound to some",
                    text));
  }
  Grant grant{*role, {}};
  if (at == text.size()) return grant;
  const std::string names(text.substr(at + 1));
  if (names == "*") return grant;
  grant.namespaces = absl::StrSplit(names, ',');
  for (const std::string& one : grant.namespaces) {
    if (one.empty() || one == "*") {
      return absl::InvalidArgumentError(
          fmt::format("\"{}\": write @* for all namespaces, or @NAMESPACE,… for some", text));
    }
  }
  return grant;
}

std::string GrantText(const Grant& grant) {
  return fmt::format(
      "{}@{}", RoleName(grant.role),
      grant.namespaces.empty() ? "*" : fmt::format("{}", fmt::join(grant.namespaces, ",")));
}

bool Caller::May(Role role, std::string_view namespace_) const {
  return std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) {
    return grant.role >= role && Names(grant, namespace_);
  });
}

bool Caller::MaySomewhere(Role role) const {
  return std::any_of(grants.begin(), grants.end(),
                     [&](const Grant& grant) { return grant.role >= role; });
}

bool Caller::MayEverywhere(Role role) const {
  return std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) {
    return grant.role >= role && grant.namespaces.empty();
  });
}

std::vector<std::string> Caller::Namespaces(Role role) const {
  if (MayEverywhere(role)) return {};
  std::vector<std::string> names;
  for (const Grant& grant : grants) {
    if (grant.role >= role) {
      names.insert(names.end(), grant.namespaces.begin(), grant.namespaces.end());
    }
  }
  if (names.empty()) names.emplace_back();
  return names;
}

Caller Anybody() {
  Caller caller;
  caller.grants.push_back({Role::kAdmin, {}});
  return caller;
}

}  // namespace jaque::ui
