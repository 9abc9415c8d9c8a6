#include "runtime/fast/int8_kernels.h"

#include <cstring>

#include "runtime/fast/clones.h"

#ifdef DRAGOMAN_RT_X86
#include <immintrin.h>
#endif

namespace dragoman::rt {
namespace {

void MultiplyPortably(std::int64_t rows, const Int8Lines& left, const std::int16_t* right,
                      std::int32_t* sums) {
  constexpr std::int64_t kColumns = 16;
  std::uint32_t row_sums[kColumns];
  for (std::int64_t r = 0; r < rows; ++r) {
    std::memset(row_sums, 0, sizeof row_sums);
    const std::int16_t* b = right;
    for (std::int64_t run = 0; run < left.num_runs; ++run) {
      const std::int16_t* a = left.starts[r] + left.runs[run];
      for (std::int64_t pair = 0; pair < left.pairs; ++pair, a += 2, b += 2 * kColumns) {
        for (std::int64_t c = 0; c < kColumns; ++c)
          row_sums[c] += static_cast<std::uint32_t>(a[0] * b[2 * c] + a[1] * b[2 * c + 1]);
      }
    }
    std::memcpy(sums + r * kColumns, row_sums, sizeof row_sums);
  }
}

constexpr Int8Kernel kPortable = {"int8:portable", 16, MultiplyPortably};

#ifdef DRAGOMAN_RT_X86

std::int32_t PairAt(const std::int16_t* pair) {
  std::int32_t both;
  std::memcpy(&both, pair, sizeof both);
  return both;
}

template <int kRows>
__attribute__((target("avx2"))) void MultiplyAvx2(const Int8Lines& left, const std::int16_t* right,
                                                  std::int32_t* sums) {
  __m256i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_si256();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const std::int16_t* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < 2 * left.pairs; i += 2, right += 32) {
      const __m256i b0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right));
      const __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right + 16));
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m256i a = _mm256_set1_epi32(PairAt(lines[r] + i));
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(a, b0));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(a, b1));
      }
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 16 * r), low[r]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 16 * r + 8), high[r]);
  }
}

template <int kRows>
__attribute__((target("avx512f,avx512bw"))) void MultiplyAvx512(const Int8Lines& left,
                                                                const std::int16_t* right,
                                                                std::int32_t* sums) {
  __m512i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const std::int16_t* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < 2 * left.pairs; i += 2, right += 64) {
      const __m512i b0 = _mm512_loadu_si512(right);
      const __m512i b1 = _mm512_loadu_si512(right + 32);
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m512i a = _mm512_set1_epi32(PairAt(lines[r] + i));
        low[r] = _mm512_add_epi32(low[r], _mm512_madd_epi16(a, b0));
        high[r] = _mm512_add_epi32(high[r], _mm512_madd_epi16(a, b1));
      }
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_si512(sums + 32 * r, low[r]);
    _mm512_storeu_si512(sums + 32 * r + 16, high[r]);
  }
}

template <int kRows>
__attribute__((target("avx512f,avx512bw,avx512vnni"))) void MultiplyVnni(const Int8Lines& left,
                                                                         const std::int16_t* right,
                                                                         std::int32_t* sums) {
  __m512i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const std::int16_t* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < 2 * left.pairs; i += 2, right += 64) {
      const __m512i b0 = _mm512_loadu_si512(right);
      const __m512i b1 = _mm512_loadu_si512(right + 32);
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m512i a = _mm512_set1_epi32(PairAt(lines[r] + i));
        low[r] = _mm512_dpwssd_epi32(low[r], a, b0);
        high[r] = _mm512_dpwssd_epi32(high[r], a, b1);
      }
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_si512(sums + 32 * r, low[r]);
    _mm512_storeu_si512(sums + 32 * r + 16, high[r]);
  }
}

using Loop = void (*)(const Int8Lines&, const std::int16_t*, std::int32_t*);

template <const Loop* kLoops>
void Multiply(std::int64_t rows, const Int8Lines& left, const std::int16_t* right,
              std::int32_t* sums) {
  kLoops[rows - 1](left, right, sums);
}

constexpr Loop kAvx2Loops[] = {MultiplyAvx2<1>, MultiplyAvx2<2>, MultiplyAvx2<3>,
                               MultiplyAvx2<4>, MultiplyAvx2<5>, MultiplyAvx2<6>};
constexpr Loop kAvx512Loops[] = {MultiplyAvx512<1>, MultiplyAvx512<2>, MultiplyAvx512<3>,
                                 MultiplyAvx512<4>, MultiplyAvx512<5>, MultiplyAvx512<6>};
constexpr Loop kVnniLoops[] = {MultiplyVnni<1>, MultiplyVnni<2>, MultiplyVnni<3>,
                               MultiplyVnni<4>, MultiplyVnni<5>, MultiplyVnni<6>};

constexpr Int8Kernel kAvx2 = {"int8:avx2", 16, Multiply<kAvx2Loops>};
constexpr Int8Kernel kAvx512 = {"int8:avx512", 32, Multiply<kAvx512Loops>};
constexpr Int8Kernel kVnni = {"int8:avx512_vnni", 32, Multiply<kVnniLoops>};

#endif

}  // namespace

std::vector<const Int8Kernel*> UsableInt8Kernels() {
  std::vector<const Int8Kernel*> usable;
#ifdef DRAGOMAN_RT_X86
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  if (avx512 && __builtin_cpu_supports("avx512vnni")) usable.push_back(&kVnni);
  if (avx512) usable.push_back(&kAvx512);
  if (__builtin_cpu_supports("avx2")) usable.push_back(&kAvx2);
#endif
  usable.push_back(&kPortable);
  return usable;
}

const Int8Kernel& ChooseInt8Kernel() noexcept {
#ifdef DRAGOMAN_RT_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
    return __builtin_cpu_supports("avx512vnni") ? kVnni : kAvx512;
  if (__builtin_cpu_supports("avx2")) return kAvx2;
#endif
  return kPortable;
}

}  // namespace dragoman::rt
