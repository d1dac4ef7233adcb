// SPDX-License-Identifier: Apache-2.0
#include "ui/client_address.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace jaque::ui {
namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> ParseAddress(const std::string& text) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(text, error);
  if (error) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

template <typename Network, typename Address>
bool IsIn(const Network& network, const Address& address) {
  return Network(address, network.prefix_length()).canonical() == network.canonical();
}

}  // namespace

absl::StatusOr<TrustedProxies> TrustedProxies::Parse(const std::vector<std::string>& networks) {
  TrustedProxies proxies;
  for (const std::string& text : networks) {
    const bool v6 = text.find(':') != std::string::npos;
    const bool whole = text.find('/') == std::string::npos;
    boost::system::error_code error;
    if (v6) {
      proxies.v6_.push_back(ip::make_network_v6(whole ? text + "/128" : text, error));
    } else {
      proxies.v4_.push_back(ip::make_network_v4(whole ? text + "/32" : text, error));
    }
    if (error) {
      return absl::InvalidArgumentError(
          fmt::format("-trusted-proxies: \"{}\" is no network: write 10.0.0.0/8", text));
    }
  }
  return proxies;
}

bool TrustedProxies::Contains(const ip::address& address) const {
  if (address.is_v4()) {
    return std::any_of(v4_.begin(), v4_.end(),
                       [&](const auto& network) { return IsIn(network, address.to_v4()); });
  }
  return std::any_of(v6_.begin(), v6_.end(),
                     [&](const auto& network) { return IsIn(network, address.to_v6()); });
}

std::string TrustedProxies::ClientOf(const HttpRequest& request) const {
  const std::optional<ip::address> peer = ParseAddress(request.peer);
  std::string client = peer ? peer->to_string() : request.peer;
  std::vector<std::string> chain;
  for (const auto& [name, value] : request.headers) {
    if (!absl::EqualsIgnoreCase(name, "X-Forwarded-For")) continue;
    for (const absl::string_view part : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      chain.emplace_back(absl::StripAsciiWhitespace(part));
    }
  }
  while (!chain.empty()) {
    const auto address = ParseAddress(client);
    if (!address || !Contains(*address)) break;
    if (!ParseAddress(chain.back())) break;
    client = chain.back();
    chain.pop_back();
  }
  return client;
}

}  // namespace jaque::ui
