// SPDX-License-Identifier: Apache-2.0
#include "nats/jetstream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "expression/json.h"

namespace jaque::nats {
namespace {

// Codes of nats-server's errors.json.
constexpr int64_t kWrongLastSequence = 10071;
constexpr int64_t kWrongLastMessageId = 10070;
constexpr int64_t kStreamNameInUse = 10058;
constexpr int64_t kMaximumMessages = 10077;

int64_t IntOr(const Value& object, std::string_view key, int64_t fallback) {
  const Value* member = object.is_object() ? object.Find(key) : nullptr;
  return member != nullptr && member->is_number() ? member->AsInt().value_or(fallback) : fallback;
}
bool BoolOr(const Value& object, std::string_view key, bool fallback) {
  const Value* member = object.is_object() ? object.Find(key) : nullptr;
  return member != nullptr && member->is_bool() ? member->truthy() : fallback;
}

absl::Status ErrorOf(const Value& error) {
  const int64_t code = IntOr(error, "code", 500), detail = IntOr(error, "err_code", 0);
  const std::string message = absl::StrCat(
      "JetStream: ", std::string(error.StringOr("description", "error")), " (", detail, ")");
  if (detail == kWrongLastSequence || detail == kWrongLastMessageId) {
    return absl::AbortedError(message);
  }
  if (detail == kStreamNameInUse) return absl::AlreadyExistsError(message);
  if (detail == kMaximumMessages) return absl::ResourceExhaustedError(message);
  if (code == 404) return absl::NotFoundError(message);
  if (code == 503) return absl::UnavailableError(message);
  return absl::FailedPreconditionError(message);
}

}  // namespace

bool MaybeDone(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

std::string JsonString(std::string_view text) { return ToJson(Value::String(text)); }

absl::StatusOr<Value> ParseApiAnswer(std::string_view json) {
  auto answer = ParseJson(json);
  if (!answer.ok() || !answer->is_object()) {
    return absl::UnavailableError("JetStream: an answer that is no JSON object");
  }
  const Value* error = answer->Find("error");
  if (error != nullptr && error->is_object()) return ErrorOf(*error);
  return *std::move(answer);
}

absl::StatusOr<Value> CallApi(Connection& connection, const std::string& subject,
                              const std::string& json, absl::Duration timeout) {
  ASSIGN_OR_RETURN(const Message answer, connection.RequestAndWait(subject, {}, json, timeout));
  return ParseApiAnswer(answer.data());
}

void CallApiAsync(Connection& connection, const std::string& subject, const std::string& json,
                  absl::AnyInvocable<void(absl::StatusOr<Value>)> done) {
  connection.Request(subject, {}, json, kApiTimeout,
                     [done = std::move(done)](absl::StatusOr<Message> answer) mutable {
                       if (!answer.ok()) return done(answer.status());
                       done(ParseApiAnswer(answer->data()));
                     });
}

absl::StatusOr<PublishAck> ParsePublishAck(std::string_view json) {
  ASSIGN_OR_RETURN(const Value answer, ParseApiAnswer(json));
  const int64_t sequence = IntOr(answer, "seq", 0);
  if (sequence <= 0)
    return absl::UnavailableError("JetStream: an acknowledgement without sequence");
  return PublishAck{static_cast<uint64_t>(sequence), BoolOr(answer, "duplicate", false)};
}

void PublishStored(Connection& connection, const std::string& subject, const Headers& headers,
                   std::string_view data, absl::Duration timeout,
                   absl::AnyInvocable<void(absl::StatusOr<PublishAck>)> done) {
  connection.Request(subject, headers, data, timeout,
                     [done = std::move(done)](absl::StatusOr<Message> answer) mutable {
                       if (!answer.ok()) return done(answer.status());
                       done(ParsePublishAck(answer->data()));
                     });
}

absl::StatusOr<PublishAck> PublishStoredAndWait(Connection& connection, const std::string& subject,
                                                const Headers& headers, std::string_view data) {
  constexpr int kAttempts = 5;
  absl::Status last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto answer = connection.RequestAndWait(subject, headers, data, absl::Seconds(2));
    auto ack = answer.ok() ? ParsePublishAck(answer->data()) : answer.status();
    if (ack.ok() || !MaybeDone(ack.status())) return ack;
    last = ack.status();
  }
  return last;
}

namespace {

std::string StreamJson(const StreamSpec& spec) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return absl::StrCat(
      "{\"name\":", JsonString(spec.name), ",\"subjects\":[", JsonString(spec.subjects),
      "],\"retention\":\"", spec.retention == Retention::kLimits ? "limits" : "workqueue",
      "\",\"storage\":\"file\",\"num_replicas\":", spec.replicas,
      ",\"max_consumers\":-1,\"max_bytes\":-1,\"max_msg_size\":-1,\"max_msgs\":", spec.max_messages,
      ",\"max_msgs_per_subject\":", spec.max_messages_per_subject,
      ",\"max_age\":", absl::ToInt64Nanoseconds(spec.max_age), ",\"discard\":\"",
      spec.discard_new ? "new" : "old",
      "\",\"duplicate_window\":", absl::ToInt64Nanoseconds(spec.dedup_window),
      ",\"allow_direct\":true,\"allow_rollup_hdrs\":", flag(spec.allow_rollup),
      ",\"deny_delete\":", flag(spec.deny_delete), "}");
}

// What of `config` would do harm, in words.
std::vector<std::string> HarmOf(const StreamSpec& spec, const Value& config) {
  std::vector<std::string> harm;
  const auto want = [&](bool good, std::string text) {
    if (!good) harm.push_back(std::move(text));
  };
  want(config.StringOr("storage", "") == "file", "its storage is not file");
  want(config.StringOr("retention", "") ==
           (spec.retention == Retention::kLimits ? "limits" : "workqueue"),
       absl::StrCat("its retention is ", std::string(config.StringOr("retention", "?"))));
  const Value* subjects = config.Find("subjects");
  want(subjects != nullptr && subjects->is_array() && subjects->size() == 1 &&
           subjects->at(0).is_string() && subjects->at(0).AsString() == spec.subjects,
       absl::StrCat("its subjects are not [", spec.subjects, "]"));
  const auto no_less = [&](const char* key, int64_t wanted, const char* text) {
    const int64_t found = IntOr(config, key, -1);
    const bool unlimited = found <= 0;
    want(unlimited || (wanted > 0 && found >= wanted),
         absl::StrCat(text, " (", key, " ", found, ")"));
  };
  no_less("max_msgs", spec.max_messages, "it keeps too few messages");
  no_less("max_msgs_per_subject", spec.max_messages_per_subject, "it keeps too few of a subject");
  no_less("max_age", absl::ToInt64Nanoseconds(spec.max_age), "it forgets too early");
  const bool full_refuses = config.StringOr("discard", "") == "new";
  want(full_refuses || IntOr(config, "max_bytes", -1) <= 0,
       "its bytes are limited and it would forget the oldest");
  want(IntOr(config, "max_msg_size", -1) <= 0, "its messages are limited in size");
  want(IntOr(config, "duplicate_window", 0) >= absl::ToInt64Nanoseconds(spec.dedup_window),
       "its duplicate window is too short");
  want(!BoolOr(config, "no_ack", false), "it does not acknowledge");
  want(!BoolOr(config, "sealed", false), "it is sealed");
  want(!BoolOr(config, "deny_purge", false), "it cannot be purged");
  want(config.Find("mirror") == nullptr, "it is a mirror");
  return harm;
}

absl::Status CheckStream(const StreamSpec& spec, const Value& info) {
  const Value* config = info.Find("config");
  if (config == nullptr || !config->is_object()) {
    return absl::UnavailableError(absl::StrCat("stream ", spec.name, ": no configuration given"));
  }
  const std::vector<std::string> harm = HarmOf(spec, *config);
  if (harm.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("stream ", spec.name, " exists and would do harm: ", absl::StrJoin(harm, "; ")));
}

}  // namespace

