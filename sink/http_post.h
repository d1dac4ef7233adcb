// SPDX-License-Identifier: Apache-2.0
// Posts to one address, over a connection that is kept (libcurl). It follows no redirect and
// believes no proxy of the environment's. One thread, but for Stop.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

struct HttpPostOptions {
  std::string url;
  std::vector<std::string> headers;  // "Name: value", of every request
  std::string ca_file;               // trusted beside the authorities of the system
  std::string proxy;                 // URL; empty: none
};

// InvalidArgument unless it is a whole address of http or https, without name and password: it is
// shown in logs and metrics.
absl::Status CheckHttpAddress(const std::string& url);

class HttpPost {
 public:
  struct Answer {
    long status = 0;
    std::string body;  // its beginning
  };

  explicit HttpPost(HttpPostOptions options);
  ~HttpPost();

  // Waits for the answer, limits::kExportSeconds at most. Unavailable if there is none, Cancelled
  // if it stops.
  absl::StatusOr<Answer> Send(const std::vector<std::string>& headers, std::string_view body);
  // A Send under way ends within about a second, later ones at once.
  void Stop() { stopped_ = true; }

 private:
  struct Curl;

  const HttpPostOptions options_;
  const std::unique_ptr<Curl> curl_;
  std::atomic<bool> stopped_ = false;
};

// OK for 2xx; else Unavailable, with what was answered.
absl::Status StatusOfAnswer(const HttpPost::Answer& answer);

}  // namespace jaque
