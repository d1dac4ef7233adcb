// SPDX-License-Identifier: Apache-2.0
#include "ui/dead_letters_api.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/command_sender.h"
#include "ui/history_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

constexpr char kCommand[] = "command-", kNotification[] = "notification-";

// An id, which is a cursor too: one of a command's place, or a notification's id.
struct LetterId {
  uint64_t command = 0;
  std::string notification;
};

absl::StatusOr<LetterId> ParseId(const std::string& id) {
  LetterId parsed;
  if (absl::StartsWith(id, kNotification)) {
    parsed.notification = id.substr(sizeof(kNotification) - 1);
    if (!parsed.notification.empty()) return parsed;
  }
  if (absl::StartsWith(id, kCommand)) {
    const auto sequence = ParseSeq("id", id.substr(sizeof(kCommand) - 1));
    if (sequence.ok() && *sequence > 0) {
      parsed.command = static_cast<uint64_t>(*sequence);
      return parsed;
    }
  }
  return absl::NotFoundError(fmt::format("there is no dead letter {}", id));
}

// "startInstance shop/order:1.0.0".
std::string Summary(const v1::Command& command) {
  const auto* kind = command.GetReflection()->GetOneofFieldDescriptor(
      command, command.GetDescriptor()->FindOneofByName("kind"));
  if (kind == nullptr) return "unreadable";
  std::string text = kind->json_name();
  if (command.has_start_instance()) text += " " + command.start_instance().definition();
  return text;
}

// Without the end.
JsonWriter LetterWriter(const DeadLetter& letter, const v1::Command& command) {
  JsonWriter out;
  out.Text("id", kCommand + std::to_string(letter.sequence))
      .Text("kind", "command")
      .Text("object", command.object_id())
      .Text("summary", Summary(command))
      .Member("reason", Value::String(letter.reason))
      .Time("at", letter.at_micros);
  return out;
}
JsonWriter LetterWriter(const DeadNotification& dead) {
  JsonWriter out;
  out.Text("id", kNotification + dead.id)
      .Text("kind", "notification")
      .Text("object", dead.instance)
      .Text("summary", fmt::format("{} to {}", dead.type, dead.target))
      .Member("reason", Value::String(dead.reason))
      .Time("at", dead.at_micros);
  return out;
}

v1::Command CommandOf(const DeadLetter& letter) {
  v1::Command command;
  if (!command.ParseFromString(letter.bytes)) command.Clear();
  return command;
}

// What one of them holds; headers of a target may be secret.
Value ContentOf(const DeadNotification& dead) {
  return Value::Object({{"rule", Value::String(dead.rule)},
                        {"target", Value::String(dead.target)},
                        {"type", Value::String(dead.type)},
                        {"attempts", Value::Int(dead.attempts)},
                        {"contentType", Value::String(dead.content_type)},
                        {"body", ParseJson(dead.body).value_or(Value::String(dead.body))}});
}

// Commands, the oldest first, then notifications, those of the oldest events first.
absl::StatusOr<HttpResponse> List(const ApiParts& parts, const Call& call) {
  const std::string kind = ReadText(call, "kind"), cursor = ReadText(call, "cursor");
  if (!kind.empty() && kind != "command" && kind != "notification") {
    return absl::InvalidArgumentError("kind: command or notification");
  }
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  const absl::StatusOr<LetterId> after = cursor.empty() ? LetterId() : ParseId(cursor);
  if (!after.ok()) return absl::InvalidArgumentError("cursor: it is none");
  ListWriter list;
  std::string last;
  size_t count = 0;
  if (kind != "notification" && after->notification.empty() && parts.dead_commands != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<DeadLetter> letters,
                     parts.dead_commands->ListDead(after->command, limit));
    for (const DeadLetter& letter : letters) {
      list.Add(LetterWriter(letter, CommandOf(letter)).Take());
      last = kCommand + std::to_string(letter.sequence);
    }
    count = letters.size();
  }
  if (kind != "command" && count < limit && parts.dead_notifications != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<DeadNotification> dead,
                     parts.dead_notifications->ListDead(after->notification, limit - count));
    for (const DeadNotification& one : dead) {
      list.Add(LetterWriter(one).Take());
      last = kNotification + one.id;
    }
    count += dead.size();
  }
  return JsonResponse(200, list.Take(count == limit ? last : ""));
}

// The two kinds by id; NotFound where nobody keeps that kind.
absl::StatusOr<LetterId> IdOf(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const LetterId id, ParseId(call.path[0]));
  const bool kept =
      id.command > 0 ? parts.dead_commands != nullptr : parts.dead_notifications != nullptr;
  if (kept) return id;
  return absl::NotFoundError(fmt::format("there is no dead letter {}", call.path[0]));
}

absl::StatusOr<HttpResponse> Show(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const LetterId id, IdOf(parts, call));
  if (id.command == 0) {
    ASSIGN_OR_RETURN(const DeadNotification dead,
                     parts.dead_notifications->GetDead(id.notification));
    JsonWriter out = LetterWriter(dead);
    return JsonResponse(200, out.Member("content", ContentOf(dead)).Take());
  }
  ASSIGN_OR_RETURN(const DeadLetter letter, parts.dead_commands->GetDead(id.command));
  const v1::Command command = CommandOf(letter);
  JsonWriter out = LetterWriter(letter, command);
  return JsonResponse(200, out.Raw("content", MessageJson(command)).Take());
}

HttpResponse NoContent() {
  HttpResponse response;
  response.status = 204;
  response.content_type.clear();
  return response;
}

absl::StatusOr<HttpResponse> Drop(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const LetterId id, IdOf(parts, call));
  RETURN_IF_ERROR(id.command > 0 ? parts.dead_commands->DropDead(id.command)
                                 : parts.dead_notifications->DropDead(id.notification));
  return NoContent();
}

// A command goes under a new id: the old one's may still be remembered as done.
absl::StatusOr<HttpResponse> Redrive(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const LetterId id, IdOf(parts, call));
  if (id.command == 0) {
    RETURN_IF_ERROR(parts.dead_notifications->RedriveDead(id.notification));
    return NoContent();
  }
  ASSIGN_OR_RETURN(const DeadLetter letter, parts.dead_commands->GetDead(id.command));
  v1::Command command = CommandOf(letter);
  if (command.kind_case() == v1::Command::KIND_NOT_SET) {
    return absl::FailedPreconditionError("the command cannot be read: drop it");
  }
  command.set_id(parts.ids->Ulid());
  command.set_forwarded(false);
  const CommandSender sender(parts.ids, parts.commands);
  const absl::StatusOr<v1::CommandReply> reply = sender.SubmitAndWait(std::move(command));
  // DeadlineExceeded: it is stored. What the engine says of it is an answer, whatever it is.
  if (!reply.ok() && !absl::IsDeadlineExceeded(reply.status())) return reply.status();
  RETURN_IF_ERROR(parts.dead_commands->DropDead(id.command));
  return NoContent();
}

}  // namespace

void AddDeadLetterRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  if (parts.dead_commands == nullptr && parts.dead_notifications == nullptr) return;
  const Access access = Everywhere(Role::kAdmin);
  const std::string all = "/api/v1/dead-letters", one = all + "/{id}";
  routes->Add("GET", all, access, {"kind", "cursor", "limit"}, OnPool(parts, pool, List));
  routes->Add("GET", one, access, {}, OnPool(parts, pool, Show));
  routes->Add("DELETE", one, access, {}, OnPool(parts, pool, Drop));
  routes->Add("POST", one + "/redrive", access, {}, OnPool(parts, pool, Redrive));
}

}  // namespace jaque::ui
