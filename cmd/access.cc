// SPDX-License-Identifier: Apache-2.0
#include "cmd/access.h"

#include "absl/strings/match.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/token_file.h"

namespace jaque::cmd {

void AddAccessFlags(CLI::App* app, AccessFlags* flags) {
  const std::string group = "Access";
  app->add_option(
         "--auth", flags->auth,
         "who may use the API: none (everybody), or who has a token of the file -auth-tokens "
         "(tokens); has to be said unless it listens on loopback (default: none there)")
      ->type_name("KIND")
      ->group(group);
  app->add_option("--auth-tokens", flags->token_file,
                  "who may do what: lines \"name sha256:HEX role[@namespace,…] …\", which `jaque "
                  "token` makes; read again when it changes")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--trusted-proxies", flags->trusted_proxies,
                  "networks of proxies whose X-Forwarded-For is believed; may be repeated")
      ->allow_extra_args(false)
      ->type_name("CIDR")
      ->group(group);
  app->add_flag("--metrics-open", flags->metrics_open,
                "let everybody read /metrics, beyond loopback too")
      ->group(group);
}

bool IsLoopback(const std::string& listen) {
  return absl::StartsWith(listen, "127.") || absl::StartsWith(listen, "localhost:") ||
         absl::StartsWith(listen, "[::1]:");
}

absl::Status CheckAccessFlags(const AccessFlags& flags, const std::string& listen,
                              bool serves_api) {
  if (flags.auth.empty() && serves_api && !IsLoopback(listen)) {
    return absl::InvalidArgumentError(fmt::format(
        "-http-listen {} can be reached from other machines, and who reaches the API may run "
        "programs: say -auth tokens, or -auth none if something else keeps people out",
        listen));
  }
  if (!flags.auth.empty() && flags.auth != "none" && flags.auth != "tokens") {
    return absl::InvalidArgumentError(
        fmt::format("-auth: \"{}\" is neither none nor tokens", flags.auth));
  }
  if ((flags.auth == "tokens") != !flags.token_file.empty()) {
    return absl::InvalidArgumentError(
        "-auth tokens and -auth-tokens FILE go together: `jaque token NAME ROLE` makes a line of "
        "the file");
  }
  return ui::TrustedProxies::Parse(flags.trusted_proxies).status();
}

absl::Status SetAccess(const AccessFlags& flags, const std::string& listen,
                       std::unique_ptr<ui::Authenticator>* authenticator, ui::ApiParts* parts) {
  const bool loopback = IsLoopback(listen);
  if (flags.auth == "tokens") {
    ASSIGN_OR_RETURN(*authenticator, ui::OpenTokenFile(flags.token_file));
  } else if (!loopback && !parts->operations_only) {
    LogWarn("ANYBODY WHO REACHES THIS ADDRESS MAY DO EVERYTHING, and run programs: -auth none",
            {{"listen", listen}});
  }
  ASSIGN_OR_RETURN(parts->proxies, ui::TrustedProxies::Parse(flags.trusted_proxies));
  parts->authenticator = authenticator->get();
  parts->metrics_open = loopback || flags.metrics_open;
  parts->has_host_name =
      !loopback || parts->authenticator != nullptr || !flags.trusted_proxies.empty();
  return absl::OkStatus();
}

}  // namespace jaque::cmd
