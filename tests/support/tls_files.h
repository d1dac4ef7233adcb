// SPDX-License-Identifier: Apache-2.0
// A private certificate authority and a server certificate for "localhost", "service.example" and
// 127.0.0.1, made by the openssl command when a test asks for them. Files live until the object
// goes.
#pragma once

#include <string>

#include "tests/support/temp_folder.h"

namespace jaque::testing {

class TlsFiles {
 public:
  TlsFiles();
  TlsFiles(const TlsFiles&) = delete;
  TlsFiles& operator=(const TlsFiles&) = delete;

  // Empty if everything worked, else what did not.
  const std::string& error() const { return error_; }
  std::string authority() const { return folder_ + "/ca.pem"; }
  std::string certificate() const { return folder_ + "/server.pem"; }
  std::string key() const { return folder_ + "/server.key"; }

 private:
  const TempFolder temp_;
  const std::string folder_ = temp_.path();
  std::string error_;
};

}  // namespace jaque::testing
