// SPDX-License-Identifier: Apache-2.0
// Exporters and servers that are real: what arrives, how often, and what of it is repeated.
#include <algorithm>
#include <map>
#include <optional>
#include <thread>

#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/limits.h"
#include "base/simulated_clock.h"
#include "base/text.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_event_log.h"
#include "nats/jetstream.h"
#include "sink/export_output.h"
#include "sink/exporters.h"
#include "sink/follower.h"
#include "sink/otlp_spans.h"
#include "store/positions.h"
#include "tests/support/http_server.h"
#include "tests/support/nats_server.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_files.h"

namespace jaque {
namespace {

using store::Filled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A server of HTTP that remembers what it was sent and answers as it is told.
class Receiver {
 public:
  testing::TestResponse Take(const testing::TestRequest& request) {
    absl::MutexLock lock(&mutex_);
    requests_.push_back(request);
    if (answers_.empty()) return {};
    testing::TestResponse answer = answers_.front();
    answers_.erase(answers_.begin());
    return answer;
  }
  void Answer(int status, const std::string& body = "") {
    absl::MutexLock lock(&mutex_);
    answers_.emplace_back().status = status;
    answers_.back().body = body;
  }
  std::vector<testing::TestRequest> Requests() {
    absl::MutexLock lock(&mutex_);
    return requests_;
  }
  std::string Url(const std::string& path) const { return server_.Url(path); }

 private:
  absl::Mutex mutex_;
  std::vector<testing::TestRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::vector<testing::TestResponse> answers_ ABSL_GUARDED_BY(mutex_);
  testing::TestHttpServer server_{[this](const auto& request) { return Take(request); }};
};

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() : database_(*store::OpenDatabase(Cat("sqlite:", folder_.path(), "/store.db"))) {
    filled_.emplace(database_);
  }

  void Add(const std::string& object, const std::vector<v1::Event>& events) {
    SinkBatch& batch = batches_.emplace_back();
    batch.batch.set_epoch(1);
    v1::Decision* decision = batch.batch.add_decisions();
    decision->set_object_id(object);
    decision->set_at_micros(now_ += 1'000'000);
    for (const v1::Event& event : events) *decision->add_events() = event;
    batch.sequence = static_cast<Sequence>(filled_->Add(batch.batch) >> 20);
  }
  static v1::Event Start() {
    v1::Event event;
    event.set_input("{\"n\":1}");
    event.mutable_instance_started()->set_definition(store::kDefinition);
    event.mutable_instance_started()->mutable_parent()->set_instance_id("above");
    return event;
  }
  static v1::Event Begin(uint32_t frame, uint32_t parent, uint32_t task) {
    v1::Event event;
    event.mutable_task_started()->set_frame(frame);
    event.mutable_task_started()->set_parent(parent);
    event.mutable_task_started()->set_task(task);
    return event;
  }
  static v1::Event Raised(uint32_t frame, uint32_t task) {
    v1::Event event;
    event.mutable_error_raised()->set_frame(frame);
    event.mutable_error_raised()->set_task(task);
    event.mutable_error_raised()->set_has_task(true);
    v1::Problem* error = event.mutable_error_raised()->mutable_error();
    error->set_type("https://example.org/down");
    error->set_title("Down");
    error->set_status(503);
    return event;
  }
  // A set, a try whose call fails twice, and with it everything.
  void AddAFault(const std::string& id) {
    v1::Event retry, attempt;
    retry.mutable_retry_scheduled()->set_frame(2);
    retry.mutable_retry_scheduled()->set_attempt(2);
    attempt.mutable_attempt_started()->set_frame(2);
    attempt.mutable_attempt_started()->set_attempt(2);
    Add(id, {Start(), Filled::Done(0, 1, 0), Begin(2, 1, 1), Begin(3, 2, 2)});
    Add(id, {Raised(2, 2), retry});
    Add(id, {attempt, Begin(4, 2, 2)});
    Add(id, {Raised(2, 2), Filled::Faulted("Down", "")});
  }

