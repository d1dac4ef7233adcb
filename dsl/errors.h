// SPDX-License-Identifier: Apache-2.0
// The standard error types of the DSL (reference, "Standard Error Types") and their equivalent
// spellings. For the engine, the workers and the compiler; pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace jaque::dsl {

inline constexpr std::string_view kErrorTypes =
    "https://open-workflow-specification.org/spec/1.0.0/errors/";
inline constexpr std::string_view kErrorConfiguration =
    "https://open-workflow-specification.org/spec/1.0.0/errors/configuration";
inline constexpr std::string_view kErrorValidation =
    "https://open-workflow-specification.org/spec/1.0.0/errors/validation";
inline constexpr std::string_view kErrorExpression =
    "https://open-workflow-specification.org/spec/1.0.0/errors/expression";
inline constexpr std::string_view kErrorAuthentication =
    "https://open-workflow-specification.org/spec/1.0.0/errors/authentication";
inline constexpr std::string_view kErrorAuthorization =
    "https://open-workflow-specification.org/spec/1.0.0/errors/authorization";
inline constexpr std::string_view kErrorTimeout =
    "https://open-workflow-specification.org/spec/1.0.0/errors/timeout";
inline constexpr std::string_view kErrorCommunication =
    "https://open-workflow-specification.org/spec/1.0.0/errors/communication";
inline constexpr std::string_view kErrorRuntime =
    "https://open-workflow-specification.org/spec/1.0.0/errors/runtime";

// One spelling for each standard type: both hosts, and the older path /dsl/errors/types/, become
// the constant above. Other types are returned unchanged.
std::string NormaliseErrorType(std::string_view type);

struct StandardError {
  std::string_view type;
  int status;  // the default; the status that fits best is to be used
  std::string_view title;
};
// By normalised type; nullptr if it is no standard one.
const StandardError* FindStandardError(std::string_view type);

}  // namespace jaque::dsl
