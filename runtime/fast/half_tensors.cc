// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/half_tensors.h"

#include "runtime/fast/clones.h"
#include "runtime/program/memory.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace dragoman::rt {
namespace {

DRAGOMAN_RT_CLONES void NarrowByParts(const float* from, std::int64_t count, BFloat16* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = BFloat16(from[i]);
}

// By the processor's own instruction, which compilers do not find in the loop above.
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) void NarrowAtOnce(
    const float* from, std::int64_t count, BFloat16* to) {
  for (std::int64_t i = 0; i < count; i += 16) {
    const auto lanes = static_cast<__mmask16>(count - i < 16 ? (1u << (count - i)) - 1 : 0xffffu);
    const __m256bh halves = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, from + i));
    _mm256_mask_storeu_epi16(to + i, lanes, reinterpret_cast<__m256i>(halves));
  }
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
