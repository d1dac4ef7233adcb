// SPDX-License-Identifier: Apache-2.0
#include "ui/dead_letters_api.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/command_sender.h"
#include "ui/history_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

constexpr char kPrefix[] = "command-";

// The place that an id names.
absl::StatusOr<uint64_t> ParseId(const std::string& id) {
  if (absl::StartsWith(id, kPrefix)) {
    const auto sequence = ParseSeq("id", id.substr(sizeof(kPrefix) - 1));
    if (sequence.ok() && *sequence > 0) return static_cast<uint64_t>(*sequence);
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
  out.Text("id", kPrefix + std::to_string(letter.sequence))
      .Text("kind", "command")
      .Text("object", command.object_id())
      .Text("summary", Summary(command))
      .Member("reason", Value::String(letter.reason))
      .Time("at", letter.at_micros);
  return out;
}

v1::Command CommandOf(const DeadLetter& letter) {
  v1::Command command;
  if (!command.ParseFromString(letter.bytes)) command.Clear();
  return command;
}

absl::StatusOr<HttpResponse> List(const ApiParts& parts, const Call& call) {
  const std::string kind = ReadText(call, "kind");
  if (!kind.empty() && kind != "command" && kind != "notification") {
    return absl::InvalidArgumentError("kind: command or notification");
  }
  ASSIGN_OR_RETURN(const size_t limit, ReadLimit(call));
  ASSIGN_OR_RETURN(const int64_t after, ParseSeq("cursor", ReadText(call, "cursor")));
  ListWriter list;
  if (kind == "notification") return JsonResponse(200, list.Take(""));
  ASSIGN_OR_RETURN(const std::vector<DeadLetter> letters,
                   parts.dead_commands->ListDead(static_cast<uint64_t>(after), limit));
  for (const DeadLetter& letter : letters) list.Add(LetterWriter(letter, CommandOf(letter)).Take());
  const bool more = letters.size() == limit;
  return JsonResponse(200, list.Take(more ? std::to_string(letters.back().sequence) : ""));
}

absl::StatusOr<HttpResponse> Show(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const uint64_t sequence, ParseId(call.path[0]));
  ASSIGN_OR_RETURN(const DeadLetter letter, parts.dead_commands->GetDead(sequence));
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
  ASSIGN_OR_RETURN(const uint64_t sequence, ParseId(call.path[0]));
  RETURN_IF_ERROR(parts.dead_commands->DropDead(sequence));
  return NoContent();
}

// Under a new id: the old one's may still be remembered as done.
absl::StatusOr<HttpResponse> Redrive(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const uint64_t sequence, ParseId(call.path[0]));
  ASSIGN_OR_RETURN(const DeadLetter letter, parts.dead_commands->GetDead(sequence));
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
  RETURN_IF_ERROR(parts.dead_commands->DropDead(sequence));
  return NoContent();
}

}  // namespace

void AddDeadLetterRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  if (parts.dead_commands == nullptr) return;
  const Access access = Everywhere(Role::kAdmin);
  const std::string all = "/api/v1/dead-letters", one = all + "/{id}";
  routes->Add("GET", all, access, {"kind", "cursor", "limit"}, OnPool(parts, pool, List));
  routes->Add("GET", one, access, {}, OnPool(parts, pool, Show));
  routes->Add("DELETE", one, access, {}, OnPool(parts, pool, Drop));
  routes->Add("POST", one + "/redrive", access, {}, OnPool(parts, pool, Redrive));
}

}  // namespace jaque::ui
