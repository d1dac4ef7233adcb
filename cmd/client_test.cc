// SPDX-License-Identifier: Apache-2.0
// What the commands that talk to a server do by themselves: reading streams, formatting, contexts,
// the tree of `watch`. tests/cli has them against a server.
#include "cmd/client.h"

#include <vector>

#include "cmd/client_watch.h"
#include "cmd/contexts.h"
#include "cmd/exit_code.h"
#include "cmd/table.h"
#include "cmd/yaml_text.h"
#include "dsl/read.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(EventSplitterTest, EventsComeHoweverTheBytesAreCut) {
  const std::string text =
      ": hello\n\nid: 7\nevent: task\ndata: {\"a\":\ndata: 1}\n\nid: 8\r\ndata:x\r\n\r\nid: 9\n\n";
  for (size_t cut = 1; cut <= text.size(); ++cut) {
    EventSplitter splitter;
    std::vector<ServerEvent> events;
    for (size_t at = 0; at < text.size(); at += cut) {
      for (ServerEvent& event : splitter.Add(std::string_view(text).substr(at, cut))) {
        events.push_back(std::move(event));
      }
    }
    ASSERT_THAT(events, SizeIs(2)) << cut;
    EXPECT_EQ(events[0].id, "7");
    EXPECT_EQ(events[0].event, "task");
    EXPECT_EQ(events[0].data, "{\"a\":\n1}");
    EXPECT_EQ(events[1].data, "x");
  }
}

TEST(ClientTest, SegmentsAreEscaped) {
  EXPECT_EQ(EscapeSegment("a-b_c.1:0"), "a-b_c.1:0");
  EXPECT_EQ(EscapeSegment("a/b c?d#e%é"), "a%2Fb%20c%3Fd%23e%25%C3%A9");
}

TEST(ClientTest, AnErrorHasAnExitCode) {
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("")), kExitNotFound);
  EXPECT_EQ(ExitCodeOf(absl::UnauthenticatedError("")), kExitRefused);
  EXPECT_EQ(ExitCodeOf(absl::PermissionDeniedError("")), kExitRefused);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError("")), kExitRefused);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), kExitBadDefinition);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), kExitFailed);
}

TEST(TableTest, ColumnsAreAlignedAndStatesPainted) {
  Table table({"ID", "STATUS", "NOTE"});
  table.Add({"é1", "faulted", ""});
  table.Add({"longer", "running", "a\x1b[31mb"});
  EXPECT_EQ(table.Text(false),
            "ID       STATUS    NOTE\n"
            "é1       faulted   -\n"
            "longer   running   a\\x1b[31mb\n");
  EXPECT_THAT(table.Text(true), HasSubstr("\x1b[31mfaulted\x1b[0m   -"));
}

TEST(TableTest, TimesAreToldFromNow) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  EXPECT_EQ(RelativeTime(now, now), "0s ago");
  EXPECT_EQ(RelativeTime(now - absl::Seconds(119), now), "119s ago");
  EXPECT_EQ(RelativeTime(now - absl::Minutes(119), now), "119m ago");
  EXPECT_EQ(RelativeTime(now - absl::Hours(47), now), "47h ago");
  EXPECT_EQ(RelativeTime(now - absl::Hours(480), now), "20d ago");
  EXPECT_EQ(RelativeTime(now + absl::Hours(3), now), "in 3h");
  EXPECT_EQ(RelativeTime(absl::InfinitePast(), now), "-");
}

TEST(YamlTextTest, IsReadBackAsItWas) {
  for (const char* json :
       {R"({"a":1,"b":[1,{"c":"x","d":[]},[2,[3]],{}],"e":{"f":{"g":null}}})", R"("x")", "[]",
        R"(["yes","no","null","1","1e3","-","- a",": b","a: b","# c","","  d","multi\nline","é",
            "/do/0/x","~","true","@x","{a}","*a","2026-11-30"])",
        R"({"1":2,"a b":3,"":4,"key: x":"- y","on":false,"x":"trailing "})"}) {
    const Value value = *ParseJson(json);
    const std::string yaml = YamlText(value);
    dsl::Findings findings;
    const auto back = dsl::ReadYaml(yaml, &findings);
    ASSERT_NE(back, nullptr) << yaml;
    EXPECT_EQ(ToJson(back->value), ToJson(value)) << yaml;
  }
}

TEST(YamlTextTest, IsPlainToRead) {
  EXPECT_EQ(YamlText(*ParseJson(R"({"id":"a/b:1","tags":{"k":"v w"},"list":[{"x":1,"y":2}]})")),
            "id: \"a/b:1\"\ntags:\n  k: v w\nlist:\n  - x: 1\n    y: 2\n");
}

constexpr char kFile[] =
    "current: dev\ncontexts:\n  dev: {server: 'http://dev:1', token-file: /t}\n"
    "  prod: {server: 'https://prod', ca: /ca}\n";

