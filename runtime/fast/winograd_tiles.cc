// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/winograd_tiles.h"

#include "runtime/fast/clones.h"
#include "runtime/fast/vector_floats.h"

namespace dragoman::rt {
namespace {

constexpr int kTile = kWinogradTile, kResults = kWinogradResults, kPoints = kWinogradPoints;

// Bᵀ d of one column or row.
template <class Vector>
DRAGOMAN_RT_INLINE void TransformLine(const Vector* d, Vector* to, std::int64_t stride) {
  const Vector even = d[4] - d[2] * 4.0f, odd = d[3] - d[1] * 4.0f;
  const Vector far = d[4] - d[2], step = (d[3] - d[1]) * 2.0f;
  to[0] = d[0] * 4.0f - d[2] * 5.0f + d[4];
  to[stride] = even + odd;
  to[2 * stride] = even - odd;
  to[3 * stride] = far + step;
  to[4 * stride] = far - step;
  to[5 * stride] = d[1] * 4.0f - d[3] * 5.0f + d[5];
}

// Aᵀ m of one column or row.
template <class Vector>
DRAGOMAN_RT_INLINE void FinishLine(const Vector* m, Vector* to, std::int64_t stride) {
  const Vector near_sum = m[1] + m[2], near_difference = m[1] - m[2];
  const Vector far_sum = m[3] + m[4], far_difference = m[3] - m[4];
  to[0] = m[0] + near_sum + far_sum;
  to[stride] = near_difference + far_difference * 2.0f;
  to[2 * stride] = near_sum + far_sum * 4.0f;
  to[3 * stride] = near_difference + far_difference * 8.0f + m[5];
}

template <class Floats>
struct Loops {
  using Vector = typename Floats::Vector;
  using Unaligned = typename Floats::Unaligned;

  DRAGOMAN_RT_INLINE static const Unaligned* At(const float* data, std::int64_t floats) {
    return reinterpret_cast<const Unaligned*>(data + floats);
  }
  DRAGOMAN_RT_INLINE static Unaligned* At(float* data, std::int64_t floats) {
    return reinterpret_cast<Unaligned*>(data + floats);
  }

  // Column by column, with zeros for what does not exist.
  DRAGOMAN_RT_INLINE static void Pad(const float* from, const WinogradPatch& patch, Vector* to) {
    for (int i = 0; i < kPoints; ++i) to[i] = Vector{};
    for (std::int64_t j = patch.left; j < patch.right; ++j) {
      for (std::int64_t i = patch.top; i < patch.bottom; ++i)
        to[j * kTile + i] = At(from, j * patch.column + i * patch.row)->vector;
    }
  }

  DRAGOMAN_RT_INLINE static void Transform(const float* from, const WinogradPatch& patch, float* to,
                                           std::int64_t point) {
    Vector half[kPoints], line[kTile], made[kTile];
    const bool whole = patch.bottom - patch.top == kTile && patch.right - patch.left == kTile;
    Vector padded[kPoints];
    std::int64_t row = patch.row, column = patch.column;
    if (!whole) {
      Pad(from, patch, padded);
      from = reinterpret_cast<const float*>(padded);
      row = Floats::kCount;
      column = kTile * row;
    }
    DRAGOMAN_RT_UNROLL
    for (int j = 0; j < kTile; ++j) {
      DRAGOMAN_RT_UNROLL
      for (int i = 0; i < kTile; ++i) line[i] = At(from, j * column + i * row)->vector;
      TransformLine<Vector>(line, half + j, kTile);
    }
    DRAGOMAN_RT_UNROLL
    for (int i = 0; i < kTile; ++i) {
      TransformLine<Vector>(half + i * kTile, made, 1);
      DRAGOMAN_RT_UNROLL
      for (int j = 0; j < kTile; ++j) At(to, (i * kTile + j) * point)->vector = made[j];
    }
  }

  DRAGOMAN_RT_INLINE static void Finish(const float* from, std::int64_t point, const float* bias,
                                        float* to) {
    Vector half[kResults * kTile], line[kTile], made[kResults];
    DRAGOMAN_RT_UNROLL
    for (int j = 0; j < kTile; ++j) {
      DRAGOMAN_RT_UNROLL
      for (int i = 0; i < kTile; ++i) line[i] = At(from, (i * kTile + j) * point)->vector;
      FinishLine<Vector>(line, half + j, kTile);
    }
    DRAGOMAN_RT_UNROLL
    for (int i = 0; i < kResults; ++i) {
      FinishLine<Vector>(half + i * kTile, made, 1);
      DRAGOMAN_RT_UNROLL
      for (int j = 0; j < kResults; ++j)
        At(to, (i * kResults + j) * Floats::kCount)->vector = made[j] + At(bias, 0)->vector;
    }
  }

