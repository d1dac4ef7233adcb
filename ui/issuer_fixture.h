// SPDX-License-Identifier: Apache-2.0
// For tests: keys made by OpenSSL, their JSON Web Key Set, and tokens signed with them, rightly or
// as a forger would.
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>
#include <string>

#include "expression/json.h"
#include "expression/value.h"
#include "fmt/format.h"
#include "ui/digest.h"

namespace jaque::ui {

class SigningKey {
 public:
  // `algorithm`: RS256, ES256 or EdDSA.
  SigningKey(std::string id, std::string algorithm, unsigned rsa_bits = 2048)
      : id_(std::move(id)), algorithm_(std::move(algorithm)) {
    EVP_PKEY* key = algorithm_ == "RS256"   ? EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", rsa_bits)
                    : algorithm_ == "ES256" ? EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")
                                            : EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    key_.reset(key, &EVP_PKEY_free);
  }

  std::string Jwk() const {
    const std::string head = fmt::format(R"("kid":"{}","use":"sig")", id_);
    if (algorithm_ == "RS256") {
      return fmt::format(R"({{{},"kty":"RSA","n":"{}","e":"{}"}})", head,
                         Number(OSSL_PKEY_PARAM_RSA_N, 0), Number(OSSL_PKEY_PARAM_RSA_E, 0));
    }
    if (algorithm_ == "ES256") {
      return fmt::format(R"({{{},"kty":"EC","crv":"P-256","x":"{}","y":"{}"}})", head,
                         Number(OSSL_PKEY_PARAM_EC_PUB_X, 32),
                         Number(OSSL_PKEY_PARAM_EC_PUB_Y, 32));
    }
    return fmt::format(R"({{{},"kty":"OKP","crv":"Ed25519","x":"{}"}})", head,
                       ToBase64Url(PublicBytes()));
  }

  std::string Sign(const std::string& claims) const {
    return Sign(claims, fmt::format(R"({{"alg":"{}","kid":"{}"}})", algorithm_, id_));
  }
  std::string Sign(const std::string& claims, const std::string& header) const {
    const std::string text = ToBase64Url(header) + "." + ToBase64Url(claims);
    return text + "." + ToBase64Url(Signature(text));
  }

  // What an attacker can do who knows the public key: a token signed with it as an HMAC's secret.
  std::string SignAsHmac(const std::string& claims) const {
    const std::string header = fmt::format(R"({{"alg":"HS256","kid":"{}"}})", id_);
    const std::string text = ToBase64Url(header) + "." + ToBase64Url(claims);
    const std::string secret = Jwk();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
    return text + "." + ToBase64Url({reinterpret_cast<char*>(digest), size});
  }

 private:
  std::string Number(const char* name, int width) const {
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &number);
    std::string bytes(static_cast<size_t>(width > 0 ? width : BN_num_bytes(number)), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
                 static_cast<int>(bytes.size()));
    BN_free(number);
    return ToBase64Url(bytes);
  }
  std::string PublicBytes() const {
    std::string bytes(32, '\0');
    size_t size = bytes.size();
    EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
    return bytes;
  }
  std::string Signature(const std::string& text) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const EVP_MD* digest = algorithm_ == "EdDSA" ? nullptr : EVP_sha256();
    size_t size = 0;
    EVP_DigestSignInit(context, nullptr, digest, nullptr, key_.get());
    EVP_DigestSign(context, nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                   text.size());
    EVP_MD_CTX_free(context);
    signature.resize(size);
    return algorithm_ == "ES256" ? SideBySide(signature) : signature;
  }
  static std::string SideBySide(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    std::string bytes(64, '\0');
    auto* out = reinterpret_cast<unsigned char*>(bytes.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + 32, 32);
    ECDSA_SIG_free(pair);
    return bytes;
  }

  const std::string id_, algorithm_;
  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace jaque::ui
