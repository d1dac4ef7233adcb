// SPDX-License-Identifier: Apache-2.0
#include "worker/openapi_request.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "worker/http_arguments.h"
#include "worker/http_text.h"
#include "worker/outcome.h"

namespace jaque {
namespace {

using In = OpenApiParameter::In;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// Name and value of each part: the items of a list (names empty), the members of an object, or the
// one scalar.
Pairs PartsOf(const Value& value) {
  Pairs parts;
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) parts.emplace_back("", ScalarText(value.at(i)));
  } else if (value.is_object()) {
    value.ForEachMember([&parts](std::string_view name, const Value& member) {
      parts.emplace_back(std::string(name), ScalarText(member));
      return true;
    });
  } else {
    parts.emplace_back("", ScalarText(value));
  }
  return parts;
}

std::string Escaped(const std::string& text, bool escape) {
  return escape ? EscapeUriComponent(text) : text;
}

// "a,b" for a list; "k,v" or, exploded, "k=v" for the members of an object.
std::string Joined(const Value& value, std::string_view separator, bool explode, bool escape) {
  std::string joined;
  for (const auto& [name, text] : PartsOf(value)) {
    if (!joined.empty()) joined += separator;
    if (value.is_object()) {
      joined += Cat(Escaped(name, escape), explode ? std::string_view("=") : std::string_view(","));
    }
    joined += Escaped(text, escape);
  }
  return joined;
}

std::string PathText(const OpenApiParameter& parameter, const Value& value) {
  if (parameter.as_json) return EscapeUriComponent(ToJson(value));
  if (parameter.style == "label") {
    return "." + Joined(value, parameter.explode ? "." : ",", parameter.explode, true);
  }
  if (parameter.style == "matrix") {
    if (!parameter.explode || (!value.is_array() && !value.is_object())) {
      return Cat(";", EscapeUriComponent(parameter.name), "=", Joined(value, ",", false, true));
    }
    std::string text;
    for (const auto& [name, part] : PartsOf(value)) {
      text += Cat(";", EscapeUriComponent(name.empty() ? parameter.name : name), "=",
                  EscapeUriComponent(part));
    }
    return text;
  }
  return Joined(value, ",", parameter.explode, true);
}

void AddPairs(const OpenApiParameter& parameter, const Value& value, Pairs* pairs) {
  if (parameter.as_json) {
    pairs->emplace_back(parameter.name, ToJson(value));
  } else if (parameter.style == "deepObject" && value.is_object()) {
    for (const auto& [name, text] : PartsOf(value)) {
      pairs->emplace_back(Cat(parameter.name, "[", name, "]"), text);
    }
  } else if (parameter.explode && (value.is_array() || value.is_object())) {
    for (const auto& [name, text] : PartsOf(value)) {
      pairs->emplace_back(name.empty() ? parameter.name : name, text);
    }
  } else {
    const std::string_view separator = parameter.style == "spaceDelimited"  ? " "
                                       : parameter.style == "tabDelimited"  ? "\t"
                                       : parameter.style == "pipeDelimited" ? "|"
                                                                            : ",";
    pairs->emplace_back(parameter.name, Joined(value, separator, false, false));
  }
}

std::string Multipart(const Pairs& fields, std::string* boundary) {
  *boundary = "jaque-part";
  for (const auto& [name, text] : fields) {
    while (text.find(*boundary) != std::string::npos) *boundary += "-";
  }
  std::string body;
  for (const auto& [name, text] : fields) {
    std::string quoted;
    for (const char c : name) {
      if (c == '"' || c == '\r' || c == '\n') {
        quoted += c == '"' ? "%22" : c == '\r' ? "%0D" : "%0A";
      } else {
        quoted.push_back(c);
      }
    }
    body += Cat("--", *boundary, "\r\nContent-Disposition: form-data; name=\"", quoted,
                "\"\r\n\r\n", text, "\r\n");
  }
  body += Cat("--", *boundary, "--\r\n");
  return body;
}

class RequestMaker {
 public:
  RequestMaker(const OpenApiOperation& operation, const Value& given)
      : operation_(operation), given_(given), path_(operation.path) {}

  absl::StatusOr<HttpRequest> Make() {
    request_.method = operation_.method;
    for (const OpenApiParameter& parameter : operation_.parameters) {
      RETURN_IF_ERROR(Place(parameter));
    }
    if (!cookies_.empty()) RETURN_IF_ERROR(AddHeader("Cookie", cookies_, &request_.headers));
    RETURN_IF_ERROR(GatherBody());
    RETURN_IF_ERROR(WriteBody());
    const size_t hole = path_.find('{');
    if (hole != std::string::npos) {
      return BadArgument(Cat("the path ", path_, " has a part that is no parameter"));
    }
    request_.url = AddQuery(EscapeUri(operation_.base_uri + path_), query_);
    AddDefaultAccept(&request_.headers);
    return std::move(request_);
  }

