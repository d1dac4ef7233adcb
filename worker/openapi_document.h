// SPDX-License-Identifier: Apache-2.0
// An API described by Swagger 2.0 or OpenAPI 3.x, as far as calling one of its operations needs:
// where it is served, its parameters, its body. Immutable, any thread. Documents come from
// strangers: nothing here recurses, references within the document are followed to a bound, others
// are refused.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "expression/value.h"

namespace jaque {

struct OpenApiParameter {
  enum class In { kPath, kQuery, kHeader, kCookie, kForm, kBody };
  std::string name;
  In in = In::kQuery;
  bool required = false;
  // simple, form, label, matrix, spaceDelimited, pipeDelimited, deepObject; of Swagger 2.0's
  // collectionFormat also tabDelimited.
  std::string style;
  bool explode = false;
  bool as_json = false;  // described by `content`
  bool is_file = false;
};

struct OpenApiOperation {
  std::string method;    // upper case
  std::string base_uri;  // absolute, without slash at its end
  std::string path;      // a template
  std::vector<OpenApiParameter> parameters;
  // The media type of the request's body; empty if the operation has none.
  std::string body_type;
  bool body_required = false;
};

class OpenApiDocument {
 public:
  // `uri`: where the text came from. InvalidArgument if it is no such document.
  static absl::StatusOr<std::shared_ptr<const OpenApiDocument>> Parse(std::string_view text,
                                                                      std::string uri);

  // NotFound, or InvalidArgument where the operation's description cannot be used.
  absl::StatusOr<OpenApiOperation> Find(const std::string& operation_id) const;

 private:
  struct Place {
    std::string path, method;
  };

  explicit OpenApiDocument(std::string uri) : uri_(std::move(uri)) {}
  void IndexOperations();

  // Follows $ref.
  absl::StatusOr<Value> Resolve(Value value) const;
  absl::StatusOr<std::string> BaseUri(const Value& item, const Value& operation) const;
  absl::StatusOr<std::string> SwaggerBaseUri(const Value& operation) const;
  absl::Status AddParameters(const Value* list, std::vector<OpenApiParameter>* all) const;
  absl::Status ReadBody(const Value& operation, OpenApiOperation* described) const;

  const std::string uri_;
  bool swagger_ = false;  // 2.0
  Value root_;
  std::map<std::string, Place> operations_;  // by operationId
};

// Documents fetched lately, at most limits::kOpenApiDocuments, each for limits::kOpenApiSeconds.
// Any thread. The key names the address and whoever asked, if documents may differ by that.
class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(const Clock* clock) : clock_(clock) {}

  std::shared_ptr<const OpenApiDocument> Find(const std::string& key);
  void Insert(const std::string& key, std::shared_ptr<const OpenApiDocument> document);

 private:
  struct Entry {
    std::string key;
    absl::Duration until;
    std::shared_ptr<const OpenApiDocument> document;
  };
  const Clock* const clock_;
  absl::Mutex mutex_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace jaque
