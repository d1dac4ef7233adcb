// SPDX-License-Identifier: Apache-2.0
// Reads a stream in order: to its end once (ReadStored, waiting), or for ever (StreamReader). Each
// message once, without gaps: a lost consumer, connection or message is noticed and reading goes on
// after the last message that was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "nats/connection.h"
#include "nats/jetstream.h"

namespace jaque::nats {

struct ReadSpec {
  std::string stream, filter;    // one subject, or with wildcards
  uint64_t after = 0;            // stream sequence
  bool last_of_subject = false;  // begins with the newest message of each subject
};

// Visits at least what `stream` held for the filter when the call began. Stops with the first bad
// status of `visit`; Unavailable or DeadlineExceeded if the server does not bring it. Not on a
// callback's thread.
absl::Status ReadStored(Connection& connection, const ReadSpec& spec,
                        absl::FunctionRef<absl::Status(uint64_t, const Message&)> visit);

class StreamReader {
 public:
  using Visit = std::function<void(uint64_t sequence, const Message&)>;
  // `caught_up` is called once, in order with the visits, when the stored messages have been
  // visited. Both are called on one thread at a time, under no lock, and no more once the reader
  // has gone (it may go inside them).
  StreamReader(Connection* connection, const ReadSpec& spec, Visit visit,
               std::function<void()> caught_up = nullptr);
  ~StreamReader();

 private:
  class Core;
  const std::shared_ptr<Core> core_;
  std::unique_ptr<Connection::Listener> listener_;
};

}  // namespace jaque::nats
