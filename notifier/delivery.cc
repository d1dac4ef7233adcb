// SPDX-License-Identifier: Apache-2.0
#include "notifier/delivery.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::notifier {
namespace {

std::string Typed(std::string_view type) { return Cat(kTypePrefix, type, kTypeSuffix); }

absl::StatusOr<Value> Evaluate(const dsl::Template& text, const Value& input,
                               const Rendering& rendering) {
  expression::Evaluation evaluation;
  evaluation.now = rendering.now;
  evaluation.monotonic = rendering.monotonic;
  return text.Evaluate(input, evaluation);
}

// One line for people: "workflow.faulted: shop/order 1.0.0, instance 01H…: the cause".
std::string Sentence(const LifecycleEvent& event) {
  std::string text = Cat(event.type, ": ", event.namespace_, "/", event.name, " ", event.version,
                         ", instance ", event.instance);
  const std::string_view task = event.data.StringOr("task", "");
  if (!task.empty()) text += Cat(", task ", task);
  if (const Value* title = event.data.FindPath({"error", "title"});
      title != nullptr && title->is_string()) {
    text += Cat(": ", title->AsString());
  }
  return text;
}

std::string PlainText(const Value& value) {
  return value.is_string() ? std::string(value.AsString()) : ToJson(value, JsonFormat());
}

// A header's value on one line, encoded where it is not ASCII (RFC 2047).
std::string MailHeader(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  const bool ascii = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 127; });
  return ascii ? text : Cat("=?UTF-8?B?", absl::Base64Escape(text), "?=");
}

std::string Wrapped(const std::string& base64) {
  std::string lines;
  for (size_t at = 0; at < base64.size(); at += 76) lines += base64.substr(at, 76) + "\r\n";
  return lines;
}

// A whole message of mail. Its date is the event's: the same at every attempt.
std::string MailOf(const EmailTarget& email, const std::string& id, const LifecycleEvent& event,
                   const std::string& subject, const std::string& text) {
  std::string to;
  for (const std::string& address : email.to) to += Cat(to.empty() ? "" : ", ", "<", address, ">");
  return Cat("Date: ",
             absl::FormatTime("%a, %d %b %Y %H:%M:%S +0000", absl::FromUnixMicros(event.at_micros),
                              absl::UTCTimeZone()),
             "\r\nFrom: <", email.from, ">\r\nTo: ", to, "\r\nSubject: ", MailHeader(subject),
             "\r\nMessage-ID: <", id, "@jaque>\r\nMIME-Version: 1.0\r\n",
             "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
             "Auto-Submitted: auto-generated\r\n\r\n", Wrapped(absl::Base64Escape(text)));
}

// Fills in what is sent to a target of each kind. `body` null: the rule has no template.
class Writer {
 public:
  Writer(const LifecycleEvent& event, const Value& cloud_event, const Value* body,
         std::string subject, Delivery* delivery)
      : event_(event),
        cloud_event_(cloud_event),
        body_(body),
        subject_(std::move(subject)),
        delivery_(delivery) {}

  void operator()(const WebhookTarget& webhook) {
    delivery_->headers = webhook.headers;
    if (webhook.binary) {
      for (const char* name : {"specversion", "id", "source", "type", "subject", "time"}) {
        delivery_->headers.emplace_back(Cat("ce-", name), cloud_event_.StringOr(name, ""));
      }
    }
    if (body_ != nullptr) return WriteTemplate();
    delivery_->body = ToJson(webhook.binary ? event_.data : cloud_event_);
    delivery_->content_type =
        webhook.binary ? "application/json" : "application/cloudevents+json; charset=utf-8";
  }
  void operator()(const SlackTarget&) {
    delivery_->content_type = "application/json";
    const bool whole = body_ != nullptr && body_->is_object();
    delivery_->body = ToJson(
        whole ? *body_
              : Value::Object({{"text", Value::String(body_ != nullptr ? PlainText(*body_)
                                                                       : Sentence(event_))}}));
  }
  void operator()(const EmailTarget& email) {
    const std::string text =
        body_ != nullptr ? PlainText(*body_)
                         : Cat(Sentence(event_), "\n\n", ToJson(event_.data, JsonFormat()), "\n");
    delivery_->body =
        MailOf(email, delivery_->id, event_, subject_.empty() ? Sentence(event_) : subject_, text);
    delivery_->content_type = "message/rfc822";
  }
  void operator()(const NatsTarget&) {
    if (body_ != nullptr) return WriteTemplate();
    delivery_->body = ToJson(cloud_event_);
    delivery_->content_type = "application/cloudevents+json; charset=utf-8";
  }

 private:
  void WriteTemplate() {
    delivery_->body = body_->is_string() ? std::string(body_->AsString()) : ToJson(*body_);
    delivery_->content_type = body_->is_string() ? "text/plain; charset=utf-8" : "application/json";
  }

  const LifecycleEvent& event_;
  const Value& cloud_event_;
  const Value* const body_;
  const std::string subject_;
  Delivery* const delivery_;
};

}  // namespace

std::string Delivery::Key() const {
  return fmt::format("parked/{:05}/{:020}/{:06}/{}/{}", shard, sequence, order, id, target);
}

