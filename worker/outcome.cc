// SPDX-License-Identifier: Apache-2.0
#include "worker/outcome.h"

namespace jaque {
namespace {

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

v1::Problem MakeProblem(std::string_view type, std::string_view detail, int status,
                        std::string_view title) {
  v1::Problem problem;
  problem.set_type(std::string(type));
  const dsl::StandardError* standard = dsl::FindStandardError(type);
  problem.set_status(status != 0 ? status : standard != nullptr ? standard->status : 500);
  if (title.empty() && standard != nullptr) title = standard->title;
  problem.set_title(std::string(title));
  problem.set_detail(std::string(detail));
  return problem;
}

absl::Status BadArgument(std::string_view detail) {
  return absl::FailedPreconditionError(std::string(detail));
}

v1::Problem ArgumentProblem(std::string_view detail) {
  return MakeProblem(dsl::kErrorValidation, detail);
}

std::string_view LastPart(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  text.remove_prefix(text.size() - bytes);
  while (!text.empty() && ContinuesCharacter(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view FirstPart(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && ContinuesCharacter(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace jaque
