// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as LevelDB tables and TensorFlow's checkpoints have it.
#ifndef DRAGOMAN_CORE_SUPPORT_CRC32C_H_
#define DRAGOMAN_CORE_SUPPORT_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman {

// Of `bytes` after those whose checksum is `before`.
std::uint32_t Crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

// The form in which both store a checksum, so that one of bytes that hold checksums is not weak.
constexpr std::uint32_t MaskCrc32c(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_CRC32C_H_