absl::Status EnsureStream(Connection& connection, const StreamSpec& spec) {
  const std::string info_subject = "$JS.API.STREAM.INFO." + spec.name;
  auto info = CallApi(connection, info_subject, "");
  if (absl::IsNotFound(info.status())) {
    info = CallApi(connection, "$JS.API.STREAM.CREATE." + spec.name, StreamJson(spec));
    // Somebody else was faster, or it was created though the answer was lost.
    if (!info.ok()) {
      auto found = CallApi(connection, info_subject, "");
      if (found.ok()) info = std::move(found);
    }
  }
  RETURN_IF_ERROR(info.status());
  return CheckStream(spec, *info);
}

std::string ConsumerCreateSubject(const ConsumerSpec& spec) {
  return absl::StrCat("$JS.API.CONSUMER.DURABLE.CREATE.", spec.stream, ".", spec.name);
}

std::string ConsumerCreateJson(const ConsumerSpec& spec) {
  return absl::StrCat("{\"stream_name\":", JsonString(spec.stream),
                      ",\"config\":{\"durable_name\":", JsonString(spec.name),
                      ",\"ack_policy\":\"explicit\",\"deliver_policy\":\"all\",\"replay_policy\":"
                      "\"instant\",\"max_deliver\":-1,\"max_ack_pending\":-1,\"max_waiting\":8192,"
                      "\"filter_subject\":",
                      JsonString(spec.filter),
                      ",\"ack_wait\":", absl::ToInt64Nanoseconds(spec.ack_wait), "}}");
}

