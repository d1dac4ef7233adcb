// SPDX-License-Identifier: Apache-2.0
// Who asks and what they may (docs/product.md, "Access"): roles, each bound to namespaces, and what
// a route asks of its caller. Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque::ui {

// Each may what those before it may.
enum class Role { kViewer, kOperator, kAuthor, kAdmin };

std::string_view RoleName(Role role);

struct Grant {
  Role role = Role::kViewer;
  std::vector<std::string> namespaces;  // empty: all
};

// "operator", "operator@*", "operator@shop,bank".
absl::StatusOr<Grant> ParseGrant(std::string_view text);
std::string GrantText(const Grant& grant);

struct Caller {
  std::string name = "anonymous";  // for the audit trail and the history
  std::string address;             // of the client, behind trusted proxies
  std::vector<Grant> grants;

  bool May(Role role, std::string_view namespace_) const;
  bool MaySomewhere(Role role) const;
  bool MayEverywhere(Role role) const;
  // Where the caller has the role, for a list's filter: empty where it is everywhere, a name that
  // no namespace has where it is nowhere.
  std::vector<std::string> Namespaces(Role role) const;
};

// Everything, everywhere: what a caller is where nobody is asked (-auth none).
Caller Anybody();

// What a route asks of its caller.
struct Access {
  enum class Where {
    kOpen,        // nothing: nobody is asked who they are
    kCaller,      // to be somebody
    kSomewhere,   // the role in some namespace; the handler asks Caller for which
    kPath,        // the role in the namespace that is the first {} of the path
    kInstance,    // the role in the namespace of the instance that is the first {} of the path
    kEverywhere,  // the role in all namespaces
  };
  Where where = Where::kEverywhere;
  Role role = Role::kAdmin;
};

constexpr Access Open() { return {Access::Where::kOpen, Role::kViewer}; }
constexpr Access AnyCaller() { return {Access::Where::kCaller, Role::kViewer}; }
constexpr Access Somewhere(Role role) { return {Access::Where::kSomewhere, role}; }
constexpr Access InPath(Role role) { return {Access::Where::kPath, role}; }
constexpr Access OfInstance(Role role) { return {Access::Where::kInstance, role}; }
constexpr Access Everywhere(Role role) { return {Access::Where::kEverywhere, role}; }

}  // namespace jaque::ui
