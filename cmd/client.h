// SPDX-License-Identifier: Apache-2.0
// The HTTP API of a server, as the commands that talk to one use it. Blocking; main thread.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "expression/value.h"

namespace jaque::cmd {

struct ClientSettings {
  std::string server = "http://127.0.0.1:8080";
  std::string token;    // empty: none
  std::string ca_file;  // PEM, to trust instead of the system's authorities
};

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // "/api/v1/…", escaped
  std::vector<std::pair<std::string, std::string>> query;
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::string> headers;  // "Name: value"
};

// A live event of a stream.
struct ServerEvent {
  std::string id, event, data;
};

class Client {
 public:
  explicit Client(ClientSettings settings);

  const std::string& server() const { return settings_.server; }

  // The answer's JSON (null for none), or what the server said against it: NotFound,
  // Unauthenticated, PermissionDenied, FailedPrecondition (conflicts), InvalidArgument, Unavailable
  // (nobody answers, or not now), Internal. The message says what to do.
  absl::StatusOr<Value> Send(const ApiRequest& request);
  // The answer's text, where it is no JSON.
  absl::StatusOr<std::string> SendText(const ApiRequest& request);

  // Reads a stream of server-sent events until `on_event` says false (OK), the server ends it
  // (Unavailable) or refuses it (as Send). `on_tick` is called every 100 ms.
  absl::Status Stream(const ApiRequest& request, const std::string& last_id,
                      const std::function<bool(const ServerEvent&)>& on_event,
                      const std::function<void()>& on_tick);

 private:
  struct Exchange;
  void Prepare(const ApiRequest& request, Exchange* exchange);
  absl::Status Judge(CURLcode code, const Exchange& exchange) const;

  const ClientSettings settings_;
  const std::unique_ptr<CURL, void (*)(CURL*)> easy_;
};

// Lets time pass before another attempt; calls `on_tick` every 100 ms.
void Pause(absl::Duration duration, const std::function<void()>& on_tick);

// As one segment of a path.
std::string EscapeSegment(std::string_view text);

// What the shell is told of an error of Send.
int ExitCodeOf(const absl::Status& status);

// Cuts a stream of bytes into events (the format of text/event-stream).
class EventSplitter {
 public:
  // The events that are complete with `bytes`.
  std::vector<ServerEvent> Add(std::string_view bytes);

 private:
  void AddLine(std::string_view line, std::vector<ServerEvent>* events);

  std::string rest_;
  ServerEvent event_;
  bool has_data_ = false;
};

}  // namespace jaque::cmd
