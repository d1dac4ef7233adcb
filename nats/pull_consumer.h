// SPDX-License-Identifier: Apache-2.0
// Pulls messages from a consumer that several processes share, with pull requests of its own (the
// library's Fetch answers late and allows one at a time). Any thread; answers come on the library's
// threads or from Pull itself, under no lock.
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "nats/connection.h"
#include "nats/jetstream.h"

namespace jaque::nats {

class PullConsumer {
 public:
  // The consumer exists (EnsureConsumer). Should it vanish, it is made anew.
  PullConsumer(Connection* connection, const ConsumerSpec& spec);
  // Drops waiting pulls uncalled. What the server has sent for them is handed back, so that another
  // process has it at once. Not on a callback's thread.
  ~PullConsumer();

  // What is there, up to `max`, or as soon as one message comes; none after `wait`, or earlier if
  // the connection breaks. Called once.
  using Deliver = absl::AnyInvocable<void(std::vector<Message>)>;
  void Pull(int max, absl::Duration wait, Deliver deliver);

 private:
  class Core;
  const std::shared_ptr<Core> core_;
  std::unique_ptr<Connection::Listener> listener_;
};

// Answers for a message of a consumer, sent to its reply subject; none of them waits.
void Acknowledge(Connection& connection, std::string_view reply);
void AcknowledgeProgress(Connection& connection, std::string_view reply);
void HandBack(Connection& connection, std::string_view reply, absl::Duration delay);
// Never again, without having been done.
void GiveUp(Connection& connection, std::string_view reply);

}  // namespace jaque::nats
