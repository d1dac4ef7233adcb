// SPDX-License-Identifier: Apache-2.0
#include "ui/key_set.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <optional>

#include "expression/json.h"
#include "fmt/format.h"
#include "ui/digest.h"

namespace jaque::ui {
namespace {

constexpr int kRsaBits = 2048;  // at least
constexpr size_t kKeys = 100;
constexpr size_t kCoordinateBytes = 32;  // of P-256
constexpr size_t kEd25519Bytes = 32;

struct Free {
  void operator()(BIGNUM* n) const { BN_free(n); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;
using KeyPtr = std::shared_ptr<evp_pkey_st>;

const unsigned char* Bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

KeyPtr MakeKey(const char* kind, OSSL_PARAM_BLD* builder) {
  const Owned<OSSL_PARAM> parameters(OSSL_PARAM_BLD_to_param(builder));
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return nullptr;
  }
  return KeyPtr(key, &EVP_PKEY_free);
}

std::optional<std::string> Member(const Value& jwk, std::string_view name) {
  return FromBase64Url(jwk.StringOr(name, "="));
}

KeyPtr RsaKey(const Value& jwk) {
  const auto n = Member(jwk, "n"), e = Member(jwk, "e");
  if (!n || !e) return nullptr;
  const Owned<BIGNUM> modulus(BN_bin2bn(Bytes(*n), static_cast<int>(n->size()), nullptr));
  const Owned<BIGNUM> exponent(BN_bin2bn(Bytes(*e), static_cast<int>(e->size()), nullptr));
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  KeyPtr key = MakeKey("RSA", builder.get());
  return key != nullptr && EVP_PKEY_get_bits(key.get()) >= kRsaBits ? key : nullptr;
}

KeyPtr P256Key(const Value& jwk) {
  const auto x = Member(jwk, "x"), y = Member(jwk, "y");
  if (jwk.StringOr("crv", "") != "P-256" || !x || !y || x->size() != kCoordinateBytes ||
      y->size() != kCoordinateBytes) {
    return nullptr;
  }
  const std::string point = "\x04" + *x + *y;
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  return MakeKey("EC", builder.get());
}

KeyPtr Ed25519Key(const Value& jwk) {
  const auto x = Member(jwk, "x");
  if (jwk.StringOr("crv", "") != "Ed25519" || !x || x->size() != kEd25519Bytes) return nullptr;
  EVP_PKEY* const key =
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(*x), x->size());
  return key != nullptr ? KeyPtr(key, &EVP_PKEY_free) : nullptr;
}

// JOSE has r and s side by side, OpenSSL wants them as DER.
std::optional<std::string> DerOf(const std::string& signature) {
  if (signature.size() != 2 * kCoordinateBytes) return std::nullopt;
  const Owned<ECDSA_SIG> pair(ECDSA_SIG_new());
  BIGNUM* const r = BN_bin2bn(Bytes(signature), kCoordinateBytes, nullptr);
  BIGNUM* const s = BN_bin2bn(Bytes(signature) + kCoordinateBytes, kCoordinateBytes, nullptr);
  ECDSA_SIG_set0(pair.get(), r, s);  // owns them now
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return std::nullopt;
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

bool HasSigned(EVP_PKEY* key, const std::string& algorithm, const JsonWebToken& token) {
  std::string signature = token.signature;
  if (algorithm == "ES256") {
    const std::optional<std::string> der = DerOf(signature);
    if (!der) return false;
    signature = *der;
  }
  const EVP_MD* const digest = algorithm == "EdDSA" ? nullptr : EVP_sha256();
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(),
                          Bytes(token.signed_text), token.signed_text.size()) == 1;
}

}  // namespace

absl::StatusOr<KeySet> KeySet::Parse(std::string_view json) {
  const absl::StatusOr<Value> document = ParseJson(json);
  const Value* const keys =
      document.ok() && document->is_object() ? document->Find("keys") : nullptr;
  if (keys == nullptr || !keys->is_array()) {
    return absl::InvalidArgumentError("this is no JSON Web Key Set");
  }
  KeySet set;
  for (size_t i = 0; i < keys->size() && set.keys_.size() < kKeys; ++i) {
    const Value& jwk = keys->at(i);
    if (!jwk.is_object() || jwk.StringOr("use", "sig") != "sig") continue;
    const std::string_view kind = jwk.StringOr("kty", "");
    Key key;
    key.id = jwk.StringOr("kid", "");
    key.algorithm = kind == "RSA" ? "RS256" : kind == "EC" ? "ES256" : "EdDSA";
    if (jwk.StringOr("alg", key.algorithm) != key.algorithm) continue;
    if (kind == "RSA") key.key = RsaKey(jwk);
    if (kind == "EC") key.key = P256Key(jwk);
    if (kind == "OKP") key.key = Ed25519Key(jwk);
    if (key.key != nullptr) set.keys_.push_back(std::move(key));
  }
  return set;
}

absl::Status KeySet::Verify(const JsonWebToken& token) const {
  bool found = false;
  for (const Key& key : keys_) {
    if (token.key_id.empty() ? keys_.size() != 1 : key.id != token.key_id) continue;
    found = true;
    if (key.algorithm == token.algorithm && HasSigned(key.key.get(), key.algorithm, token)) {
      return absl::OkStatus();
    }
  }
  if (!found) return absl::NotFoundError("the token is signed with a key that the issuer has not");
  return absl::UnauthenticatedError("the token is not signed by the issuer");
}

}  // namespace jaque::ui
