// SPDX-License-Identifier: Apache-2.0
// The document that describes the API (openapi.yaml), which is part of the program, and the
// requests for it. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "ui/routes.h"

namespace jaque::ui {

std::string_view OpenApiYaml();
const std::string& OpenApiJson();

void AddOpenApiRoutes(Routes* routes);

}  // namespace jaque::ui
