// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_namespaces.h"

#include <utility>

#include "base/limits.h"
#include "boost/asio/post.hpp"
#include "jaque/v1/command.pb.h"

namespace jaque::ui {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);

absl::StatusOr<std::string> ReadNamespace(const absl::StatusOr<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  v1::CommandReply reply;
  if (!reply.ParseFromString(*bytes)) return absl::InternalError("the reply cannot be read");
  if (reply.code() == v1::CommandReply::CODE_NOT_FOUND) {
    return absl::NotFoundError(reply.message());
  }
  if (reply.code() != v1::CommandReply::CODE_OK) return absl::UnavailableError(reply.message());
  const std::string& definition = reply.instance().definition();
  return definition.substr(0, definition.find('/'));
}

}  // namespace

InstanceNamespaces::InstanceNamespaces(const Clock* clock, IdGenerator* ids, CommandBus* commands,
                                       store::Store* store)
    : clock_(clock), ids_(ids), commands_(commands), store_(store) {}

void InstanceNamespaces::Find(const std::string& id, Answer answer) {
  std::string found;
  {
    absl::MutexLock lock(&mutex_);
    const auto known = known_.find(id);
    if (known != known_.end() && known->second.until > clock_->Monotonic()) {
      found = known->second.namespace_;
    }
  }
  if (!found.empty()) return answer(std::move(found));
  if (store_ == nullptr) return AskEngine(id, std::move(answer));
  boost::asio::post(asking_, [this, id, answer = std::move(answer)]() mutable {
    AskStore(id, std::move(answer));
  });
}

void InstanceNamespaces::AskStore(const std::string& id, Answer answer) {
  absl::StatusOr<store::InstanceRecord> record = store_->GetInstance(id);
  // The store is behind the log: what it does not know may have begun just now.
  if (!record.ok()) return AskEngine(id, std::move(answer));
  Remember(id, record->row.namespace_);
  answer(std::move(record->row.namespace_));
}

void InstanceNamespaces::AskEngine(const std::string& id, Answer answer) {
  v1::Command command;
  command.set_id(ids_->Ulid());
  command.set_object_id(id);
  command.mutable_describe_instance()->set_wait(false);
  commands_->Submit(
      command.SerializeAsString(), command.id(), kPatience,
      [this, id, answer = std::move(answer)](const absl::StatusOr<std::string>& bytes) mutable {
        absl::StatusOr<std::string> found = ReadNamespace(bytes);
        if (found.ok()) Remember(id, *found);
        answer(std::move(found));
      });
}

void InstanceNamespaces::Remember(const std::string& id, const std::string& namespace_) {
  const Known known{namespace_, clock_->Monotonic() + absl::Seconds(limits::kNamespaceSeconds)};
  absl::MutexLock lock(&mutex_);
  if (known_.insert_or_assign(id, known).second) order_.push_back(id);
  if (order_.size() <= limits::kNamespacesRemembered) return;
  known_.erase(order_.front());
  order_.pop_front();
}

}  // namespace jaque::ui
