// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/half_tensors.h"

#include <cstring>

#include "runtime/fast/clones.h"
#include "runtime/fast/vector_floats.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {
namespace {

DRAGOMAN_RT_CLONES void NarrowByParts(const float* from, std::int64_t count, BFloat16* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = BFloat16(from[i]);
}

// By the processor's own instruction, which compilers do not find in the loop above. Written out:
// the header that has it takes longer to compile than all else here.
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512bf16"))) inline void NarrowVector(const float* from,
                                                                       std::int64_t count,
                                                                       BFloat16* to) {
  Floats16::Vector floats = {};
  std::uint16_t __attribute__((vector_size(32))) halves;
  std::memcpy(&floats, from, static_cast<std::size_t>(count) * sizeof(float));
  __asm__("vcvtneps2bf16 %1, %0" : "=v"(halves) : "v"(floats));
  std::memcpy(to, &halves, static_cast<std::size_t>(count) * sizeof(BFloat16));
}

__attribute__((target("avx512f,avx512bf16"))) void NarrowAtOnce(const float* from,
                                                                std::int64_t count, BFloat16* to) {
  std::int64_t i = 0;
  for (; i + Floats16::kCount <= count; i += Floats16::kCount)
    NarrowVector(from + i, Floats16::kCount, to + i);
  if (i < count) NarrowVector(from + i, count - i, to + i);
}
#else
constexpr auto NarrowAtOnce = NarrowByParts;
#endif

}  // namespace

DRAGOMAN_RT_CLONES void Widen(const BFloat16* from, std::int64_t count, float* to) noexcept {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

void Narrow(const float* from, std::int64_t count, BFloat16* to) noexcept {
  static const auto narrow = HasArithmetic(Precision::kBF16) ? NarrowAtOnce : NarrowByParts;
  narrow(from, count, to);
}

void WideCopies::Create(const ElementTypes& types, std::int64_t x_size, std::int64_t y_size,
                        std::int64_t offset) {
  const auto bytes = [](Precision type, std::int64_t size) {
    return type == Precision::kF32 ? 0 : AlignedBytes(size * std::int64_t{sizeof(float)});
  };
  x_size_ = x_size;
  y_size_ = y_size;
  offset_ = offset;
  x_bytes_ = bytes(types.x, x_size);
  y_bytes_ = bytes(types.y, y_size);
}

}  // namespace dragoman::rt