absl::Status EnsureConsumer(Connection& connection, const ConsumerSpec& spec) {
  auto info =
      CallApi(connection, absl::StrCat("$JS.API.CONSUMER.INFO.", spec.stream, ".", spec.name), "");
  if (absl::IsNotFound(info.status())) {
    info = CallApi(connection, ConsumerCreateSubject(spec), ConsumerCreateJson(spec));
  }
  RETURN_IF_ERROR(info.status());
  const Value* config = info->Find("config");
  if (config == nullptr || !config->is_object()) {
    return absl::UnavailableError(absl::StrCat("consumer ", spec.name, ": no configuration given"));
  }
  std::vector<std::string> harm;
  if (config->StringOr("ack_policy", "") != "explicit")
    harm.push_back("it needs no acknowledgement");
  if (config->StringOr("filter_subject", "") != spec.filter) harm.push_back("it filters otherwise");
  if (config->Find("deliver_subject") != nullptr) harm.push_back("it pushes");
  if (IntOr(*config, "max_deliver", -1) > 0) harm.push_back("it gives up after some deliveries");
  if (IntOr(*config, "ack_wait", 0) != absl::ToInt64Nanoseconds(spec.ack_wait)) {
    harm.push_back("it waits for acknowledgements another time");
  }
  if (harm.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("consumer ", spec.name, " of stream ", spec.stream,
                   " exists and would do harm: ", absl::StrJoin(harm, "; ")));
}

namespace {

absl::StatusOr<StoredMessage> ParseStored(const Value& answer) {
  const Value* message = answer.Find("message");
  if (message == nullptr || !message->is_object()) {
    return absl::UnavailableError("JetStream: an answer without message");
  }
  StoredMessage stored;
  stored.sequence = static_cast<uint64_t>(IntOr(*message, "seq", 0));
  stored.subject = message->StringOr("subject", "");
  const std::string headers(message->StringOr("hdrs", "")), data(message->StringOr("data", ""));
  if (!absl::Base64Unescape(headers, &stored.headers) ||
      !absl::Base64Unescape(data, &stored.data)) {
    return absl::UnavailableError("JetStream: a message that is not base64");
  }
  return stored;
}

}  // namespace

absl::StatusOr<StoredMessage> LastMessage(Connection& connection, const std::string& stream,
                                          const std::string& subject) {
  ASSIGN_OR_RETURN(const Value answer,
                   CallApi(connection, "$JS.API.STREAM.MSG.GET." + stream,
                           absl::StrCat("{\"last_by_subj\":", JsonString(subject), "}")));
  return ParseStored(answer);
}

void NextMessage(Connection& connection, const std::string& stream, const std::string& subject,
                 uint64_t from, absl::AnyInvocable<void(absl::StatusOr<StoredMessage>)> done) {
  CallApiAsync(connection, "$JS.API.STREAM.MSG.GET." + stream,
               absl::StrCat("{\"seq\":", from, ",\"next_by_subj\":", JsonString(subject), "}"),
               [done = std::move(done)](absl::StatusOr<Value> answer) mutable {
                 if (!answer.ok()) return done(answer.status());
                 done(ParseStored(*answer));
               });
}

absl::StatusOr<std::vector<ConsumerState>> ConsumersOf(Connection& connection,
                                                       const std::string& stream) {
  std::vector<ConsumerState> states;
  for (size_t total = 1; states.size() < total;) {
    ASSIGN_OR_RETURN(const Value answer, CallApi(connection, "$JS.API.CONSUMER.LIST." + stream,
                                                 absl::StrCat("{\"offset\":", states.size(), "}")));
    total = static_cast<size_t>(IntOr(answer, "total", 0));
    const Value* const consumers = answer.Find("consumers");
    if (consumers == nullptr || !consumers->is_array() || consumers->size() == 0) break;
    for (size_t i = 0; i < consumers->size(); ++i) {
      const Value& consumer = consumers->at(i);
      const Value* const config = consumer.Find("config");
      states.push_back(
          {config == nullptr ? "" : std::string(config->StringOr("filter_subject", "")),
           static_cast<uint64_t>(IntOr(consumer, "num_ack_pending", 0))});
    }
  }
  return states;
}

absl::StatusOr<std::map<std::string, uint64_t>> CountsOf(Connection& connection,
                                                         const std::string& stream,
                                                         const std::string& filter) {
  // The server gives 100,000 at a time; more keys than that are in no bucket of ours.
  ASSIGN_OR_RETURN(const Value info,
                   CallApi(connection, "$JS.API.STREAM.INFO." + stream,
                           absl::StrCat("{\"subjects_filter\":", JsonString(filter), "}")));
  std::map<std::string, uint64_t> counts;
  const Value* state = info.Find("state");
  const Value* found = state != nullptr && state->is_object() ? state->Find("subjects") : nullptr;
  if (found == nullptr || !found->is_object()) return counts;
  for (const std::string_view subject : found->Keys()) {
    counts[std::string(subject)] = static_cast<uint64_t>(IntOr(*found, subject, 0));
  }
  return counts;
}

absl::StatusOr<std::vector<std::string>> SubjectsOf(Connection& connection,
                                                    const std::string& stream,
                                                    const std::string& filter) {
  ASSIGN_OR_RETURN(const auto counts, CountsOf(connection, stream, filter));
  std::vector<std::string> subjects;
  for (const auto& [subject, count] : counts) subjects.push_back(subject);
  return subjects;
}

absl::Status Purge(Connection& connection, const std::string& stream, const std::string& subject,
                   uint64_t below) {
  return CallApi(connection, "$JS.API.STREAM.PURGE." + stream,
                 absl::StrCat("{\"filter\":", JsonString(subject), ",\"seq\":", below, "}"),
                 absl::Seconds(30))
      .status();
}

}  // namespace jaque::nats
