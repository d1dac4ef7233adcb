// SPDX-License-Identifier: Apache-2.0
#include "worker/openapi_document.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "dsl/findings.h"
#include "dsl/read.h"
#include "expression/json.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

constexpr std::string_view kMethods[] = {"get",     "put",  "post",  "delete",
                                         "options", "head", "patch", "trace"};

absl::Status Unusable(std::string_view why) { return absl::InvalidArgumentError(std::string(why)); }

// nullptr unless `value` is an object with that member.
const Value* MemberAt(const Value* value, std::string_view key) {
  return value != nullptr && value->is_object() ? value->Find(key) : nullptr;
}

bool IsTrue(const Value* value) { return value != nullptr && value->kind() == Value::Kind::kTrue; }

std::string_view TextAt(const Value& value, std::string_view key) {
  return value.is_object() ? value.StringOr(key, "") : "";
}

absl::StatusOr<Value> ReadText(std::string_view text) {
  text = dsl::SkipByteOrderMark(text);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return ParseJson(text);
  dsl::Findings findings;
  const std::unique_ptr<const dsl::Node> node = dsl::ReadDocument(text, &findings);
  if (node == nullptr) return Unusable("neither JSON nor YAML");
  return node->value;
}

// One reference token of a JSON pointer in a URI fragment.
std::string UnescapeToken(std::string_view token) {
  std::string plain;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '%' && i + 2 < token.size() && absl::ascii_isxdigit(token[i + 1]) &&
        absl::ascii_isxdigit(token[i + 2])) {
      plain.push_back(
          static_cast<char>(std::stoi(std::string(token.substr(i + 1, 2)), nullptr, 16)));
      i += 2;
    } else if (token[i] == '~' && i + 1 < token.size() &&
               (token[i + 1] == '0' || token[i + 1] == '1')) {
      plain.push_back(token[++i] == '0' ? '~' : '/');
    } else {
      plain.push_back(token[i]);
    }
  }
  return plain;
}

std::optional<OpenApiParameter::In> PlaceOf(std::string_view in) {
  using In = OpenApiParameter::In;
  static constexpr std::pair<std::string_view, In> kPlaces[] = {
      {"path", In::kPath},     {"query", In::kQuery},   {"header", In::kHeader},
      {"cookie", In::kCookie}, {"formData", In::kForm}, {"body", In::kBody}};
  for (const auto& [name, place] : kPlaces) {
    if (name == in) return place;
  }
  return std::nullopt;
}

// How lists and objects are written.
void ReadStyle(const Value& described, bool swagger, OpenApiParameter* parameter) {
  using In = OpenApiParameter::In;
  const bool query =
      parameter->in == In::kQuery || parameter->in == In::kCookie || parameter->in == In::kForm;
  if (!swagger) {
    parameter->style = std::string(TextAt(described, "style"));
    if (parameter->style.empty()) parameter->style = query ? "form" : "simple";
    const Value* explode = described.Find("explode");
    parameter->explode = explode == nullptr ? parameter->style == "form" : IsTrue(explode);
    parameter->as_json = described.Find("content") != nullptr;
    return;
  }
  const std::string_view format = TextAt(described, "collectionFormat");
  parameter->explode = format == "multi";
  parameter->style = format == "ssv"     ? "spaceDelimited"
                     : format == "tsv"   ? "tabDelimited"
                     : format == "pipes" ? "pipeDelimited"
                     : query             ? "form"
                                         : "simple";
  parameter->is_file = TextAt(described, "type") == "file";
}

