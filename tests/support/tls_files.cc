// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_files.h"

#include <cstdlib>
#include <fstream>
#include <vector>

namespace jaque::testing {

TlsFiles::TlsFiles() {
  if (!temp_.ok()) {
    error_ = "no folder could be made";
    return;
  }
  std::ofstream(folder_ + "/names")
      << "subjectAltName=DNS:localhost,DNS:service.example,IP:127.0.0.1\n";
  const std::string new_key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 ";
  const std::string commands[] = {
      "openssl req -x509 " + new_key +
          "-keyout ca.key -out ca.pem -days 2 -subj '/CN=Test Authority'",
      "openssl req " + new_key + "-keyout server.key -out server.csr -subj '/CN=localhost'",
      "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
      "-extfile names -out server.pem"};
  for (const std::string& command : commands) {
    if (std::system(("cd " + folder_ + " && " + command + " >/dev/null 2>&1").c_str()) != 0) {
      error_ = "failed: " + command;
      return;
    }
  }
}

}  // namespace jaque::testing
