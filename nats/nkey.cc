// SPDX-License-Identifier: Apache-2.0
#include "nats/nkey.h"

#include <openssl/evp.h>

#include <cstdint>
#include <memory>

#include "absl/strings/str_split.h"

namespace jaque::nats {
namespace {

constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr size_t kKeyBytes = 32;
constexpr size_t kSeedText = 58;          // 2 bytes of kind, the key, 2 of checksum
constexpr unsigned char kSeed = 18 << 3;  // "S"
constexpr unsigned char kUser = 20 << 3;  // "U"

std::string Decode(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value = kBase32.find(c);
    if (value == std::string_view::npos) return "";
    bits = bits << 5 | static_cast<uint32_t>(value);
    if ((count += 5) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

std::string Encode(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 5; count -= 5) text += kBase32[bits >> (count - 5) & 31];
  }
  if (count > 0) text += kBase32[bits << (5 - count) & 31];
  return text;
}

// CRC-16/XMODEM, low byte first.
std::string Checksum(std::string_view bytes) {
  uint16_t crc = 0;
  for (const char c : bytes) {
    crc ^= static_cast<uint16_t>(static_cast<unsigned char>(c) << 8);
    for (int bit = 0; bit < 8; ++bit) {
      crc = static_cast<uint16_t>((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1);
    }
  }
  return {static_cast<char>(crc & 255), static_cast<char>(crc >> 8)};
}

// The private key of a user's seed, "" if it is none.
std::string PrivateKey(std::string_view seed) {
  const std::string bytes = Decode(seed);
  if (bytes.size() != kKeyBytes + 4) return "";
  const std::string_view body(bytes.data(), kKeyBytes + 2);
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  const auto kind = static_cast<unsigned char>((first & 7) << 5 | second >> 3);
  const bool good =
      (first & 0xf8) == kSeed && kind == kUser && bytes.substr(body.size()) == Checksum(body);
  return good ? bytes.substr(2, kKeyBytes) : "";
}

}  // namespace

absl::StatusOr<std::string> PublicKeyOfSeed(std::string_view text) {
  for (const absl::string_view word :
       absl::StrSplit(absl::string_view(text.data(), text.size()), absl::ByAnyChar(" \t\r\n"),
                      absl::SkipEmpty())) {
    if (word.size() != kSeedText || word.substr(0, 2) != "SU") continue;
    const std::string secret = PrivateKey(std::string_view(word.data(), word.size()));
    if (secret.empty()) continue;
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                     reinterpret_cast<const unsigned char*>(secret.data()),
                                     secret.size()),
        &EVP_PKEY_free);
    std::string body(1 + kKeyBytes, static_cast<char>(kUser));
    size_t size = kKeyBytes;
    if (key == nullptr || EVP_PKEY_get_raw_public_key(
                              key.get(), reinterpret_cast<unsigned char*>(&body[1]), &size) != 1) {
      continue;
    }
    return Encode(body + Checksum(body));
  }
  return absl::InvalidArgumentError("there is no user's nkey seed (SU…) in it");
}

}  // namespace jaque::nats