  DRAGOMAN_RT_INLINE static void Add(const float* from, const WinogradPatch& patch,
                                     float* results) {
    for (std::int64_t i = patch.top; i < patch.bottom; ++i) {
      for (std::int64_t j = patch.left; j < patch.right; ++j)
        At(results, (i * kResults + j) * Floats::kCount)->vector +=
            At(from, i * patch.row + j * patch.column)->vector;
    }
  }

  DRAGOMAN_RT_INLINE static void Store(const float* results, const WinogradPatch& patch,
                                       float* to) {
    for (std::int64_t i = patch.top; i < patch.bottom; ++i) {
      for (std::int64_t j = patch.left; j < patch.right; ++j)
        At(to, i * patch.row + j * patch.column)->vector =
            At(results, (i * kResults + j) * Floats::kCount)->vector;
    }
  }
};

using PortableLoops = Loops<Floats8>;

#ifdef DRAGOMAN_RT_X86

struct Avx2Loops {
  DRAGOMAN_RT_AVX2 static void Transform(const float* from, const WinogradPatch& patch, float* to,
                                         std::int64_t point) {
    Loops<Floats8>::Transform(from, patch, to, point);
  }
  DRAGOMAN_RT_AVX2 static void Finish(const float* from, std::int64_t point, const float* bias,
                                      float* results) {
    Loops<Floats8>::Finish(from, point, bias, results);
  }
  DRAGOMAN_RT_AVX2 static void Add(const float* from, const WinogradPatch& patch, float* results) {
    Loops<Floats8>::Add(from, patch, results);
  }
  DRAGOMAN_RT_AVX2 static void Store(const float* results, const WinogradPatch& patch, float* to) {
    Loops<Floats8>::Store(results, patch, to);
  }
};

struct Avx512Loops {
  DRAGOMAN_RT_AVX512 static void Transform(const float* from, const WinogradPatch& patch, float* to,
                                           std::int64_t point) {
    Loops<Floats16>::Transform(from, patch, to, point);
  }
  DRAGOMAN_RT_AVX512 static void Finish(const float* from, std::int64_t point, const float* bias,
                                        float* results) {
    Loops<Floats16>::Finish(from, point, bias, results);
  }
  DRAGOMAN_RT_AVX512 static void Add(const float* from, const WinogradPatch& patch,
                                     float* results) {
    Loops<Floats16>::Add(from, patch, results);
  }
  DRAGOMAN_RT_AVX512 static void Store(const float* results, const WinogradPatch& patch,
                                       float* to) {
    Loops<Floats16>::Store(results, patch, to);
  }
};

#endif

template <class Set>
constexpr WinogradLoops kLoops = {Set::Transform, Set::Finish, Set::Add, Set::Store};

}  // namespace

WinogradLoops BestWinogradLoops() noexcept {
#ifdef DRAGOMAN_RT_X86
  if (VectorFloats() == Floats16::kCount) return kLoops<Avx512Loops>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kLoops<Avx2Loops>;
#endif
  return kLoops<PortableLoops>;
}

DRAGOMAN_RT_CLONES void TransformWinogradWeights(const float* g, std::int64_t count,
                                                 std::int64_t point, float* to) {
  constexpr double kG[6][3] = {{1.0 / 4, 0, 0},
                               {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                               {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                               {1.0 / 24, 1.0 / 12, 1.0 / 6},
                               {1.0 / 24, -1.0 / 12, 1.0 / 6},
                               {0, 0, 1}};
  constexpr std::int64_t kPairs = kWinogradPairs;
  double weights[9][kPairs] = {}, half[6][3][kPairs], sums[kPairs];
  for (std::int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < 9; ++k) weights[k][i] = g[i * 9 + k];
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int n = 0; n < kPairs; ++n) {
        half[i][j][n] =
            kG[i][0] * weights[j][n] + kG[i][1] * weights[3 + j][n] + kG[i][2] * weights[6 + j][n];
      }
    }
  }
  for (int p = 0; p < kPoints; ++p) {
    const auto& row = half[p / 6];
    const double* factors = kG[p % 6];
    for (int n = 0; n < kPairs; ++n)
      sums[n] = row[0][n] * factors[0] + row[1][n] * factors[1] + row[2][n] * factors[2];
    for (std::int64_t i = 0; i < count; ++i) to[p * point + i] = static_cast<float>(sums[i]);
  }
}

}  // namespace dragoman::rt
