// SPDX-License-Identifier: Apache-2.0
#include "dsl/errors.h"

#include <gtest/gtest.h>

namespace jaque::dsl {
namespace {

TEST(ErrorType, AllSpellingsOfAStandardTypeAreOne) {
  for (const char* type :
       {"https://open-workflow-specification.org/spec/1.0.0/errors/communication",
        "https://serverlessworkflow.io/spec/1.0.0/errors/communication",
        "https://open-workflow-specification.org/dsl/errors/types/communication",
        "https://serverlessworkflow.io/dsl/errors/types/communication"}) {
    EXPECT_EQ(NormaliseErrorType(type), kErrorCommunication);
  }
}

TEST(ErrorType, OthersAreLeftAlone) {
  for (const char* type :
       {"https://open-workflow-specification.org/errors/types/compliance",
        "https://serverlessworkflow.io/spec/1.0.0/errors/unheard-of",
        "https://serverlessworkflow.io/spec/1.0.0/errors/", "https://example.com/timeout",
        "http://serverlessworkflow.io/spec/1.0.0/errors/timeout", "timeout", ""}) {
    EXPECT_EQ(NormaliseErrorType(type), type);
  }
}

TEST(ErrorType, StatusOfStandardTypes) {
  EXPECT_EQ(FindStandardError(kErrorTimeout)->status, 408);
  EXPECT_EQ(FindStandardError(kErrorAuthorization)->status, 403);
  EXPECT_EQ(FindStandardError(kErrorExpression)->status, 400);
  EXPECT_EQ(FindStandardError("https://example.com/x"), nullptr);
}

}  // namespace
}  // namespace jaque::dsl
