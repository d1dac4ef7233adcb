// SPDX-License-Identifier: Apache-2.0
// -auth tokens: callers by a file of lines "name sha256:HEX role[@namespace,…] …", which has
// digests instead of tokens. Read again when it changes; a file that cannot be read then leaves the
// callers as they were. MakeToken makes what `jaque token` prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/authenticator.h"

namespace jaque::ui {

// InvalidArgument names file and line of what cannot be read.
absl::StatusOr<std::unique_ptr<Authenticator>> OpenTokenFile(const std::string& path);

// A random token and the line of the file that lets it in. `grants` as they stand in the line.
struct NewToken {
  std::string token, line;
};
absl::StatusOr<NewToken> MakeToken(const std::string& name, const std::vector<std::string>& grants);

}  // namespace jaque::ui
