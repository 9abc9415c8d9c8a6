// SPDX-License-Identifier: Apache-2.0
#include "core/support/sha256.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace dragoman {

std::string Sha256Hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace dragoman
