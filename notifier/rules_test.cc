// SPDX-License-Identifier: Apache-2.0
#include "notifier/rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::notifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGood[] = R"(targets:
  hook:
    webhook: {url: 'https://example.org/hook', secret: hook, mode: binary, headers: {X-Team: shop}}
    perSecond: 5
  chat:
    slack: {urlSecret: chat-url}
  mail:
    email: {server: 'smtps://mail.example.org', from: jaque@example.org, to: [ops@example.org]}
  bus:
    nats: {subject: jaque.faults}
rules:
  faults:
    events: [workflow.faulted, io.serverlessworkflow.task.*]
    namespaces: [shop, 'test-*']
    definitions: [shop/order]
    when: ${ .data.error.status >= 500 }
    body: {text: '${ "faulted: " + .subject }', fixed: 1}
    to: [hook, chat, mail, bus]
  all:
    to: [hook]
)";

std::vector<std::string> Findings(const std::string& text) {
  std::vector<std::string> found;
  for (const dsl::Finding& finding : ReadRules(text).findings) {
    found.push_back(std::to_string(finding.line) + ":" + std::to_string(finding.column) + " " +
                    finding.message);
  }
  return found;
}

LifecycleEvent Event(std::string_view type, const std::string& space, const std::string& name) {
  LifecycleEvent event;
  event.type = type;
  event.namespace_ = space;
  event.name = name;
  return event;
}

TEST(RulesTest, ReadsTargetsAndRules) {
  const RulesResult read = ReadRules(kGood);
  ASSERT_NE(read.rules, nullptr) << Findings(kGood)[0];
  const Target& hook = *read.rules->Find("hook");
  EXPECT_EQ(hook.per_second, 5);
  const auto& webhook = std::get<WebhookTarget>(hook.kind);
  EXPECT_TRUE(webhook.binary);
  EXPECT_EQ(webhook.secret, "hook");
  EXPECT_THAT(webhook.headers, ElementsAre(::testing::Pair("X-Team", "shop")));
  EXPECT_EQ(std::get<SlackTarget>(read.rules->Find("chat")->kind).url_secret, "chat-url");
  EXPECT_EQ(std::get<NatsTarget>(read.rules->Find("bus")->kind).subject, "jaque.faults");
  ASSERT_EQ(read.rules->rules.size(), 2u);
  EXPECT_THAT(read.rules->rules[0].to, ElementsAre("hook", "chat", "mail", "bus"));
  EXPECT_EQ(read.rules->Find("nobody"), nullptr);
}

TEST(RulesTest, SelectsByTypeNamespaceAndDefinition) {
  const RulesResult read = ReadRules(kGood);
  const Rule& faults = read.rules->rules[0];
  EXPECT_TRUE(Concerns(faults, Event("workflow.faulted", "shop", "order")));
  EXPECT_TRUE(Concerns(faults, Event("task.retried", "shop", "order")));
  EXPECT_FALSE(Concerns(faults, Event("workflow.completed", "shop", "order")));
  EXPECT_FALSE(Concerns(faults, Event("workflow.faulted", "shop", "refund")));
  EXPECT_FALSE(Concerns(faults, Event("workflow.faulted", "other", "order")));
  const Rule& all = read.rules->rules[1];
  EXPECT_TRUE(Concerns(all, Event("workflow.completed", "any", "thing")));
  EXPECT_FALSE(Concerns(all, Event("workflow.status-changed", "any", "thing")));
  EXPECT_FALSE(Concerns(all, Event("task.completed", "any", "thing")));
}

TEST(RulesTest, NamesEverythingThatIsWrongWithItsPlace) {
  const std::vector<std::string> found = Findings(R"(targets:
  Hook!: {webhook: {url: 'ftp://example.org'}}
  two:
    slack: {url: 'https://a', urlSecret: b}
    nats: {subject: 'a.>'}
  slow: {nats: {subject: a}, perSecond: 0}
  mail: {email: {server: mail, from: "a@b\r\nBcc: c@d", to: []}}
rules:
  one:
    events: [workflow.eaten]
    when: ${ .data.( }
    to: [nowhere]
    colour: red
  two: {}
)");
  const std::string all = ::testing::PrintToString(found);
  EXPECT_THAT(all, HasSubstr("2:3 a name is up to 64 small letters, digits and -"));
  EXPECT_THAT(all, HasSubstr("an address begins with https:// or http://"));
  EXPECT_THAT(all, HasSubstr("a target is one of webhook, slack, email, nats"));
  EXPECT_THAT(all, HasSubstr("either \\\"url\\\" or \\\"urlSecret\\\" says where to"));
  EXPECT_THAT(all, HasSubstr("a subject has no spaces and no wildcards"));
  EXPECT_THAT(all, HasSubstr("\\\"perSecond\\\" is a number above 0"));
  EXPECT_THAT(all, HasSubstr("\\\"server\\\" begins with smtp:// or smtps://"));
  EXPECT_THAT(all, HasSubstr("is no address of mail"));
  EXPECT_THAT(all, HasSubstr("10:14 there is no event \\\"workflow.eaten\\\""));
  EXPECT_THAT(all, HasSubstr("there is no target \\\"nowhere\\\""));
  EXPECT_THAT(all, HasSubstr("\\\"colour\\\" is not known here"));
  EXPECT_THAT(all, HasSubstr("\\\"to\\\" is missing"));
  EXPECT_THAT(all, HasSubstr("11:"));  // the expression that does not compile
}

TEST(RulesTest, RefusesWhatIsNoRules) {
  for (const char* text : {"", "[]", "rules: 1\ntargets: {}", "a: &a [*a]", "targets: {}"}) {
    EXPECT_EQ(ReadRules(text).rules, nullptr) << text;
    EXPECT_FALSE(Findings(text).empty()) << text;
  }
  EXPECT_NE(ReadRules("targets: {}\nrules: {}").rules, nullptr);
}

}  // namespace
}  // namespace jaque::notifier
