// SPDX-License-Identifier: Apache-2.0
#include "core/ir/unpack.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dragoman {
namespace {

std::byte UnpackOne(std::byte byte, std::size_t slot, const DTypeInfo& info) {
  const int count = 1 << info.bits;
  const int value = (std::to_integer<int>(byte) >> (static_cast<int>(slot) * info.bits)) % count;
  const bool negative = info.is_integer && info.is_signed && value >= count / 2;
  return static_cast<std::byte>(negative ? value - count : value);
}

}  // namespace

int ElementsPerByte(DType dtype) {
  const int bits = Info(dtype).bits;
  return bits > 0 && bits < 8 ? 8 / bits : 1;
}

void Unpack(const Tensor& tensor, std::span<std::byte> elements) {
  const DTypeInfo& info = Info(tensor.dtype());
  const auto per_byte = static_cast<std::size_t>(ElementsPerByte(info.dtype));
  const std::span<const std::byte> packed = tensor.bytes();
  std::array<std::array<std::byte, 8>, 256> of_byte;
  for (std::size_t byte = 0; byte < of_byte.size(); ++byte) {
    for (std::size_t slot = 0; slot < per_byte; ++slot)
      of_byte[byte][slot] = UnpackOne(static_cast<std::byte>(byte), slot, info);
  }
  for (std::size_t i = 0; i < elements.size(); i += per_byte) {
    const auto& slots = of_byte[std::to_integer<std::size_t>(packed[i / per_byte])];
    std::copy_n(slots.begin(), std::min(per_byte, elements.size() - i), elements.begin() + i);
  }
}

}  // namespace dragoman