 private:
  absl::Status Place(const OpenApiParameter& parameter) {
    const Value* value = given_.Find(parameter.name);
    if (value == nullptr && parameter.in == In::kBody) value = given_.Find("body");
    used_.insert(parameter.in == In::kBody && given_.Find(parameter.name) == nullptr
                     ? "body"
                     : parameter.name);
    if (value == nullptr || value->is_null()) {
      if (!parameter.required) return absl::OkStatus();
      return BadArgument(Cat("the parameter \"", parameter.name, "\" is required"));
    }
    switch (parameter.in) {
      case In::kPath:
        return PlaceInPath(parameter, *value);
      case In::kQuery:
        AddPairs(parameter, *value, &query_);
        return absl::OkStatus();
      case In::kHeader:
        return AddHeader(
            parameter.name,
            parameter.as_json ? ToJson(*value) : Joined(*value, ",", parameter.explode, false),
            &request_.headers);
      case In::kCookie:
        AddCookies(parameter, *value);
        return absl::OkStatus();
      case In::kForm:
        AddPairs(parameter, *value, &form_);
        return absl::OkStatus();
      case In::kBody:
        body_ = *value;
        return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::Status PlaceInPath(const OpenApiParameter& parameter, const Value& value) {
    const std::string text = PathText(parameter, value);
    // Clients and servers take these for the folder itself and the one above.
    if (text.empty() || text == "." || text == "..") {
      return BadArgument(
          Cat("the parameter \"", parameter.name, "\" cannot be \"", text, "\" in a path"));
    }
    const std::string hole = Cat("{", parameter.name, "}");
    for (size_t at = path_.find(hole); at != std::string::npos;
         at = path_.find(hole, at + text.size())) {
      path_.replace(at, hole.size(), text);
    }
    return absl::OkStatus();
  }

  void AddCookies(const OpenApiParameter& parameter, const Value& value) {
    Pairs pairs;
    AddPairs(parameter, value, &pairs);
    for (const auto& [name, text] : pairs) {
      if (!cookies_.empty()) cookies_ += "; ";
      cookies_ += Cat(EscapeUriComponent(name), "=", EscapeUriComponent(text));
    }
  }

  // What the parameters did not take.
  absl::Status GatherBody() {
    const bool swagger_body = !body_.is_null() || !form_.empty();
    Value rest;
    given_.ForEachMember([&](std::string_view name, const Value& value) {
      if (used_.count(std::string(name)) == 0) rest.Set(name, value);
      return true;
    });
    if (rest.is_null()) {
      if (!operation_.body_required || swagger_body) return absl::OkStatus();
      return BadArgument("the operation needs a body: give it as the parameter `body`");
    }
    if (operation_.body_type.empty() || swagger_body || UsesBodyParameter()) {
      return BadArgument(Cat("the operation has no parameter \"", rest.Keys().front(), "\""));
    }
    const Value* whole = rest.Find("body");
    if (whole != nullptr && rest.size() > 1) {
      rest.Erase("body");
      return BadArgument(Cat("the operation has no parameter \"", rest.Keys().front(), "\""));
    }
    body_ = whole != nullptr ? *whole : rest;
    return absl::OkStatus();
  }

  bool UsesBodyParameter() const {
    for (const OpenApiParameter& parameter : operation_.parameters) {
      if (parameter.in == In::kBody || parameter.in == In::kForm) return true;
    }
    return false;
  }

  absl::Status WriteBody() {
    if (body_.is_null() && form_.empty()) return absl::OkStatus();
    const std::string media_type = MediaType(operation_.body_type);
    const bool form = media_type == "application/x-www-form-urlencoded";
    const bool multipart = media_type == "multipart/form-data";
    if (multipart || (form && !form_.empty())) {
      if (form_.empty()) {
        if (!body_.is_object()) return BadArgument("the body of a form must be an object");
        ASSIGN_OR_RETURN(form_, QueryOf(body_));
      }
      std::string boundary;
      if (multipart) {
        request_.body = Multipart(form_, &boundary);
        request_.headers.emplace_back("Content-Type",
                                      Cat("multipart/form-data; boundary=", boundary));
      } else {
        request_.body = AddQuery("", form_).substr(1);
        request_.headers.emplace_back("Content-Type", operation_.body_type);
      }
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(AddHeader("Content-Type", operation_.body_type, &request_.headers));
    return SetBody(body_, &request_);
  }

  const OpenApiOperation& operation_;
  const Value& given_;  // an object
  std::string path_;
  HttpRequest request_;
  Pairs query_, form_;
  std::string cookies_;
  Value body_;
  std::set<std::string> used_;
};

}  // namespace

absl::StatusOr<HttpRequest> MakeOperationRequest(const OpenApiOperation& operation,
                                                 const Value& parameters) {
  if (!parameters.is_null() && !parameters.is_object()) {
    return BadArgument("`parameters` must be an object");
  }
  const Value given = parameters.is_null() ? Value::Object() : parameters;
  return RequestMaker(operation, given).Make();
}

}  // namespace jaque
