// SPDX-License-Identifier: Apache-2.0
#include "core/support/crc32c.h"

#include <array>
#include <cstring>

namespace dragoman {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78U;  // bits reversed
constexpr std::size_t kStride = 8;

using ByteTable = std::array<std::uint32_t, 256>;

// Table k advances a byte by k further bytes, so that eight are looked up at once.
constexpr std::array<ByteTable, kStride> MakeTables() {
  std::array<ByteTable, kStride> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < kStride; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t crc = tables[k - 1][i];
      tables[k][i] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr std::array<ByteTable, kStride> kTables = MakeTables();

}  // namespace

std::uint32_t Crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  while (bytes.size() >= kStride) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < kStride; ++k) {
      crc ^= kTables[kStride - 1 - k][(word >> (8 * k)) & 0xff];
    }
    bytes = bytes.subspan(kStride);
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace dragoman
