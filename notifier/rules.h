// SPDX-License-Identifier: Apache-2.0
// Which events are told to whom: the file of -notify-rules, read as definitions are, with every
// finding and its place. docs/notifier.md has the format. Immutable; any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "dsl/load.h"
#include "dsl/template.h"
#include "notifier/lifecycle.h"

namespace jaque::notifier {

struct WebhookTarget {
  std::string url, url_secret;  // one of them
  std::string secret;           // name of the signing secret; empty: not signed
  bool binary = false;          // CloudEvents in binary mode
  std::vector<std::pair<std::string, std::string>> headers;
};
struct SlackTarget {
  std::string url, url_secret;
};
struct EmailTarget {
  std::string server;  // smtp://HOST:PORT or smtps://…
  std::string from;
  std::vector<std::string> to;
  std::string username, password;  // name of the password's secret
};
struct NatsTarget {
  std::string subject;
};

struct Target {
  std::string name;
  double per_second = 20;
  std::variant<WebhookTarget, SlackTarget, EmailTarget, NatsTarget> kind;
};

struct Rule {
  std::string name;
  std::vector<std::string> events;       // "workflow.faulted", "task.*"; empty: all of workflows
  std::vector<std::string> namespaces;   // empty: all
  std::vector<std::string> definitions;  // "namespace/name"; empty: all
  std::optional<dsl::Template> when;     // on the event
  std::optional<dsl::Template> body, subject;
  std::vector<std::string> to;  // targets
};

struct Rules {
  std::map<std::string, Target> targets;
  std::vector<Rule> rules;

  const Target* Find(const std::string& name) const;
};

struct RulesResult {
  std::shared_ptr<const Rules> rules;  // null if there are findings
  std::vector<dsl::Finding> findings;
};
RulesResult ReadRules(std::string_view text);

// Does the rule want such an event, whatever its data?
bool Concerns(const Rule& rule, const LifecycleEvent& event);

}  // namespace jaque::notifier
