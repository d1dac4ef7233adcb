// SPDX-License-Identifier: Apache-2.0
#include "notifier/rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "base/limits.h"
#include "base/text.h"
#include "dsl/compile_expression.h"
#include "dsl/findings.h"
#include "dsl/read.h"

namespace jaque::notifier {
namespace {

using dsl::Node;

constexpr size_t kNameBytes = 64;

// "task.*" and "*" end with what matches any end.
bool Matches(const std::string& pattern, std::string_view text) {
  if (pattern.empty() || pattern.back() != '*') return pattern == text;
  return text.substr(0, pattern.size() - 1) ==
         std::string_view(pattern).substr(0, pattern.size() - 1);
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// Reads one file. What is wrong becomes a finding, and reading goes on.
class Reader {
 public:
  Reader(std::string_view text, dsl::Findings* findings)
      : findings_(findings), expressions_(text, false, nullptr, findings) {}

  Rules Read(const Node& root) {
    Rules rules;
    if (!Members(root, {"targets", "rules"})) return rules;
    if (const Node* targets = Required(root, "targets"); targets != nullptr && IsObject(*targets)) {
      for (const Node& node : targets->children) ReadTarget(node, &rules);
    }
    const Node* const list = Required(root, "rules");
    if (list == nullptr || !IsObject(*list)) return rules;
    if (list->children.size() > limits::kNotifierRules) {
      findings_->AddAt(*list, Cat("more than ", limits::kNotifierRules, " rules"));
      return rules;
    }
    for (const Node& node : list->children) ReadRule(node, &rules);
    return rules;
  }

 private:
  // False after a finding.
  bool IsObject(const Node& node) {
    if (node.is_object()) return true;
    findings_->AddAt(node, Cat("an object is expected here, this is ", dsl::KindName(node.value)));
    return false;
  }
  bool Members(const Node& node, const std::vector<std::string_view>& known) {
    if (!IsObject(node)) return false;
    for (const Node& member : node.children) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      findings_->AddAtKey(member, Cat("\"", member.key, "\" is not known here"));
    }
    return true;
  }

  const Node* Required(const Node& node, std::string_view key) {
    const Node* const found = node.Find(key);
    if (found == nullptr) findings_->AddAt(node, Cat("\"", key, "\" is missing"));
    return found;
  }

  std::string Text(const Node& node, std::string_view key) {
    const Node* const found = node.Find(key);
    if (found == nullptr) return "";
    if (!found->is_string() || found->text().empty()) {
      findings_->AddAt(*found, Cat("\"", key, "\" is a text"));
    }
    return std::string(found->text());
  }
  std::string RequiredText(const Node& node, std::string_view key) {
    Required(node, key);
    return Text(node, key);
  }

  std::vector<std::string> Texts(const Node& node, std::string_view key) {
    std::vector<std::string> texts;
    const Node* const found = node.Find(key);
    if (found == nullptr) return texts;
    if (!found->is_array() || found->children.empty()) {
      findings_->AddAt(*found, Cat("\"", key, "\" is a list of texts"));
    }
    for (const Node& item : found->children) {
      if (!item.is_string()) findings_->AddAt(item, "a text is expected here");
      texts.emplace_back(item.text());
    }
    return texts;
  }

  // The address, or the name of the secret that is one.
  void ReadUrl(const Node& node, std::string* url, std::string* secret) {
    *url = Text(node, "url");
    *secret = Text(node, "urlSecret");
    if (url->empty() == secret->empty()) {
      findings_->AddAt(node, "either \"url\" or \"urlSecret\" says where to");
    } else if (!url->empty() && !absl::StartsWith(*url, "https://") &&
               !absl::StartsWith(*url, "http://")) {
      findings_->AddAt(*node.Find("url"), "an address begins with https:// or http://");
    }
  }

  void ReadTarget(const Node& node, Rules* rules) {
    Target target;
    target.name = node.key;
    if (!IsName(node.key)) {
      findings_->AddAtKey(node, "a name is up to 64 small letters, digits and -");
    }
    if (!Members(node, {"webhook", "slack", "email", "nats", "perSecond"})) return;
    if (const Node* rate = node.Find("perSecond"); rate != nullptr) {
      target.per_second = rate->value.is_number() ? rate->value.AsDouble() : 0;
      if (!(target.per_second > 0 && target.per_second <= 10'000)) {
        findings_->AddAt(*rate, "\"perSecond\" is a number above 0, up to 10000");
      }
    }
    int kinds = 0;
    for (const Node& kind : node.children) {
      if (kind.key == "perSecond") continue;
      ++kinds;
      ReadKind(kind, &target);
    }
    if (kinds != 1) findings_->AddAt(node, "a target is one of webhook, slack, email, nats");
    rules->targets[target.name] = std::move(target);
  }

  void ReadKind(const Node& node, Target* target) {
    if (node.key == "webhook") return ReadWebhook(node, target);
    if (node.key == "email") return ReadEmail(node, target);
    if (node.key == "slack" && Members(node, {"url", "urlSecret"})) {
      SlackTarget slack;
      ReadUrl(node, &slack.url, &slack.url_secret);
      target->kind = std::move(slack);
    } else if (node.key == "nats" && Members(node, {"subject"})) {
      NatsTarget nats;
      nats.subject = RequiredText(node, "subject");
      if (nats.subject.find_first_of(" *>\t\r\n") != std::string::npos) {
        findings_->AddAt(*node.Find("subject"), "a subject has no spaces and no wildcards");
      }
      target->kind = std::move(nats);
    }
  }

  void ReadWebhook(const Node& node, Target* target) {
    if (!Members(node, {"url", "urlSecret", "secret", "mode", "headers"})) return;
    WebhookTarget webhook;
    ReadUrl(node, &webhook.url, &webhook.url_secret);
    webhook.secret = Text(node, "secret");
    const std::string mode = Text(node, "mode");
    if (!mode.empty() && mode != "structured" && mode != "binary") {
      findings_->AddAt(*node.Find("mode"), "\"mode\" is structured or binary");
    }
    webhook.binary = mode == "binary";
    if (const Node* headers = node.Find("headers"); headers != nullptr && IsObject(*headers)) {
      for (const Node& header : headers->children) {
        if (!header.is_string() || header.text().find_first_of("\r\n") != std::string_view::npos ||
            header.key.find_first_of(": \r\n") != std::string::npos) {
          findings_->AddAt(header, "a header is a name and a text of one line");
        }
        webhook.headers.emplace_back(header.key, std::string(header.text()));
      }
    }
    target->kind = std::move(webhook);
  }

  void ReadEmail(const Node& node, Target* target) {
    if (!Members(node, {"server", "from", "to", "username", "passwordSecret"})) return;
    EmailTarget email;
    email.server = RequiredText(node, "server");
    if (!absl::StartsWith(email.server, "smtp://") && !absl::StartsWith(email.server, "smtps://")) {
      findings_->AddAt(node, "\"server\" begins with smtp:// or smtps://");
    }
    email.from = RequiredText(node, "from");
    Required(node, "to");
    email.to = Texts(node, "to");
    email.username = Text(node, "username");
    email.password = Text(node, "passwordSecret");
    std::vector<std::string> addresses = email.to;
    addresses.push_back(email.from);
    for (const std::string& address : addresses) {
      if (address.find_first_of("<>\r\n ") != std::string::npos ||
          address.find('@') == std::string::npos) {
        findings_->AddAt(node, Cat("\"", address, "\" is no address of mail"));
      }
    }
    target->kind = std::move(email);
  }

  void ReadRule(const Node& node, Rules* rules) {
    Rule rule;
    rule.name = node.key;
    if (!IsName(node.key)) {
      findings_->AddAtKey(node, "a name is up to 64 small letters, digits and -");
    }
    if (!Members(node,
                 {{"events", "namespaces", "definitions", "when", "body", "subject", "to"}})) {
      return;
    }
    rule.events = Texts(node, "events");
    CheckEvents(node.Find("events"), rule.events);
    rule.namespaces = Texts(node, "namespaces");
    rule.definitions = Texts(node, "definitions");
    static const auto* const none = new dsl::Variables();
    if (const Node* when = node.Find("when"); when != nullptr) {
      rule.when = expressions_.CompileExpression(*when, none);
    }
    if (const Node* body = node.Find("body"); body != nullptr) {
      rule.body = expressions_.CompileData(*body, none);
    }
    if (const Node* subject = node.Find("subject"); subject != nullptr) {
      rule.subject = expressions_.CompileData(*subject, none);
    }
    const Node* const to = Required(node, "to");
    rule.to = Texts(node, "to");
    for (size_t i = 0; i < rule.to.size(); ++i) {
      if (rules->targets.count(rule.to[i]) > 0) continue;
      findings_->AddAt(to->children[i], Cat("there is no target \"", rule.to[i], "\""));
    }
    rules->rules.push_back(std::move(rule));
  }

  void CheckEvents(const Node* node, std::vector<std::string>& events) {
    for (size_t i = 0; i < events.size(); ++i) {
      std::string& event = events[i];
      if (absl::StartsWith(event, kTypePrefix)) event = event.substr(sizeof kTypePrefix - 1);
      if (absl::EndsWith(event, kTypeSuffix)) {
        event.resize(event.size() - (sizeof kTypeSuffix - 1));
      }
      const auto& types = LifecycleTypes();
      if (std::any_of(types.begin(), types.end(),
                      [&](std::string_view type) { return Matches(event, type); })) {
        continue;
      }
      findings_->AddAt(node->children[i], Cat("there is no event \"", event, "\""));
    }
  }

  dsl::Findings* const findings_;
  dsl::ExpressionCompiler expressions_;
};

}  // namespace

const Target* Rules::Find(const std::string& name) const {
  const auto found = targets.find(name);
  return found == targets.end() ? nullptr : &found->second;
}

RulesResult ReadRules(std::string_view text) {
  dsl::Findings findings;
  RulesResult result;
  text = dsl::SkipByteOrderMark(text);
  const std::unique_ptr<const Node> root = dsl::ReadDocument(text, &findings);
  if (root != nullptr) {
    auto rules = std::make_shared<Rules>(Reader(text, &findings).Read(*root));
    if (findings.empty()) result.rules = std::move(rules);
  }
  result.findings = findings.Take();
  return result;
}

bool Concerns(const Rule& rule, const LifecycleEvent& event) {
  const auto any = [](const std::vector<std::string>& patterns, std::string_view text) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return Matches(pattern, text); });
  };
  if (rule.events.empty()
          ? event.type.substr(0, 9) != "workflow." || event.type == "workflow.status-changed"
          : !any(rule.events, event.type)) {
    return false;
  }
  if (!rule.namespaces.empty() && !any(rule.namespaces, event.namespace_)) return false;
  return rule.definitions.empty() || any(rule.definitions, Cat(event.namespace_, "/", event.name));
}

}  // namespace jaque::notifier
