// SPDX-License-Identifier: Apache-2.0
#include "ui/openapi.h"

#include <utility>

#include "base/status_macros.h"
#include "dsl/read.h"
#include "expression/json.h"

namespace jaque::ui {
namespace {

HttpResponse Document(std::string content_type, std::string_view text) {
  HttpResponse response;
  response.content_type = std::move(content_type);
  response.body = std::string(text);
  return response;
}

}  // namespace

const std::string& OpenApiJson() {
  static const std::string json = [] {
    dsl::Findings findings;
    const auto document = dsl::ReadDocument(OpenApiYaml(), &findings);
    JAQUE_CHECK(document != nullptr);
    return ToJson(document->value);
  }();
  return json;
}

void AddOpenApiRoutes(Routes* routes) {
  routes->Add("GET", "/api/v1/openapi.json", Open(), {},
              [](Call call) { call.reply(Document("application/json", OpenApiJson())); });
  routes->Add("GET", "/api/v1/openapi.yaml", Open(), {},
              [](Call call) { call.reply(Document("application/yaml", OpenApiYaml())); });
}

}  // namespace jaque::ui