  std::unique_ptr<Exporter> Make(const std::string& url, ExporterParts parts = {}) {
    parts.store = database_.get();
    auto exporter = MakeExporter(url, parts);
    EXPECT_TRUE(exporter.ok()) << exporter.status();
    return *std::move(exporter);
  }
  absl::Status Refusal(const std::string& url) { return MakeExporter(url, {}).status(); }
  // What an output takes of what was added.
  absl::Status Take(ExportOutput* output) {
    SinkPositions positions = *store::ReadPositions(database_.get(), output->name());
    std::vector<SinkBatch> rest;
    for (const SinkBatch& batch : batches_) {
      if (batch.sequence > positions[0].sequence) rest.push_back(batch);
    }
    return output->Take(rest, &positions);
  }
  Sequence PositionOf(const std::string& name) {
    return (*store::ReadPositions(database_.get(), name))[0].sequence;
  }
  static std::vector<std::string> Lines(const std::string& body) {
    return absl::StrSplit(body, '\n', absl::SkipEmpty());
  }

  testing::TempFolder folder_;
  std::shared_ptr<store::Database> database_;
  std::optional<Filled> filled_;
  std::vector<SinkBatch> batches_;
  int64_t now_ = 1'800'000'000'000'000;
  Receiver receiver_;
};

std::map<std::string, Value> SpansIn(const std::string& body) {
  std::map<std::string, Value> spans;
  const auto request = ParseJson(body);
  EXPECT_TRUE(request.ok()) << body;
  const Value& found =
      *request->Find("resourceSpans")->at(0).Find("scopeSpans")->at(0).Find("spans");
  for (size_t i = 0; i < found.size(); ++i) {
    spans[std::string(found.at(i).StringOr("spanId", ""))] = found.at(i);
  }
  return spans;
}

std::string AttributeOf(const Value& of, std::string_view key) {
  const Value* const attributes = of.Find("attributes");
  for (size_t i = 0; attributes != nullptr && i < attributes->size(); ++i) {
    const Value& one = attributes->at(i);
    if (one.StringOr("key", "") != key) continue;
    const Value& value = *one.Find("value");
    return std::string(value.StringOr("stringValue", value.StringOr("intValue", "")));
  }
  return "";
}

TEST_F(ExportTest, AnInstanceIsATraceAndATaskASpan) {
  AddAFault("i");
  ExportOutput output("otlp", Make("otlp:" + receiver_.Url("/v1/traces")), database_.get());
  ASSERT_TRUE(Take(&output).ok());
  ASSERT_THAT(receiver_.Requests(), SizeIs(1));
  const testing::TestRequest request = receiver_.Requests()[0];
  EXPECT_EQ(request.path(), "/v1/traces");
  EXPECT_EQ(request.Header("content-type"), "application/json");
  const auto spans = SpansIn(request.body);
  ASSERT_THAT(spans, SizeIs(5));  // set, try, two calls, the instance
  const Value& root = spans.at(SpanIdOf("i", 0));
  EXPECT_EQ(root.StringOr("name", ""), "test/steps");
  EXPECT_EQ(root.StringOr("startTimeUnixNano", ""), "1800000001000000000");
  EXPECT_EQ(root.StringOr("endTimeUnixNano", ""), "1800000004000000000");
  EXPECT_EQ(root.FindPath({"status", "code"})->AsInt(), 2);
  EXPECT_EQ(root.Find("links")->at(0).StringOr("traceId", ""), TraceIdOf("above"));
  std::vector<std::string> calls;
  for (const auto& [id, span] : spans) {
    EXPECT_EQ(span.StringOr("traceId", ""), TraceIdOf("i"));
    EXPECT_EQ(id.size(), 16);
    const std::string_view parent = span.StringOr("parentSpanId", "");
    if (span.StringOr("name", "") == "try") {
      EXPECT_EQ(parent, SpanIdOf("i", 0));
      EXPECT_EQ(span.Find("events")->at(0).StringOr("name", ""), "retry");
      EXPECT_EQ(AttributeOf(span, "jaque.task.status"), "faulted");
    }
    if (span.StringOr("name", "") == "set") {
      EXPECT_EQ(span.Find("status"), nullptr);
    }
    if (span.StringOr("name", "") != "call") continue;
    EXPECT_EQ(span.Find("kind")->AsInt(), 3);
    EXPECT_EQ(AttributeOf(span, "error.type"), "https://example.org/down");
    const Value& error = span.Find("events")->at(0);
    EXPECT_EQ(error.StringOr("name", ""), "exception");
    EXPECT_EQ(AttributeOf(error, "exception.message"), "Down");
    EXPECT_EQ(spans.at(std::string(parent)).StringOr("name", ""), "try");
    calls.push_back(AttributeOf(span, "jaque.task.attempt"));
  }
  EXPECT_THAT(calls, ::testing::UnorderedElementsAre("1", "2"));
}

TEST_F(ExportTest, SpansThatComeAgainAreTheSame) {
  AddAFault("i");
  const auto exporter = Make("otlp:" + receiver_.Url("/"));
  std::vector<const SinkBatch*> all;
  for (const SinkBatch& batch : batches_) all.push_back(&batch);
  EXPECT_EQ(*exporter->Export(all), 5);
  EXPECT_EQ(*exporter->Export(all), 5);
  // In pieces: each span once, with the fact that ended it.
  size_t sum = 0;
  for (const SinkBatch* batch : all) sum += *exporter->Export({batch});
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(receiver_.Requests()[0].body, receiver_.Requests()[1].body);
}

TEST_F(ExportTest, SpansThatAReceiverNeverWantsHoldNothingUp) {
  AddAFault("i");
  ExportOutput output("otlp", Make("otlp:" + receiver_.Url("/")), database_.get());
  receiver_.Answer(503);
  EXPECT_TRUE(absl::IsUnavailable(Take(&output)));
  EXPECT_EQ(PositionOf("otlp"), 0);
  receiver_.Answer(400, "no");
  EXPECT_TRUE(Take(&output).ok());
  EXPECT_EQ(PositionOf("otlp"), batches_.back().sequence);
  receiver_.Answer(200, R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}})");
  std::vector<const SinkBatch*> all;
  for (const SinkBatch& batch : batches_) all.push_back(&batch);
  EXPECT_EQ(*Make("otlp:" + receiver_.Url("/"))->Export(all), 3);
}

