// SPDX-License-Identifier: Apache-2.0
// Where a request comes from: its peer, or what trusted proxies (-trusted-proxies) say in
// X-Forwarded-For. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/asio/ip/address.hpp"
#include "boost/asio/ip/network_v4.hpp"
#include "boost/asio/ip/network_v6.hpp"
#include "ui/http.h"

namespace jaque::ui {

class TrustedProxies {
 public:
  TrustedProxies() = default;
  // "10.0.0.0/8", "fd00::/8", "192.0.2.1".
  static absl::StatusOr<TrustedProxies> Parse(const std::vector<std::string>& networks);

  // The last address in the chain that is no proxy of ours: those before it are only claimed.
  std::string ClientOf(const HttpRequest& request) const;

 private:
  bool Contains(const boost::asio::ip::address& address) const;

  std::vector<boost::asio::ip::network_v4> v4_;
  std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace jaque::ui
