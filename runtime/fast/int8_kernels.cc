// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_kernels.h"

#include <algorithm>
#include <cstring>

#include "runtime/fast/clones.h"

#ifdef DRAGOMAN_RT_X86
#include <immintrin.h>
#endif

namespace dragoman::rt {
namespace {

void MultiplyPortably(std::int64_t rows, const Int8Lines& left, const char* right,
                      std::int32_t* sums) {
  constexpr std::int64_t kColumns = 16;
  std::int16_t a[2], b[2 * kColumns];
  std::uint32_t row_sums[kColumns];
  for (std::int64_t r = 0; r < rows; ++r) {
    std::memset(row_sums, 0, sizeof row_sums);
    const char* panel = right;
    for (std::int64_t run = 0; run < left.num_runs; ++run) {
      const char* line = left.starts[r] + left.runs[run];
      for (std::int64_t word = 0; word < left.words; ++word, panel += sizeof b) {
        std::memcpy(a, line + word * kInt8Word, sizeof a);
        std::memcpy(b, panel, sizeof b);
        for (std::int64_t c = 0; c < kColumns; ++c)
          row_sums[c] += static_cast<std::uint32_t>(a[0] * b[2 * c] + a[1] * b[2 * c + 1]);
      }
    }
    std::memcpy(sums + r * kColumns, row_sums, sizeof row_sums);
  }
}

constexpr Int8Kernel kPortable = {"int8:portable", 16, MultiplyPortably, nullptr};

#ifdef DRAGOMAN_RT_X86

std::int32_t FactorsAt(const char* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// A loop an instruction set, spelled out: attribute `target` takes no template argument, and what
// is inlined from intrinsics needs it.
template <int kRows>
__attribute__((target("avx2"))) void MultiplyAvx2(const Int8Lines& left, const char* right,
                                                  std::int32_t* sums) {
  __m256i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_si256();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const char* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < kInt8Word * left.words; i += kInt8Word, right += 64) {
      const __m256i b0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right));
      const __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right + 32));
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m256i a = _mm256_set1_epi32(FactorsAt(lines[r] + i));
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
                                                                const char* right,
                                                                std::int32_t* sums) {
  __m512i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const char* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < kInt8Word * left.words; i += kInt8Word, right += 128) {
      const __m512i b0 = _mm512_loadu_si512(right);
      const __m512i b1 = _mm512_loadu_si512(right + 64);
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m512i a = _mm512_set1_epi32(FactorsAt(lines[r] + i));
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

// sums plus the products of the depths of a word: two of 16 bits, or four bytes.
struct Words {
  DRAGOMAN_RT_INLINE __attribute__((target("avx512f,avx512vnni"))) static __m512i Add(__m512i sums,
                                                                                      __m512i a,
                                                                                      __m512i b) {
    return _mm512_dpwssd_epi32(sums, a, b);
  }
};

struct Bytes {
  DRAGOMAN_RT_INLINE __attribute__((target("avx512f,avx512vnni"))) static __m512i Add(__m512i sums,
                                                                                      __m512i a,
                                                                                      __m512i b) {
    return _mm512_dpbusd_epi32(sums, a, b);
  }
};

template <class Products, int kRows>
__attribute__((target("avx512f,avx512bw,avx512vnni"))) void MultiplyVnni(const Int8Lines& left,
                                                                         const char* right,
                                                                         std::int32_t* sums) {
  __m512i low[kRows], high[kRows];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  for (std::int64_t run = 0; run < left.num_runs; ++run) {
    const char* lines[kRows];
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) lines[r] = left.starts[r] + left.runs[run];
    for (std::int64_t i = 0; i < kInt8Word * left.words; i += kInt8Word, right += 128) {
      const __m512i b0 = _mm512_loadu_si512(right);
      const __m512i b1 = _mm512_loadu_si512(right + 64);
      DRAGOMAN_RT_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m512i a = _mm512_set1_epi32(FactorsAt(lines[r] + i));
        low[r] = Products::Add(low[r], a, b0);
        high[r] = Products::Add(high[r], a, b1);
      }
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_si512(sums + 32 * r, low[r]);
    _mm512_storeu_si512(sums + 32 * r + 16, high[r]);
  }
}

using Int8Loop = void (*)(const Int8Lines&, const char*, std::int32_t*);

template <const Int8Loop* kLoops>
void MultiplyLines(std::int64_t rows, const Int8Lines& left, const char* right,
                   std::int32_t* sums) {
  kLoops[rows - 1](left, right, sums);
}

constexpr Int8Loop kAvx2Loops[] = {MultiplyAvx2<1>, MultiplyAvx2<2>, MultiplyAvx2<3>,
                                   MultiplyAvx2<4>, MultiplyAvx2<5>, MultiplyAvx2<6>};
constexpr Int8Loop kAvx512Loops[] = {MultiplyAvx512<1>, MultiplyAvx512<2>, MultiplyAvx512<3>,
                                     MultiplyAvx512<4>, MultiplyAvx512<5>, MultiplyAvx512<6>};
template <class Products>
constexpr Int8Loop kVnniLoops[] = {MultiplyVnni<Products, 1>, MultiplyVnni<Products, 2>,
                                   MultiplyVnni<Products, 3>, MultiplyVnni<Products, 4>,
                                   MultiplyVnni<Products, 5>, MultiplyVnni<Products, 6>};

constexpr Int8Kernel kAvx2 = {"int8:avx2", 16, MultiplyLines<kAvx2Loops>, nullptr};
constexpr Int8Kernel kAvx512 = {"int8:avx512", 32, MultiplyLines<kAvx512Loops>, nullptr};
constexpr Int8Kernel kVnni = {"int8:avx512_vnni", 32, MultiplyLines<kVnniLoops<Words>>,
                              MultiplyLines<kVnniLoops<Bytes>>};

bool HasAvx512() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"); }

#endif

struct Choice {
  const Int8Kernel* kernel;
  bool (*is_usable)();
};

// The fastest first.
constexpr Choice kChoices[] = {
#ifdef DRAGOMAN_RT_X86
    {&kVnni, [] { return HasAvx512() && __builtin_cpu_supports("avx512vnni") != 0; }},
    {&kAvx512, HasAvx512},
    {&kAvx2, [] { return __builtin_cpu_supports("avx2") != 0; }},
#endif
    {&kPortable, [] { return true; }},
};

}  // namespace

void AppendColumnSums(const Int8Kernel& kernel, const char* packed, std::int64_t columns,
                      std::int64_t words, std::vector<std::int32_t>& sums) {
  constexpr std::int64_t kRun = 0;
  const std::vector<char> ones(static_cast<std::size_t>(words * kInt8Word), 1);
  const Int8Lines line{{ones.data()}, &kRun, 1, words};
  alignas(64) std::int32_t of_panel[kMaxInt8Columns];
  for (std::int64_t first = 0; first < columns; first += kernel.columns) {
    kernel.multiply_bytes(1, line, packed + first * words * kInt8Word, of_panel);
    sums.insert(sums.end(), of_panel, of_panel + std::min(kernel.columns, columns - first));
  }
}

std::vector<const Int8Kernel*> UsableInt8Kernels() {
  std::vector<const Int8Kernel*> usable;
  for (const Choice& choice : kChoices) {
    if (choice.is_usable()) usable.push_back(choice.kernel);
  }
  return usable;
}

const Int8Kernel& ChooseInt8Kernel() noexcept {
  const Choice* choice = kChoices;
  while (!choice->is_usable()) ++choice;
  return *choice->kernel;
}

}  // namespace dragoman::rt