TEST_F(ExportTest, HeadersOfTheEnvironmentGoToTheReceiverOfTraces) {
  AddAFault("i");
  ExporterParts parts;
  parts.otlp_headers = "api-key=secret=1, x-team = shop";
  std::vector<const SinkBatch*> all;
  for (const SinkBatch& batch : batches_) all.push_back(&batch);
  ASSERT_TRUE(Make("otlp:" + receiver_.Url("/"), parts)->Export(all).ok());
  EXPECT_EQ(receiver_.Requests()[0].Header("api-key"), "secret=1");
  EXPECT_EQ(receiver_.Requests()[0].Header("x-team"), "shop");
}

TEST_F(ExportTest, FactsGoToAWebhookInPiecesAndComeAgainUntilTheyAreTaken) {
  v1::Event large = Start();
  large.set_data("\"" + std::string(300'000, 'x') + "\"");
  for (int i = 0; i < 6; ++i) Add(Cat("i", i), {large, Filled::Done(0, 1, 0)});
  const std::string url = "webhook:" + receiver_.Url("/facts");
  ExportOutput output("hook", Make(url), database_.get());
  receiver_.Answer(200);
  receiver_.Answer(500, "not now");
  const absl::Status failed = Take(&output);
  EXPECT_TRUE(absl::IsUnavailable(failed));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("HTTP 500: not now"));
  const Sequence taken = PositionOf("hook");
  EXPECT_GT(taken, 0);  // what was taken is not sent again
  EXPECT_LT(taken, batches_.back().sequence);
  ASSERT_TRUE(Take(&output).ok());
  std::map<std::string, int> seen;
  std::map<std::string, std::string> bodies;
  for (const testing::TestRequest& request : receiver_.Requests()) {
    EXPECT_LE(request.body.size(), limits::kExportRequestBytes);
    const std::string id = request.Header("jaque-batch-id");
    EXPECT_EQ(bodies.emplace(id, request.body).first->second, request.body);
    for (const std::string& line : Lines(request.body)) {
      const auto fact = ParseJson(line);
      ASSERT_TRUE(fact.ok()) << line;
      ++seen[Cat(fact->StringOr("object", ""), "/", fact->StringOr("kind", ""))];
    }
  }
  EXPECT_THAT(seen, SizeIs(12));
  EXPECT_EQ(seen["i0/InstanceStarted"], 1);
}

TEST_F(ExportTest, OneThatIsStoppedWaitsForNobody) {
  absl::Notification asked;
  testing::TestHttpServer silent([&](const testing::TestRequest& request) {
    asked.Notify();
    request.wait_closed();
    return testing::TestResponse();
  });
  Add("i", {Start()});
  ExportOutput output("hook", Make("webhook:" + silent.Url("/")), database_.get());
  std::thread stopper([&] {
    asked.WaitForNotification();
    output.Stop();
  });
  EXPECT_TRUE(absl::IsCancelled(Take(&output)));
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(Take(&output)));
  EXPECT_EQ(silent.requests(), 1);
}

