// SPDX-License-Identifier: Apache-2.0
// One easy handle of libcurl and what belongs to the request that it carries. Handles are kept and
// used again: what all requests share is set once, what differs is set by each Prepare. Client's
// thread only.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "worker/http_client.h"

namespace jaque {

struct CurlFree {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

class CurlTransfer {
 public:
  // `connect_to` and `options` outlive the transfer.
  CurlTransfer(const HttpClientOptions& options, curl_slist* connect_to);

  CURL* easy() const { return easy_.get(); }

  void Prepare(uint64_t id, HttpRequest request, HttpClient::Callback done);
  // Calls the callback with what came of it. The transfer is ready for the next Prepare before the
  // call.
  void Finish(CURLcode code);
  void Cancel();

  uint64_t id() const { return id_; }
  // One that answered a challenge is not used again: what it knows is for that server alone.
  bool reusable() const { return !request_.digest.has_value(); }

 private:
  void SetShared();
  void SetMethod();
  void SetHeaders();
  absl::Status ToStatus(CURLcode code) const;
  void Release(absl::StatusOr<HttpResponse> result);

  static size_t OnBody(char* data, size_t size, size_t count, void* self);
  static size_t OnHeader(char* data, size_t size, size_t count, void* self);
  size_t AddHeaderLine(std::string_view line);

  const HttpClientOptions& options_;
  curl_slist* const connect_to_;
  const std::unique_ptr<CURL, CurlFree> easy_;
  std::unique_ptr<curl_slist, CurlFree> headers_;
  uint64_t id_ = 0;
  HttpRequest request_;
  HttpResponse response_;
  HttpClient::Callback done_;
  size_t header_bytes_ = 0;
  bool in_headers_ = false;
  bool too_large_ = false;
  char error_[CURL_ERROR_SIZE] = {};
};

}  // namespace jaque
