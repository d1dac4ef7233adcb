// SPDX-License-Identifier: Apache-2.0
#include "ui/tls_certificate.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "boost/asio/ssl/context.hpp"
#include "fmt/format.h"
#include "ui/watched_file.h"

namespace jaque::ui {
namespace {

namespace ssl = boost::asio::ssl;
using ContextPtr = std::shared_ptr<ssl::context>;

absl::StatusOr<ContextPtr> ReadContext(const std::string& certificate_file,
                                       const std::string& key_file) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // A client that asks again and again for new keys costs us much and itself little.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  boost::system::error_code error;
  context->use_certificate_chain_file(certificate_file, error);
  if (error) {
    return absl::InvalidArgumentError(
        fmt::format("-tls-cert {}: {}", certificate_file, error.message()));
  }
  context->use_private_key_file(key_file, ssl::context::pem, error);
  if (!error && SSL_CTX_check_private_key(context->native_handle()) != 1) {
    return absl::InvalidArgumentError(
        fmt::format("-tls-key {}: this is not the key of {}", key_file, certificate_file));
  }
  if (error) {
    return absl::InvalidArgumentError(fmt::format("-tls-key {}: {}", key_file, error.message()));
  }
  return context;
}

class CertificateFiles final : public TlsCertificate {
 public:
  CertificateFiles(std::string certificate_file, std::string key_file)
      : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

  absl::Status Read() {
    const Stamps stamps = StampsNow();
    stamps_ = stamps;
    ASSIGN_OR_RETURN(ContextPtr context, ReadContext(certificate_file_, key_file_));
    absl::MutexLock lock(&mutex_);
    context_ = std::move(context);
    return absl::OkStatus();
  }

  ContextPtr Current() const override {
    absl::MutexLock lock(&mutex_);
    return context_;
  }

  // Two files are never changed at once: what does not fit now is read when the other follows.
  void Tick() override {
    if (StampsNow() == stamps_) return;
    const absl::Status read = Read();
    if (read.ok()) {
      LogInfo("TLS certificate read again", {{"file", certificate_file_}});
    } else {
      LogWarn("the TLS certificate of before stays", {{"why", Message(read)}});
    }
  }

 private:
  using Stamps = std::pair<FileStamp, FileStamp>;
  Stamps StampsNow() const { return {StampOf(certificate_file_), StampOf(key_file_)}; }

  const std::string certificate_file_, key_file_;
  Stamps stamps_;  // of the ticker's thread alone, once read
  mutable absl::Mutex mutex_;
  ContextPtr context_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsCertificate>> OpenTlsCertificate(
    const std::string& certificate_file, const std::string& key_file) {
  auto files = std::make_unique<CertificateFiles>(certificate_file, key_file);
  RETURN_IF_ERROR(files->Read());
  return files;
}

}  // namespace jaque::ui