TEST_F(ExportTest, AReceiverBehindTlsHasToBeTrusted) {
  const testing::TlsFiles files;
  ASSERT_EQ(files.error(), "");
  testing::TestHttpServer server(
      [](const testing::TestRequest&) { return testing::TestResponse(); },
      {files.certificate(), files.key()});
  Add("i", {Start()});
  ExporterParts parts;
  const std::vector<const SinkBatch*> all = {&batches_[0]};
  const auto refused = Make("webhook:" + server.Url("/"), parts)->Export(all);
  EXPECT_TRUE(absl::IsUnavailable(refused.status())) << refused.status();
  EXPECT_EQ(server.requests(), 0);
  parts.ca_file = files.authority();
  const auto taken = Make("webhook:" + server.Url("/"), parts)->Export(all);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(*taken, 1);
}

TEST_F(ExportTest, WhatCannotWorkIsRefused) {
  EXPECT_THAT(std::string(Refusal("csv:x").message()), HasSubstr("ndjson:PATH"));
  EXPECT_THAT(std::string(Refusal("webhook:ftp://a/b").message()), HasSubstr("http"));
  EXPECT_THAT(std::string(Refusal("webhook:http://u:p@a/b").message()), HasSubstr("password"));
  EXPECT_THAT(std::string(Refusal("otlp:localhost:4318").message()), HasSubstr("http"));
  EXPECT_THAT(std::string(Refusal("nats:facts").message()), HasSubstr("-queue"));
  EXPECT_EQ(ExportName("webhook:https://a/b?token=x"), "webhook:https://a/b");
}

// An output that goes behind the store, and remembers.
class Behind final : public Exporter {
 public:
  absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) override {
    for (const SinkBatch* batch : batches) taken.push_back(batch->sequence);
    return batches.size();
  }
  bool after_store() const override { return true; }
  std::vector<Sequence> taken;
};

TEST_F(ExportTest, AFollowerBehindAnotherDoesNotOvertakeIt) {
  SimulatedClock clock;
  MemoryEventLog log(&clock);
  for (Sequence i = 0; i < 4; ++i) {
    v1::LogBatch batch;
    batch.set_epoch(1);
    batch.add_decisions()->set_object_id("i");
    log.Append(0, i, Cat(i), batch.SerializeAsString(), [](const AppendResult&) {});
  }
  auto made = std::make_unique<Behind>();
  Behind& behind = *made;
  ExportOutput output("behind", std::move(made), database_.get());
  std::map<ShardId, Sequence> passed;
  std::vector<ShardId> owned = {0};
  Follower follower(
      &clock, &log, database_.get(), &output, [&] { return owned; }, [&] { return passed; });
  EXPECT_FALSE(follower.Step());
  passed[0] = 3;
  EXPECT_TRUE(follower.Step());
  EXPECT_FALSE(follower.Step());
  EXPECT_THAT(behind.taken, ElementsAre(1, 2, 3));
  passed[0] = 9;
  EXPECT_TRUE(follower.Step());
  EXPECT_THAT(behind.taken, ElementsAre(1, 2, 3, 4));
  // A shard that goes takes with it what was held back.
  log.Append(0, 4, "x", "", [](const AppendResult&) {});
  passed[0] = 4;
  EXPECT_FALSE(follower.Step());
  owned.clear();
  passed[0] = 9;
  clock.Advance(absl::Seconds(1));
  EXPECT_FALSE(follower.Step());
  EXPECT_THAT(behind.taken, SizeIs(4));
}

