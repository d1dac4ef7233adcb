// SPDX-License-Identifier: Apache-2.0
#include "dsl/errors.h"

#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr StandardError kStandard[] = {
    {kErrorConfiguration, 400, "Configuration Error"},
    {kErrorValidation, 400, "Validation Error"},
    {kErrorExpression, 400, "Expression Error"},
    {kErrorAuthentication, 401, "Authentication Error"},
    {kErrorAuthorization, 403, "Authorization Error"},
    {kErrorTimeout, 408, "Timeout"},
    {kErrorCommunication, 500, "Communication Error"},
    {kErrorRuntime, 500, "Runtime Error"},
};

constexpr std::string_view kHosts[] = {"https://open-workflow-specification.org",
                                       "https://serverlessworkflow.io"};
constexpr std::string_view kPaths[] = {"/spec/1.0.0/errors/", "/dsl/errors/types/"};

}  // namespace

std::string NormaliseErrorType(std::string_view type) {
  for (std::string_view host : kHosts) {
    if (!type.starts_with(host)) continue;
    const std::string_view path = type.substr(host.size());
    for (std::string_view prefix : kPaths) {
      if (!path.starts_with(prefix)) continue;
      std::string normal = Cat(kErrorTypes, path.substr(prefix.size()));
      if (FindStandardError(normal) != nullptr) return normal;
    }
  }
  return std::string(type);
}

const StandardError* FindStandardError(std::string_view type) {
  for (const StandardError& error : kStandard) {
    if (error.type == type) return &error;
  }
  return nullptr;
}

}  // namespace jaque::dsl
