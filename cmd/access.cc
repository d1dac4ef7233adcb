// SPDX-License-Identifier: Apache-2.0
#include "cmd/access.h"

#include "base/logging.h"
#include "base/status_macros.h"
#include "boost/asio/ip/address.hpp"
#include "fmt/format.h"
#include "ui/oidc.h"
#include "ui/token_file.h"

namespace jaque::cmd {

void AddAccessFlags(CLI::App* app, AccessFlags* flags) {
  const auto add = [app](const char* flag, std::string* value, const char* type, const char* help) {
    return app->add_option(flag, *value, help)->type_name(type)->group("Access");
  };
  add("--auth", &flags->auth, "KIND",
      "who may use the API: none (everybody), tokens (-auth-tokens) or oidc (-oidc-issuer); has to "
      "be said unless it listens on loopback (default none there)");
  add("--auth-tokens", &flags->token_file, "FILE",
      "who may do what: lines \"name sha256:HEX role[@namespace,…] …\", which `jaque token` makes; "
      "read again when it changes");
  add("--oidc-issuer", &flags->oidc_issuer, "URL",
      "whose JWTs are taken; its keys are found by discovery");
  add("--oidc-audience", &flags->oidc_audience, "NAME", "that the JWTs have to be for");
  add("--oidc-roles-claim", &flags->oidc_roles_claim, "PATH",
      "claim that has roles, written as in -auth-tokens; dots lead into objects")
      ->capture_default_str();
  add("--oidc-ca", &flags->oidc_ca, "FILE",
      "authorities (PEM) to trust for the issuer beside the system's");
  add("--tls-cert", &flags->tls_certificate, "FILE",
      "certificate chain (PEM): serve HTTPS; read again when it changes");
  add("--tls-key", &flags->tls_key, "FILE", "its key (PEM)");
  app->add_option("--trusted-proxies", flags->trusted_proxies,
                  "networks of proxies whose X-Forwarded-For is believed; may be repeated")
      ->allow_extra_args(false)
      ->type_name("CIDR")
      ->group("Access");
  app->add_flag("--metrics-open", flags->metrics_open,
                "let everybody read /metrics, beyond loopback too")
      ->group("Access");
}

bool IsLoopback(const std::string& listen) {
  std::string host = listen.substr(0, listen.rfind(':'));
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  return host == "localhost" || (!no_address && address.is_loopback());
}

absl::Status CheckAccessFlags(const AccessFlags& flags, const std::string& listen,
                              bool serves_api) {
  if (flags.auth.empty() && serves_api && !IsLoopback(listen)) {
    return absl::InvalidArgumentError(fmt::format(
        "-http-listen {} can be reached from other machines, and who reaches the API may run "
        "programs: say -auth tokens, or -auth none if something else keeps people out",
        listen));
  }
  if (!flags.auth.empty() && flags.auth != "none" && flags.auth != "tokens" &&
      flags.auth != "oidc") {
    return absl::InvalidArgumentError(
        fmt::format("-auth: \"{}\" is none of none, tokens, oidc", flags.auth));
  }
  if ((flags.auth == "tokens") != !flags.token_file.empty()) {
    return absl::InvalidArgumentError(
        "-auth tokens and -auth-tokens FILE go together: `jaque token NAME ROLE` makes a line of "
        "the file");
  }
  const bool oidc = !flags.oidc_issuer.empty() && !flags.oidc_audience.empty();
  if ((flags.auth == "oidc") != oidc) {
    return absl::InvalidArgumentError(
        "-auth oidc, -oidc-issuer URL and -oidc-audience NAME go together: a JWT for somebody else "
        "must not let in here");
  }
  if (flags.tls_certificate.empty() != flags.tls_key.empty()) {
    return absl::InvalidArgumentError("-tls-cert and -tls-key go together");
  }
  return ui::TrustedProxies::Parse(flags.trusted_proxies).status();
}

void Door::Tick() const {
  if (authenticator != nullptr) authenticator->Tick();
  if (certificate != nullptr) certificate->Tick();
}

absl::StatusOr<Door> MakeDoor(const AccessFlags& flags, const std::string& listen,
                              const Clock* clock, ui::ApiParts* parts) {
  const bool loopback = IsLoopback(listen);
  Door door;
  if (flags.auth == "tokens") {
    ASSIGN_OR_RETURN(door.authenticator, ui::OpenTokenFile(flags.token_file));
  } else if (flags.auth == "oidc") {
    const ui::OidcOptions options{flags.oidc_issuer, flags.oidc_audience, flags.oidc_roles_claim,
                                  flags.oidc_ca};
    ASSIGN_OR_RETURN(door.authenticator, ui::MakeOidc(options, clock, clock));
  } else if (!loopback && !parts->operations_only) {
    LogWarn("ANYBODY WHO REACHES THIS ADDRESS MAY DO EVERYTHING, and run programs: -auth none",
            {{"listen", listen}});
  }
  if (!flags.tls_certificate.empty()) {
    ASSIGN_OR_RETURN(door.certificate,
                     ui::OpenTlsCertificate(flags.tls_certificate, flags.tls_key));
  } else if (!loopback && door.authenticator != nullptr) {
    LogWarn("tokens are sent in the clear: say -tls-cert, or put a proxy that speaks TLS before it",
            {{"listen", listen}});
  }
  ASSIGN_OR_RETURN(parts->proxies, ui::TrustedProxies::Parse(flags.trusted_proxies));
  parts->authenticator = door.authenticator.get();
  parts->metrics_open = loopback || flags.metrics_open;
  parts->has_host_name =
      !loopback || parts->authenticator != nullptr || !flags.trusted_proxies.empty();
  return door;
}

}  // namespace jaque::cmd
