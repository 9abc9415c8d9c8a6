// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/indexed_sum.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/vector_floats.h"

#ifdef DRAGOMAN_RT_X86
#include <immintrin.h>
#endif

namespace dragoman::rt {
namespace {

// Sums [begin, count).
using IndexedLoop = void (*)(std::int64_t begin, std::int64_t count, std::int64_t taps,
                             const std::int32_t* index, const float* weight, const float* x,
                             float* y);

void SumByElement(std::int64_t begin, std::int64_t count, std::int64_t taps,
                  const std::int32_t* index, const float* weight, const float* x, float* y) {
  std::fill(y + begin, y + count, 0.0f);
  for (std::int64_t k = 0; k < taps; ++k, index += count, weight += count) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = begin; i < count; ++i) {
      const float v = x[index[i]] * weight[i];
      y[i] += weight[i] != 0.0f ? v : 0.0f;
    }
  }
}

// By instructions that load by index, which compilers do not choose by themselves.
#ifdef DRAGOMAN_RT_X86
DRAGOMAN_RT_AVX2 void SumByEight(std::int64_t begin, std::int64_t count, std::int64_t taps,
                                 const std::int32_t* index, const float* weight, const float* x,
                                 float* y) {
  const __m256 zero = _mm256_setzero_ps();
  std::int64_t i = begin;
  for (; i + 8 <= count; i += 8) {
    __m256 sum = zero;
    for (std::int64_t at = i; at < taps * count; at += count) {
      const auto* indices = reinterpret_cast<const __m256i*>(index + at);
      const __m256 w = _mm256_loadu_ps(weight + at);
      const __m256 counts = _mm256_cmp_ps(w, zero, _CMP_NEQ_UQ);
      sum += w * _mm256_mask_i32gather_ps(zero, x, _mm256_loadu_si256(indices), counts, 4);
    }
    _mm256_storeu_ps(y + i, sum);
  }
  SumByElement(i, count, taps, index, weight, x, y);
}

DRAGOMAN_RT_AVX512 void SumBySixteen(std::int64_t begin, std::int64_t count, std::int64_t taps,
                                     const std::int32_t* index, const float* weight, const float* x,
                                     float* y) {
  const __m512 zero = _mm512_setzero_ps();
  for (std::int64_t i = begin; i < count; i += 16) {
    const auto lanes = static_cast<__mmask16>(count - i < 16 ? (1u << (count - i)) - 1 : 0xffffu);
    __m512 sum = zero;
    for (std::int64_t at = i; at < taps * count; at += count) {
      const __m512i indices = _mm512_maskz_loadu_epi32(lanes, index + at);
      const __m512 w = _mm512_maskz_loadu_ps(lanes, weight + at);
      const __mmask16 counts = _mm512_cmp_ps_mask(w, zero, _CMP_NEQ_UQ);
      sum += w * _mm512_mask_i32gather_ps(zero, counts, indices, x, 4);
    }
    _mm512_mask_storeu_ps(y + i, lanes, sum);
  }
}
#endif

IndexedLoop ChooseIndexedLoop() {
#ifdef DRAGOMAN_RT_X86
  if (VectorFloats() == 16) return SumBySixteen;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SumByEight;
#endif
  return SumByElement;
}

}  // namespace

void SumIndexed(std::int64_t count, std::int64_t taps, const std::int32_t* index,
                const float* weight, const float* x, float* y) noexcept {
  static const IndexedLoop loop = ChooseIndexedLoop();
  loop(0, count, taps, index, weight, x, y);
}

}  // namespace dragoman::rt
