// SPDX-License-Identifier: Apache-2.0
#include "engine/performer.h"

#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "engine/dispatch.h"
#include "engine/problems.h"
#include "engine/shard.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

constexpr absl::Duration kSubmitTimeout = absl::Seconds(30);

v1::Command CommandFor(const std::string& object_id, std::string id) {
  v1::Command command;
  command.set_id(std::move(id));
  command.set_object_id(object_id);
  return command;
}

}  // namespace

v1::Command CommandOf(const SendOutbox& outbox) {
  const OutboxEntry& entry = outbox.entry;
  v1::Command command = CommandFor(entry.target, Cat(outbox.instance, "/o", outbox.id));
  switch (entry.kind) {
    case OutboxEntry::Kind::kStartChild: {
      v1::StartInstance* start = command.mutable_start_instance();
      start->set_definition(entry.definition);
      start->set_input(entry.json);
      start->mutable_parent()->set_instance_id(outbox.instance);
      start->mutable_parent()->set_frame(entry.frame);
      start->mutable_parent()->set_depth(entry.depth);
      start->mutable_parent()->set_await(entry.await);
      break;
    }
    case OutboxEntry::Kind::kStartScheduled: {
      v1::StartInstance* start = command.mutable_start_instance();
      start->set_definition(entry.definition);
      start->set_input(entry.json);
      start->set_schedule(outbox.instance);
      start->set_due_micros(entry.due);
      // The schedule waits for the end as a parent does.
      if (entry.await) start->mutable_parent()->set_instance_id(outbox.instance);
      if (entry.await) start->mutable_parent()->set_await(true);
      break;
    }
    case OutboxEntry::Kind::kCancelChild:
      command.mutable_cancel_instance()->set_reason("the workflow that ran it gave it up");
      break;
    case OutboxEntry::Kind::kNotifyParent: {
      v1::ChildEnded* ended = command.mutable_child_ended();
      ended->set_frame(entry.frame);
      ended->set_child_id(outbox.instance);
      if (entry.error.has_value()) {
        *ended->mutable_error() = *entry.error;
      } else {
        ended->set_output(entry.json);
      }
      break;
    }
    case OutboxEntry::Kind::kEmit:
      break;
  }
  return command;
}

void Performer::Perform(Shard* shard, Effect effect) {
  std::visit([&](auto&& one) { Do(shard, std::move(one)); }, std::move(effect));
}

void Performer::Do(Shard* shard, DispatchTask dispatch) {
  // Copies: the callback takes `dispatch` with it.
  const std::string id = TaskId(dispatch.request);
  const std::string pool = dispatch.pool;
  v1::TaskMessage message;
  *message.add_tasks() = dispatch.request;
  parts_.tasks->Publish(pool, id, message.SerializeAsString(),
                        [this, shard, inbox = parts_.executor->inbox(),
                         dispatch = std::move(dispatch)](absl::Status status) mutable {
                          if (status.ok()) return;
                          inbox->Post([this, shard, dispatch = std::move(dispatch)]() mutable {
                            // Again a little later, if the attempt is still open then.
                            parts_.executor->At(
                                parts_.executor->Now() + limits::kOutboxRetryMicros,
                                [this, shard, dispatch = std::move(dispatch)]() mutable {
                                  const Instance* instance =
                                      shard->state().Find(dispatch.request.instance_id());
                                  if (instance == nullptr) return;
                                  if (instance->Find(dispatch.request.frame()) == nullptr) return;
                                  Do(shard, std::move(dispatch));
                                });
                          });
                        });
}

void Performer::Do(Shard*, CancelTask cancel) {
  parts_.cancels->Publish({cancel.instance, cancel.frame, cancel.attempt});
}

void Performer::Do(Shard* shard, ArmTimer timer) {
  const int64_t due = timer.due;
  parts_.executor->At(due, [this, shard, timer = std::move(timer)] {
    v1::Command command = CommandFor(timer.instance, "");
    v1::FireTimer* fire = command.mutable_fire_timer();
    fire->set_frame(timer.frame);
    fire->set_kind(timer.kind);
    fire->set_due_micros(timer.due);
    shard->Handle(std::move(command), parts_.listener->position(), nullptr);
  });
}

