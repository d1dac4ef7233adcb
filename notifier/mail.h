// SPDX-License-Identifier: Apache-2.0
// Hands one message to a mail server (SMTP, by libcurl): TLS where the server offers it, always
// with smtps://. Waits; any thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "notifier/rules.h"

namespace jaque::notifier {

// `ca_file`: authorities to trust instead of the system's; empty: those. The status says what the
// server or the network said.
absl::Status SendMail(const EmailTarget& email, const std::string& password,
                      const std::string& ca_file, const std::string& message);

}  // namespace jaque::notifier