TEST(ContextsTest, TheCurrentOneCountsUnlessAnotherIsNamed) {
  const ContextFile file = ParseContextFile(kFile, "c.yaml").value();
  EXPECT_EQ(ResolveServer({}, file)->server, "http://dev:1");
  EXPECT_EQ(ResolveServer({}, file)->token_file, "/t");
  ServerFlags flags;
  flags.context = "prod";
  EXPECT_EQ(ResolveServer(flags, file)->server, "https://prod");
  EXPECT_EQ(ResolveServer(flags, file)->ca_file, "/ca");
  EXPECT_EQ(ResolveServer({}, {})->server, "http://127.0.0.1:8080");
  flags.context = "other";
  EXPECT_THAT(std::string(ResolveServer(flags, file).status().message()),
              HasSubstr("there is no context other: there are dev, prod"));
}

TEST(ContextsTest, ATokenGoesToItsOwnServerOnly) {
  const ContextFile file = ParseContextFile(kFile, "c.yaml").value();
  ServerFlags flags;
  flags.server = "http://elsewhere";
  EXPECT_EQ(ResolveServer(flags, file)->token_file, "");
  flags.context = "dev";
  EXPECT_EQ(ResolveServer(flags, file)->server, "http://elsewhere");
  EXPECT_EQ(ResolveServer(flags, file)->token_file, "");
}

TEST(ContextsTest, TheFileIsWrittenAsItIsRead) {
  const ContextFile file = ParseContextFile(kFile, "c.yaml").value();
  const ContextFile again = ParseContextFile(ContextFileText(file), "c.yaml").value();
  EXPECT_EQ(again.current, "dev");
  EXPECT_EQ(again.contexts.at("prod").ca_file, "/ca");
  EXPECT_EQ(ContextFileText(again), ContextFileText(file));
  EXPECT_TRUE(ParseContextFile("\n", "c.yaml").ok());
  EXPECT_FALSE(ParseContextFile("contexts: {a: {}}", "c.yaml").ok());
  EXPECT_FALSE(ParseContextFile("[1]", "c.yaml").ok());
}

TEST(ContextsTest, TheFileHasAPlace) {
  std::map<std::string, std::string> variables = {{"HOME", "/home/ada"}};
  const auto get = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(ContextFilePath(get), "/home/ada/.config/jaque/config.yaml");
  variables["XDG_CONFIG_HOME"] = "/x";
  EXPECT_EQ(ContextFilePath(get), "/x/jaque/config.yaml");
  variables["JAQUE_CONFIG_FILE"] = "/y";
  EXPECT_EQ(ContextFilePath(get), "/y");
}

std::vector<std::string> Drawn(const TaskTree& tree) {
  std::vector<std::string> lines;
  TerminalOptions options;
  options.colors = false;
  for (const TaskLine* line : tree.Lines()) {
    lines.push_back(TaskLineText(*line, absl::FromUnixSeconds(1'800'000'010), options));
  }
  return lines;
}

TEST(TaskTreeTest, RowsStandUnderTheirParentsInTheOrderOfTheHistory) {
  TaskTree tree;
  const auto put = [&tree](const char* json) { return tree.Put(*ParseJson(json)); };
  EXPECT_TRUE(put(R"({"seq":"9","name":"last","status":"waiting","dueAt":"2027-01-15T09:00:00Z",
                      "startedAt":"2027-01-15T08:00:08Z","pointer":"/do/1/last"})"));
  EXPECT_TRUE(put(R"({"seq":"2","name":"loop","status":"running",
                      "startedAt":"2027-01-15T08:00:00Z","pointer":"/do/0/loop"})"));
  const char step[] = R"({"seq":"5","parent":"2","name":"step","status":"faulted","attempt":2,
      "iteration":3,"startedAt":"2027-01-15T08:00:01Z","endedAt":"2027-01-15T08:00:02.5Z",
      "pointer":"/do/0/loop/do/0/step","error":{"title":"Down","detail":"no\nanswer"}})";
  EXPECT_TRUE(put(step));
  EXPECT_FALSE(put(step));  // as a stream that was resumed may repeat
  const std::string until =
      absl::FormatTime("%H:%M:%S", absl::FromUnixSeconds(1'800'003'600), absl::LocalTimeZone());
  EXPECT_THAT(Drawn(tree),
              ElementsAre("● loop  10s", "  ✗ step  1.5s  #3  attempt 2  Down: no answer",
                          "◌ last  2s  until " + until));
  EXPECT_EQ(TaskTree::PlainLine(*ParseJson(step), absl::UTCTimeZone()),
            "08:00:02.500 faulted    /do/0/loop/do/0/step  1.5s  #3  attempt 2  Down: no answer");
}

}  // namespace
}  // namespace jaque::cmd