Value CloudEventOf(const LifecycleEvent& event, ShardId shard, Sequence sequence) {
  // No point in it: signatures are over id.timestamp.body.
  const std::string id =
      absl::StrReplaceAll(Cat(shard, "-", sequence, "-", event.key), {{".", "-"}});
  return Value::Object(
      {{"specversion", Value::String("1.0")},
       {"id", Value::String(id)},
       {"source", Value::String(Cat("/jaque/", event.namespace_, "/", event.name))},
       {"type", Value::String(Typed(event.type))},
       {"subject", Value::String(event.instance)},
       {"time",
        Value::String(absl::FormatTime(absl::RFC3339_full, absl::FromUnixMicros(event.at_micros),
                                       absl::UTCTimeZone()))},
       {"datacontenttype", Value::String("application/json")},
       {"data", event.data}});
}

absl::StatusOr<bool> Holds(const Rule& rule, const Value& cloud_event, const Rendering& rendering) {
  if (!rule.when.has_value()) return true;
  ASSIGN_OR_RETURN(const Value result, Evaluate(*rule.when, cloud_event, rendering));
  return result.truthy();
}

absl::StatusOr<Delivery> Render(const Rule& rule, const Target& target, const LifecycleEvent& event,
                                const Value& cloud_event, ShardId shard, Sequence sequence,
                                const Rendering& rendering) {
  Delivery delivery;
  delivery.shard = shard;
  delivery.sequence = sequence;
  delivery.order = event.order;
  delivery.event_id = std::string(cloud_event.StringOr("id", ""));
  delivery.id = Cat(delivery.event_id, "-", rule.name);
  delivery.rule = rule.name;
  delivery.target = target.name;
  delivery.instance = event.instance;
  delivery.type = std::string(event.type);
  delivery.event_micros = event.at_micros;
  delivery.made_micros = absl::ToUnixMicros(rendering.now);
  std::optional<Value> body;
  std::string subject;
  if (rule.body.has_value()) {
    ASSIGN_OR_RETURN(body, Evaluate(*rule.body, cloud_event, rendering));
  }
  if (rule.subject.has_value()) {
    ASSIGN_OR_RETURN(const Value text, Evaluate(*rule.subject, cloud_event, rendering));
    subject = PlainText(text);
  }
  std::visit(Writer(event, cloud_event, body.has_value() ? &*body : nullptr, subject, &delivery),
             target.kind);
  if (delivery.body.size() > limits::kNotificationBytes) {
    return absl::ResourceExhaustedError(Cat("the body has ", delivery.body.size(), " bytes; ",
                                            limits::kNotificationBytes, " are possible"));
  }
  return delivery;
}

std::string ToText(const Delivery& delivery) {
  std::vector<Value> headers;
  for (const auto& [name, value] : delivery.headers) {
    headers.push_back(Value::Array({Value::String(name), Value::String(value)}));
  }
  const auto text = [](const std::string& one) { return Value::String(one); };
  return ToJson(Value::Object({{"shard", Value::Int(delivery.shard)},
                               {"sequence", Value::Int(static_cast<int64_t>(delivery.sequence))},
                               {"order", Value::Int(delivery.order)},
                               {"eventId", text(delivery.event_id)},
                               {"id", text(delivery.id)},
                               {"rule", text(delivery.rule)},
                               {"target", text(delivery.target)},
                               {"instance", text(delivery.instance)},
                               {"type", text(delivery.type)},
                               {"body", text(delivery.body)},
                               {"contentType", text(delivery.content_type)},
                               {"headers", Value::Array(std::move(headers))},
                               {"attempts", Value::Int(delivery.attempts)},
                               {"event", Value::Int(delivery.event_micros)},
                               {"made", Value::Int(delivery.made_micros)},
                               {"first", Value::Int(delivery.first_micros)},
                               {"next", Value::Int(delivery.next_micros)},
                               {"givenUp", Value::Int(delivery.given_up_micros)},
                               {"error", text(delivery.error)}}));
}

absl::StatusOr<Delivery> DeliveryOf(std::string_view text) {
  ASSIGN_OR_RETURN(const Value value, ParseJson(text));
  if (!value.is_object()) return absl::DataLossError("a notification is an object");
  const auto number = [&](std::string_view key) {
    const Value* const found = value.Find(key);
    return found != nullptr && found->is_number() ? found->AsInt().value_or(0) : 0;
  };
  const auto string = [&](std::string_view key) { return std::string(value.StringOr(key, "")); };
  Delivery delivery;
  delivery.shard = static_cast<ShardId>(number("shard"));
  delivery.sequence = static_cast<Sequence>(number("sequence"));
  delivery.order = static_cast<uint32_t>(number("order"));
  delivery.event_id = string("eventId");
  delivery.id = string("id");
  delivery.rule = string("rule");
  delivery.target = string("target");
  delivery.instance = string("instance");
  delivery.type = string("type");
  delivery.body = string("body");
  delivery.content_type = string("contentType");
  if (const Value* headers = value.Find("headers"); headers != nullptr && headers->is_array()) {
    for (const Value& header : headers->items()) {
      delivery.headers.emplace_back(header.at(0).AsString(), header.at(1).AsString());
    }
  }
  delivery.attempts = static_cast<int>(number("attempts"));
  delivery.event_micros = number("event");
  delivery.made_micros = number("made");
  delivery.first_micros = number("first");
  delivery.next_micros = number("next");
  delivery.given_up_micros = number("givenUp");
  delivery.error = string("error");
  return delivery;
}

}  // namespace jaque::notifier
