// SPDX-License-Identifier: Apache-2.0
// Waits, timeouts, retries, and errors (reference, "Wait", "Timeout", "Try").
#include <algorithm>

#include "base/limits.h"
#include "engine/core_fixture.h"
#include "engine/retry.h"

namespace jaque::engine {
namespace {

constexpr char kCall[] = "{call: http, with: {method: get, endpoint: 'http://127.0.0.1:9/down'}}";

// Fails every attempt with 503 and notes how long each retry waited, in seconds.
std::vector<int64_t> Waits(Core* core) {
  std::vector<int64_t> waits;
  core->Start();
  while (!core->tasks().empty()) {
    core->Fail(503);
    const Micros failed = core->now();
    if (core->FireNext()) waits.push_back((core->now() - failed) / 1'000'000);
  }
  return waits;
}

std::vector<int64_t> WaitsOf(const std::string& retry) {
  Core core(Cat("do: [{t: {try: [{c: ", kCall,
                "}], catch: {errors: {with: {status: 503}}, retry: ", retry, "}}}]"));
  std::vector<int64_t> waits = Waits(&core);
  EXPECT_EQ(core.Result(), "fault 503 communication /do/0/t/try/0/c");
  return waits;
}

TEST(RetryTest, TheFirstDelayIsTheConfiguredOne) {
  using ::std::vector;
  EXPECT_EQ(
      WaitsOf("{delay: {seconds: 2}, backoff: {exponential: {}}, limit: {attempt: {count: 3}}}"),
      (vector<int64_t>{2, 4, 8}));
  EXPECT_EQ(WaitsOf("{delay: {seconds: 2}, backoff: {linear: {}}, limit: {attempt: {count: 3}}}"),
            (vector<int64_t>{2, 4, 6}));
  EXPECT_EQ(WaitsOf("{delay: {seconds: 2}, backoff: {constant: {}}, limit: {attempt: {count: 3}}}"),
            (vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(WaitsOf("{delay: {seconds: 2}, limit: {attempt: {count: 3}}}"),
            (vector<int64_t>{2, 2, 2}));
}

TEST(RetryTest, WithoutACountTheProductsLimitHolds) {
  EXPECT_EQ(WaitsOf("{delay: {seconds: 2}}").size(), static_cast<size_t>(limits::kRetryAttempts));
}

TEST(RetryTest, ALimitOfTimeForAllAttemptsHolds) {
  EXPECT_EQ(WaitsOf("{delay: {seconds: 2}, limit: {duration: {seconds: 5}}}").size(), 2u);
}

TEST(RetryTest, DelaysGrowAndNeverOverflow) {
  for (const auto backoff :
       {dsl::RetryPolicy::Backoff::kConstant, dsl::RetryPolicy::Backoff::kLinear,
        dsl::RetryPolicy::Backoff::kExponential}) {
    absl::Duration last;
    for (int n = 1; n <= 100; ++n) {
      const absl::Duration delay = RetryDelay(backoff, absl::Seconds(5), n);
      EXPECT_GE(delay, last);
      EXPECT_GT(delay, absl::ZeroDuration());
      EXPECT_LE(delay, absl::Seconds(limits::kRetryDelaySeconds));
      last = delay;
    }
  }
  EXPECT_EQ(RetryDelay(dsl::RetryPolicy::Backoff::kExponential, absl::InfiniteDuration(), 64),
            absl::Seconds(limits::kRetryDelaySeconds));
}

// Long after the power of two has left every integer behind.
TEST(RetryTest, AHundredRetriesWaitLongerAndLongerUpToTheLimit) {
  const std::string limit = "limit: {attempt: {count: 100}}}";
  std::vector<int64_t> waits =
      WaitsOf(Cat("{delay: {seconds: 5}, backoff: {exponential: {}}, ", limit));
  ASSERT_EQ(waits.size(), 100u);
  EXPECT_EQ(waits[0], 5);
  EXPECT_TRUE(std::is_sorted(waits.begin(), waits.end()));
  EXPECT_EQ(waits.back(), limits::kRetryDelaySeconds);
  waits = WaitsOf(Cat("{delay: {seconds: 5}, backoff: {exponential: {}}, ",
                      "jitter: {from: PT0S, to: PT5S}, ", limit));
  ASSERT_EQ(waits.size(), 100u);
  for (int n = 1; n <= 100; ++n) {
    const int64_t delay = absl::ToInt64Seconds(
        RetryDelay(dsl::RetryPolicy::Backoff::kExponential, absl::Seconds(5), n));
    EXPECT_GE(waits[n - 1], delay) << n;
    EXPECT_LE(waits[n - 1], delay + 5) << n;
  }
}

TEST(RetryTest, JitterStaysWithinItsBounds) {
  for (int i = 0; i < 100; ++i) {
    const absl::Duration jitter = Jitter(absl::Seconds(1), absl::Seconds(3), i / 100.0);
    EXPECT_GE(jitter, absl::Seconds(1));
    EXPECT_LT(jitter, absl::Seconds(3));
  }
}

TEST(RetryTest, UsedUpRetriesLeaveTheErrorToTheCatchTasks) {
  Core core(Cat("do: [{t: {try: [{c: ", kCall, "}], catch: {as: e, retry: {delay: {seconds: 1}, ",
                "limit: {attempt: {count: 1}}}, do: [{s: {set: {status: '${ $e.status }'}}}]}}}]"));
  EXPECT_EQ(Waits(&core).size(), 1u);
  EXPECT_EQ(core.Result(), R"({"status":503})");
}

// What is said of the tasks under way: "POINTER#ATTEMPT".
std::vector<std::string> Active(Core& core) {
  std::vector<std::string> active;
  const v1::InstanceDescription description = Describe(*core.state().Find("i"));
  for (const v1::ActiveTask& task : description.active()) {
    active.push_back(Cat(task.pointer(), "#", task.attempt()));
  }
  return active;
}

TEST(RetryTest, ATaskUnderWayTellsItsAttempt) {
  using ::std::string;
  Core core(Cat("do: [{t: {try: [{inner: {try: [{c: ", kCall, "}], ",
                "catch: {errors: {with: {status: 1}}}}}], catch: {retry: {delay: {seconds: 1}, ",
                "limit: {attempt: {count: 2}}}, do: [{d: ", kCall, "}]}}}]"));
  core.Start();
  for (const char* attempt : {"#1", "#2", "#3"}) {
    EXPECT_EQ(Active(core), (std::vector<string>{Cat("/do/0/t", attempt), "/do/0/t/try/0/inner#1",
                                                 Cat("/do/0/t/try/0/inner/try/0/c", attempt)}));
    core.Fail(503);
    if (core.tasks().empty()) {
      ASSERT_TRUE(core.FireNext());
    }
  }
  // The catch tasks are no attempt.
  EXPECT_EQ(Active(core), (std::vector<string>{"/do/0/t#3", "/do/0/t/catch/do/0/d#1"}));
}

TEST(RetryTest, AnAttemptThatTakesTooLongIsATimeoutAndIsTriedAgain) {
  Core core(Cat(
      "do: [{t: {try: [{c: ", kCall, "}], catch: {errors: {with: {status: 408}}, ",
      "retry: {delay: {seconds: 1}, limit: {attempt: {count: 1, duration: {seconds: 3}}}}}}}]"));
  core.Start();
  const v1::TaskRequest first = core.tasks()[0];
  ASSERT_TRUE(core.FireNext());  // the attempt's limit
  EXPECT_EQ(core.now() - Core::kStart, 3'000'000);
  EXPECT_EQ(core.cancelled().size(), 1u);
  ASSERT_TRUE(core.FireNext());  // the retry's delay
  ASSERT_EQ(core.tasks().size(), 2u);
  core.Succeed("\"late\"");  // of the first attempt
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_RUNNING");
  core.Succeed("\"second\"");
  EXPECT_EQ(core.Result(), "\"second\"");
}

TEST(TimeoutTest, TheRequestIsStoppedAndItsLateAnswerDropped) {
  Core core(Cat(
      "do: [{t: {try: [{slow: {timeout: {after: {seconds: 1}}, ", std::string(kCall).substr(1),
      "}], ",
      "catch: {errors: {with: {type: 'https://serverlessworkflow.io/spec/1.0.0/errors/timeout', "
      "status: 408}}, retry: {delay: {seconds: 1}, limit: {attempt: {count: 1}}}}}}]"));
  core.Start();
  EXPECT_EQ(core.tasks()[0].deadline_micros(), Core::kStart + 1'000'000);
  ASSERT_TRUE(core.FireNext());
  ASSERT_EQ(core.cancelled().size(), 1u);
  ASSERT_TRUE(core.FireNext());
  ASSERT_EQ(core.tasks().size(), 2u);
  core.Succeed("\"late\"");
  core.Succeed("\"right\"");
  EXPECT_EQ(core.Result(), "\"right\"");
}

TEST(TimeoutTest, OfTheWorkflowCannotBeCaught) {
  Core core(
      "timeout: {after: PT2S}\n"
      "do: [{t: {try: [{w: {wait: PT1H}}], catch: {do: [{s: {set: {caught: true}}}]}}}]");
  core.Start();
  ASSERT_TRUE(core.FireNext());
  EXPECT_EQ(core.Result(), "fault 408 timeout /");
}

TEST(TimeoutTest, ZeroIsAnImmediateTimeout) {
  Core core("do: [{w: {wait: PT1H, timeout: {after: PT0S}}}]");
  core.Start();
  while (core.Result() == "INSTANCE_STATUS_WAITING" && core.FireNext()) {
  }
  EXPECT_EQ(core.Result(), "fault 408 timeout /do/0/w");
  EXPECT_EQ(core.now(), Core::kStart);
  Core workflow("timeout: {after: PT0S}\ndo: [{w: {wait: PT1H}}]");
  workflow.Start();
  while (workflow.Result() == "INSTANCE_STATUS_WAITING" && workflow.FireNext()) {
  }
  EXPECT_EQ(workflow.Result(), "fault 408 timeout /");
  EXPECT_EQ(workflow.now(), Core::kStart);
}

TEST(WaitTest, NeverEndsEarly) {
  Core core("do: [{w: {wait: {seconds: 10}}}]");
  core.Start();
  v1::Command early;
  early.mutable_fire_timer()->set_frame(2);
  early.mutable_fire_timer()->set_kind(v1::TIMER_KIND_WAKE);
  early.mutable_fire_timer()->set_due_micros(Core::kStart + 10'000'000);
  core.Execute(early);
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  ASSERT_TRUE(core.FireNext());
  EXPECT_EQ(core.now(), Core::kStart + 10'000'000);
  EXPECT_EQ(core.Result(), "{}");
}

TEST(WaitTest, TheLongestEndsWhenItShould) {
  Core core("do: [{w: {wait: P100Y}}]");
  core.Start();
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  ASSERT_TRUE(core.FireNext());
  EXPECT_EQ(core.now() - Core::kStart, limits::kDurationSeconds * 1'000'000);
  EXPECT_EQ(core.Result(), "{}");
}

// The same limits as for durations that stand in the definition, wherever one is taken from data.
TEST(WaitTest, ADurationFromDataIsLimited) {
  constexpr const char* kTasks[] = {
      "{wait: '${ .d }'}", "{wait: PT1S, timeout: {after: '${ .d }'}}",
      "{try: [{r: {raise: {error: {type: 'https://x/y', status: 400}}}}], "
      "catch: {retry: {delay: '${ .d }'}}}",
      "{try: [{r: {raise: {error: {type: 'https://x/y', status: 400}}}}], "
      "catch: {retry: {delay: PT1S, jitter: {from: PT0S, to: '${ .d }'}}}}"};
  for (const char* task : kTasks) {
    for (const char* duration :
         {R"({"days":200000})", R"("PT9223372037S")", R"({"milliseconds":9223372036854775807})",
          R"({"days":-1})", R"("-PT1S")", R"({"days":1e300})", "9e99", "null"}) {
      Core core(Cat("do: [{a: ", task, "}]"));
      core.Start(Cat("{\"d\":", duration, "}"));
      EXPECT_EQ(core.Result(), "fault 400 expression /do/0/a") << task << duration;
      EXPECT_EQ(core.now(), Core::kStart);
    }
  }
}

TEST(WaitTest, ADurationMayBeAnExpression) {
  Core core("do: [{w: {wait: '${ .for }'}}]");
  core.Start(R"({"for":"PT90S"})");
  ASSERT_TRUE(core.FireNext());
  EXPECT_EQ(core.now(), Core::kStart + 90'000'000);
  Core bad("do: [{w: {wait: '${ .for }'}}]");
  EXPECT_EQ(bad.Start(R"({"for":"soon"})").Result().substr(0, 9), "fault 400");
}

TEST(CatchTest, FiltersDecideWhoCatches) {
  const auto with = [](const std::string& caught) {
    Core core(Cat(
        "do: [{t: {try: [{r: {raise: {error: {type: 'https://x/y', status: 418, title: T}}}}], ",
        "catch: {", caught, ", do: [{s: {set: {caught: '${ $error.title }'}}}]}}}]"));
    return core.Start().Result();
  };
  EXPECT_EQ(with("errors: {with: {status: 418}}"), R"({"caught":"T"})");
  EXPECT_EQ(with("errors: {with: {status: 500}}"), "fault 418 y /do/0/t/try/0/r");
  EXPECT_EQ(with("errors: {with: {type: 'https://x/y', title: T}}"), R"({"caught":"T"})");
  EXPECT_EQ(with("when: '$error.status == 418'"), R"({"caught":"T"})");
  EXPECT_EQ(with("exceptWhen: '$error.status == 418'"), "fault 418 y /do/0/t/try/0/r");
  EXPECT_EQ(with("when: 'error(\"no\")'"), "fault 400 expression /do/0/t");
}

TEST(CatchTest, AnErrorInTheCatchTasksGoesFurtherUp) {
  Core core(R"(
do:
  - outer:
      try:
        - inner:
            try: [{r: {raise: {error: {type: 'https://x/one', status: 400}}}}]
            catch: {do: [{again: {raise: {error: {type: 'https://x/two', status: 401}}}}]}
      catch: {as: e, do: [{s: {set: {type: '${ $e.type }', at: '${ $e.instance }'}}}]}
)");
  EXPECT_EQ(core.Start().Result(),
            R"({"type":"https://x/two","at":"/do/0/outer/try/0/inner/catch/do/0/again"})");
}

TEST(CatchTest, ThenOfTheCatchReplacesThatOfTheTask) {
  Core core(R"(
do:
  - t:
      try: [{r: {raise: {error: {type: 'https://x/y', status: 400}}}}]
      catch: {then: c}
      then: b
  - b: {set: {b: true}, then: end}
  - c: {set: {c: true}}
)");
  EXPECT_EQ(core.Start().Result(), R"({"c":true})");
}

}  // namespace
}  // namespace jaque::engine
