// SPDX-License-Identifier: Apache-2.0
// The certificate and key that the server shows (-tls-cert, -tls-key), TLS 1.2 and newer. Read
// again when the files change: new connections get the new one, those that are open keep theirs.
// Files that do not fit together are not taken. Current may be called on any thread; Tick once a
// second by the process.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace boost::asio::ssl {
class context;
}

namespace jaque::ui {

class TlsCertificate {
 public:
  virtual ~TlsCertificate() = default;
  virtual std::shared_ptr<boost::asio::ssl::context> Current() const = 0;
  virtual void Tick() = 0;
};

// InvalidArgument: files that cannot be read or do not fit together.
absl::StatusOr<std::unique_ptr<TlsCertificate>> OpenTlsCertificate(
    const std::string& certificate_file, const std::string& key_file);

}  // namespace jaque::ui