void Performer::Do(Shard* shard, StartListening listening) {
  parts_.listener->Start(shard, listening.instance, listening.frame, listening.after);
}

void Performer::Do(Shard* shard, ContinueLater later) {
  parts_.executor->Post([this, shard, later = std::move(later)] {
    v1::Command command = CommandFor(later.instance, "");
    command.mutable_continue_instance();
    shard->Handle(std::move(command), parts_.listener->position(), nullptr);
  });
}

void Performer::Do(Shard* shard, SendOutbox outbox) {
  if (outbox.entry.kind == OutboxEntry::Kind::kEmit) return Publish(shard, std::move(outbox));
  v1::Command command = CommandOf(outbox);
  Submit(shard, std::move(outbox), std::move(command));
}

void Performer::Publish(Shard* shard, SendOutbox outbox) {
  const Value event = ParseJson(outbox.entry.json).value_or(Value::Object());
  const std::string dedup = Cat(event.StringOr("source", ""), "\n", event.StringOr("id", ""));
  std::string json = outbox.entry.json;
  parts_.events->Publish(
      dedup, std::move(json),
      [this, shard, inbox = parts_.executor->inbox(),
       outbox = std::move(outbox)](absl::StatusOr<uint64_t> stored) mutable {
        inbox->Post([this, shard, stored = stored.ok(), outbox = std::move(outbox)]() mutable {
          if (!stored) return TryLater(shard, std::move(outbox));
          Confirm(shard, outbox, std::nullopt);
        });
      });
}

void Performer::Submit(Shard* shard, SendOutbox outbox, v1::Command command) {
  const std::string id = command.id();
  parts_.commands->Submit(
      command.SerializeAsString(), id, kSubmitTimeout,
      [this, shard, inbox = parts_.executor->inbox(),
       outbox = std::move(outbox)](absl::StatusOr<std::string> bytes) mutable {
        v1::CommandReply reply;
        if (!bytes.ok() || !reply.ParseFromString(*bytes)) {
          reply.set_code(v1::CommandReply::CODE_UNAVAILABLE);
        }
        inbox->Post([this, shard, reply = std::move(reply), outbox = std::move(outbox)]() mutable {
          switch (reply.code()) {
            case v1::CommandReply::CODE_OK:
              return Confirm(shard, outbox, std::nullopt);
            case v1::CommandReply::CODE_NOT_FOUND:
            case v1::CommandReply::CODE_CONFLICT:
            case v1::CommandReply::CODE_INVALID:
              return Confirm(shard, outbox, ConfigurationProblem(reply.message()));
            default:
              return TryLater(shard, std::move(outbox));
          }
        });
      });
}

void Performer::TryLater(Shard* shard, SendOutbox outbox) {
  parts_.executor->At(parts_.executor->Now() + limits::kOutboxRetryMicros,
                      [this, shard, outbox = std::move(outbox)]() mutable {
                        const auto* owed = shard->state().FindOutbox(outbox.instance);
                        if (owed == nullptr || !owed->contains(outbox.id)) return;
                        Do(shard, std::move(outbox));
                      });
}

void Performer::Confirm(Shard* shard, const SendOutbox& outbox,
                        std::optional<v1::Problem> failure) {
  v1::Command command = CommandFor(outbox.instance, "");
  v1::ConfirmOutbox* confirm = command.mutable_confirm_outbox();
  confirm->add_entries(outbox.id);
  if (failure.has_value()) {
    v1::OutboxFailure* failed = confirm->add_failures();
    failed->set_entry(outbox.id);
    *failed->mutable_error() = *std::move(failure);
  }
  shard->Handle(std::move(command), parts_.listener->position(), nullptr);
}

}  // namespace jaque::engine