// The one that is written best: JSON, forms, text, then whatever comes first.
std::string ChooseMediaType(const std::vector<std::string>& types) {
  const auto rank = [](const std::string& type) {
    const std::string media_type = MediaType(type);
    if (IsJsonType(media_type)) return 0;
    if (media_type == "application/x-www-form-urlencoded") return 1;
    if (media_type == "multipart/form-data") return 2;
    return IsTextType(media_type) ? 3 : 4;
  };
  const auto best = std::min_element(
      types.begin(), types.end(),
      [&rank](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  if (best == types.end() || best->find('*') != std::string::npos) return "application/json";
  return *best;
}

std::vector<std::string> TextsOf(const Value* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (size_t i = 0; i < list->size(); ++i) {
    if (list->at(i).is_string()) texts.emplace_back(list->at(i).AsString());
  }
  return texts;
}

std::string WithoutLastSlash(std::string uri) {
  while (!uri.empty() && uri.back() == '/') uri.pop_back();
  return uri;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const OpenApiDocument>> OpenApiDocument::Parse(std::string_view text,
                                                                              std::string uri) {
  std::shared_ptr<OpenApiDocument> document(new OpenApiDocument(std::move(uri)));
  absl::StatusOr<Value> root = ReadText(text);
  if (!root.ok() || !root->is_object()) {
    return Unusable("the OpenAPI document is neither JSON nor YAML");
  }
  document->root_ = *std::move(root);
  document->swagger_ = TextAt(document->root_, "swagger") == "2.0";
  if (!document->swagger_ && TextAt(document->root_, "openapi").substr(0, 2) != "3.") {
    return Unusable("the document is neither Swagger 2.0 nor OpenAPI 3");
  }
  document->IndexOperations();
  return document;
}

void OpenApiDocument::IndexOperations() {
  const Value* paths = root_.Find("paths");
  if (paths == nullptr || !paths->is_object()) return;
  paths->ForEachMember([this](std::string_view path, const Value& described) {
    const absl::StatusOr<Value> item = Resolve(described);
    if (!item.ok() || !item->is_object()) return true;
    for (const std::string_view method : kMethods) {
      const Value* operation = item->Find(method);
      if (operation == nullptr) continue;
      const std::string_view id = TextAt(*operation, "operationId");
      if (!id.empty()) operations_.emplace(id, Place{std::string(path), std::string(method)});
    }
    return true;
  });
}

absl::StatusOr<Value> OpenApiDocument::Resolve(Value value) const {
  for (int depth = 0; depth < limits::kReferenceDepth; ++depth) {
    const std::string reference(TextAt(value, "$ref"));
    if (reference.empty()) return value;
    if (reference[0] != '#') {
      return Unusable(Cat("the reference ", reference, " leads out of the document"));
    }
    const Value* target = &root_;
    std::string_view rest = std::string_view(reference).substr(1);
    while (!rest.empty() && target != nullptr) {
      rest.remove_prefix(1);
      const size_t end = std::min(rest.find('/'), rest.size());
      target = MemberAt(target, UnescapeToken(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    if (target == nullptr) return Unusable(Cat("the reference ", reference, " leads nowhere"));
    value = *target;
  }
  return Unusable("references to references without end");
}

absl::StatusOr<OpenApiOperation> OpenApiDocument::Find(const std::string& operation_id) const {
  const auto place = operations_.find(operation_id);
  if (place == operations_.end()) {
    return absl::NotFoundError(Cat("the document has no operation \"", operation_id, "\""));
  }
  ASSIGN_OR_RETURN(const Value item, Resolve(*root_.FindPath({"paths", place->second.path})));
  const Value& operation = *item.Find(place->second.method);
  OpenApiOperation described;
  described.method = place->second.method;
  absl::AsciiStrToUpper(&described.method);
  described.path = place->second.path;
  ASSIGN_OR_RETURN(described.base_uri,
                   swagger_ ? SwaggerBaseUri(operation) : BaseUri(item, operation));
  // An operation's own parameter replaces that of its path.
  RETURN_IF_ERROR(AddParameters(operation.Find("parameters"), &described.parameters));
  RETURN_IF_ERROR(AddParameters(item.Find("parameters"), &described.parameters));
  RETURN_IF_ERROR(ReadBody(operation, &described));
  return described;
}

absl::StatusOr<std::string> OpenApiDocument::BaseUri(const Value& item,
                                                     const Value& operation) const {
  std::string url = "/";
  for (const Value* level : {&operation, &item, &root_}) {
    const Value* servers = level->Find("servers");
    if (servers == nullptr || !servers->is_array() || servers->size() == 0) continue;
    const Value& server = servers->at(0);
    url = std::string(TextAt(server, "url"));
    const Value* variables = MemberAt(&server, "variables");
    if (variables != nullptr && variables->is_object()) {
      variables->ForEachMember([&url](std::string_view name, const Value& variable) {
        const std::string hole = Cat("{", name, "}");
        const std::string_view text = TextAt(variable, "default");
        for (size_t at = url.find(hole); at != std::string::npos; at = url.find(hole, at)) {
          url.replace(at, hole.size(), text);
          at += text.size();
        }
        return url.size() < 8'000;
      });
    }
    break;
  }
  ASSIGN_OR_RETURN(std::string resolved, ResolveUri(uri_, url));
  return WithoutLastSlash(std::move(resolved));
}

absl::StatusOr<std::string> OpenApiDocument::SwaggerBaseUri(const Value& operation) const {
  const std::string own = uri_.substr(0, uri_.find(':'));
  std::vector<std::string> schemes = TextsOf(operation.Find("schemes"));
  if (schemes.empty()) schemes = TextsOf(root_.Find("schemes"));
  std::string scheme = schemes.empty() ? own : schemes.front();
  for (const std::string& preferred : {std::string("https"), own}) {
    if (std::find(schemes.begin(), schemes.end(), preferred) != schemes.end()) scheme = preferred;
  }
  if (scheme != "http" && scheme != "https") {
    return Unusable(Cat("operations over ", scheme, " are not supported"));
  }
  std::string base_path(TextAt(root_, "basePath"));
  if (base_path.empty() || base_path[0] != '/') base_path.insert(0, "/");
  const std::string_view host = TextAt(root_, "host");
  ASSIGN_OR_RETURN(
      std::string base,
      ResolveUri(uri_, host.empty() ? base_path : Cat(scheme, "://", host, base_path)));
  return WithoutLastSlash(std::move(base));
}

absl::Status OpenApiDocument::AddParameters(const Value* list,
                                            std::vector<OpenApiParameter>* all) const {
  if (list == nullptr || !list->is_array()) return absl::OkStatus();
  for (size_t i = 0; i < list->size(); ++i) {
    ASSIGN_OR_RETURN(const Value described, Resolve(list->at(i)));
    const auto place = PlaceOf(TextAt(described, "in"));
    if (!place.has_value()) continue;
    OpenApiParameter parameter;
    parameter.name = std::string(TextAt(described, "name"));
    parameter.in = *place;
    parameter.required =
        IsTrue(described.Find("required")) || *place == OpenApiParameter::In::kPath;
    ReadStyle(described, swagger_, &parameter);
    const bool known = std::any_of(all->begin(), all->end(), [&parameter](const auto& other) {
      return other.name == parameter.name && other.in == parameter.in;
    });
    if (!known) all->push_back(std::move(parameter));
  }
  return absl::OkStatus();
}

absl::Status OpenApiDocument::ReadBody(const Value& operation, OpenApiOperation* described) const {
  if (swagger_) {
    bool body = false, form = false, file = false;
    for (const OpenApiParameter& parameter : described->parameters) {
      body = body || parameter.in == OpenApiParameter::In::kBody;
      form = form || parameter.in == OpenApiParameter::In::kForm;
      file = file || parameter.is_file;
    }
    if (!body && !form) return absl::OkStatus();
    std::vector<std::string> types = TextsOf(operation.Find("consumes"));
    if (types.empty()) types = TextsOf(root_.Find("consumes"));
    const bool urlencoded =
        std::find(types.begin(), types.end(), "application/x-www-form-urlencoded") != types.end();
    const bool multipart =
        std::find(types.begin(), types.end(), "multipart/form-data") != types.end();
    described->body_type = body ? ChooseMediaType(types)
                           : file || (multipart && !urlencoded)
                               ? "multipart/form-data"
                               : "application/x-www-form-urlencoded";
    return absl::OkStatus();
  }
  const Value* declared = operation.Find("requestBody");
  if (declared == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Value body, Resolve(*declared));
  const Value* content = MemberAt(&body, "content");
  std::vector<std::string> types;
  if (content != nullptr && content->is_object()) {
    for (const std::string_view type : content->Keys()) types.emplace_back(type);
  }
  described->body_type = ChooseMediaType(types);
  described->body_required = IsTrue(MemberAt(&body, "required"));
  return absl::OkStatus();
}

std::shared_ptr<const OpenApiDocument> OpenApiDocuments::Find(const std::string& key) {
  const absl::Duration now = clock_->Monotonic();
  absl::MutexLock lock(&mutex_);
  while (!entries_.empty() && entries_.front().until <= now) entries_.pop_front();
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.document;
  }
  return nullptr;
}

void OpenApiDocuments::Insert(const std::string& key,
                              std::shared_ptr<const OpenApiDocument> document) {
  const absl::Duration until = clock_->Monotonic() + absl::Seconds(limits::kOpenApiSeconds);
  absl::MutexLock lock(&mutex_);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&key](const Entry& entry) { return entry.key == key; }),
                 entries_.end());
  if (entries_.size() >= limits::kOpenApiDocuments) entries_.pop_front();
  entries_.push_back({key, until, std::move(document)});
}

}  // namespace jaque