class NatsExportTest : public ExportTest {
 protected:
  void SetUp() override {
    auto server = NatsServer::Start();
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "skipped: " << server.status().message();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    auto connection = nats::Connection::Connect({.urls = {server_->url()}, .name = "test"});
    ASSERT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
  }
  ExporterParts Parts() {
    ExporterParts parts;
    parts.nats = connection_.get();
    return parts;
  }
  std::vector<nats::StoredMessage> Stored() {
    std::vector<nats::StoredMessage> messages;
    while (true) {
      const uint64_t from = messages.empty() ? 1 : messages.back().sequence + 1;
      absl::StatusOr<nats::StoredMessage> found = absl::UnknownError("");
      absl::Notification done;
      nats::NextMessage(*connection_, "FACTS", "facts.>", from, [&](auto message) {
        found = std::move(message);
        done.Notify();
      });
      done.WaitForNotification();
      if (!found.ok()) return messages;
      messages.push_back(*std::move(found));
    }
  }

  std::unique_ptr<NatsServer> server_;
  std::unique_ptr<nats::Connection> connection_;
};

TEST_F(NatsExportTest, AStreamHasEachFactOnceAndThoseOfAnObjectInOrder) {
  for (const char* id : {"a", "b"}) {
    Add(id, {Start(), Filled::Done(0, 1, 0), Begin(2, 1, 1), Begin(3, 2, 2)});
  }
  v1::Event opened;
  opened.mutable_shard_opened()->set_engine("e");
  Add("", {opened});
  ExportOutput output("n", Make("nats:facts.{kind}.{object}", Parts()), database_.get());
  const absl::Status none = Take(&output);
  EXPECT_TRUE(absl::IsUnavailable(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("a stream has to have it"));
  ASSERT_TRUE(nats::EnsureStream(*connection_, {.name = "FACTS", .subjects = "facts.>"}).ok());
  ASSERT_TRUE(Take(&output).ok());
  std::vector<const SinkBatch*> all;
  for (const SinkBatch& batch : batches_) all.push_back(&batch);
  EXPECT_EQ(*Make("nats:facts.{kind}.{object}", Parts())->Export(all), 9);
  std::map<std::string, std::vector<int64_t>> places;
  for (const nats::StoredMessage& message : Stored()) {
    const auto fact = ParseJson(message.data);
    ASSERT_TRUE(fact.ok()) << message.data;
    const std::string object(fact->StringOr("object", ""));
    places[object].push_back(*fact->Find("seq")->AsInt());
    EXPECT_EQ(message.subject, Cat("facts.", fact->StringOr("kind", ""), ".",
                                   object.empty() ? "shard_2F0" : object));
  }
  ASSERT_THAT(places, SizeIs(3));
  for (const auto& [object, seqs] : places) {
    EXPECT_EQ(seqs.size(), object.empty() ? 1 : 4) << object;
    EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end())) << object;
  }
}

TEST_F(NatsExportTest, AFactTooLargeForAMessageGoesWithoutItsValues) {
  ASSERT_TRUE(nats::EnsureStream(*connection_, {.name = "FACTS", .subjects = "facts.>"}).ok());
  v1::Event event = Start();
  event.set_data("\"" + std::string(2 << 20, 'x') + "\"");
  Add("i", {event});
  ExportOutput output("n", Make("nats:facts.all", Parts()), database_.get());
  ASSERT_TRUE(Take(&output).ok());
  ASSERT_THAT(Stored(), SizeIs(1));
  EXPECT_THAT(Stored()[0].data, HasSubstr("\"kind\":\"InstanceStarted\",\"cut\":true}"));
}

TEST_F(NatsExportTest, ASubjectThatIsNoneIsRefused) {
  for (const char* subject : {"", "a..b", "a.*", "a.{name}", "$JS.x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(MakeExporter(Cat("nats:", subject), Parts()).status()))
        << subject;
  }
}

}  // namespace
}  // namespace jaque
