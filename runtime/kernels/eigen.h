// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigen: eigenvalues and right eigenvectors of square matrices, as LAPACK's geev gives them.
#ifndef DRAGOMAN_RUNTIME_KERNELS_EIGEN_H_
#define DRAGOMAN_RUNTIME_KERNELS_EIGEN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/kernels/balance.h"
#include "runtime/kernels/schur.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/eigen.h"

namespace dragoman::rt {

// The eigenvalues on the diagonal of a Schur form, that of a block with the positive imaginary part
// first.
inline void ReadEigenvalues(const ComplexDouble* t, std::int64_t n, ComplexDouble* values) {
  for (std::int64_t k = 0; k < n; ++k) {
    values[k] = t[k * n + k];
    if (k + 1 == n || t[(k + 1) * n + k] == 0.0) continue;
    const double root =
        std::sqrt(std::abs(t[k * n + k + 1])) * std::sqrt(std::abs(t[(k + 1) * n + k]));
    values[k] = {t[k * n + k].real(), root};
    values[k + 1] = std::conj(values[k]);
    ++k;
  }
}

// x, from element `end` - 1 down, of (T - value)·x = 0; elements from `end` on are there. What
// would divide by zero, as multiple eigenvalues do, divides by `least`.
inline void SolveUpwards(const ComplexDouble* t, std::int64_t n, ComplexDouble value,
                         std::int64_t end, double least, ComplexDouble* x) {
  const auto rest = [&](std::int64_t i, std::int64_t from) {
    ComplexDouble sum = 0;
    for (std::int64_t j = from; j < n; ++j) sum -= t[i * n + j] * x[j];
    return sum;
  };
  const auto divisor = [&](ComplexDouble d) { return std::abs(d) < least ? least : d; };
  for (std::int64_t i = end - 1; i >= 0; --i) {
    const ComplexDouble own = t[i * n + i] - value;
    const ComplexDouble below = i > 0 ? t[i * n + i - 1] : 0;
    if (below == 0.0) {
      x[i] = rest(i, i + 1) / divisor(own);
      continue;
    }
    // Both rows of a block at once.
    const ComplexDouble above = t[(i - 1) * n + i], first = t[(i - 1) * n + i - 1] - value;
    const ComplexDouble a = rest(i - 1, i + 1), b = rest(i, i + 1);
    const ComplexDouble det = divisor(first * own - above * below);
    x[i - 1] = (a * own - above * b) / det;
    x[i] = (first * b - below * a) / det;
    --i;
  }
}

// Of length 1, with a real element where it is largest; real ones are left with their sign.
inline void NormaliseVector(ComplexDouble* v, std::int64_t n, std::int64_t stride, bool is_real,
                            bool may_be_negative) {
  double length = 0;
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    length = std::hypot(length, std::abs(v[i * stride]));
    if (std::norm(v[i * stride]) > std::norm(v[largest * stride])) largest = i;
  }
  ComplexDouble factor = length > 0 ? 1 / length : 1;
  const ComplexDouble top = v[largest * stride];
  if (!is_real && top != 0.0) {
    factor *= std::conj(top) / std::abs(top);
    if (may_be_negative && top.real() < 0) factor = -factor;
  }
  for (std::int64_t i = 0; i < n; ++i) v[i * stride] *= factor;
  if (!is_real) v[largest * stride] = v[largest * stride].real();
}

// Columns of `vectors`, for the Schur form Z·T·Z* and its eigenvalues; x: n elements.
inline void FindEigenvectors(const ComplexDouble* t, const ComplexDouble* z, std::int64_t n,
                             const ComplexDouble* values, double epsilon, ComplexDouble* x,
                             ComplexDouble* vectors) {
  double size = 0;
  for (std::int64_t i = 0; i < n * n; ++i) size = std::max(size, std::abs(t[i]));
  const double least = std::max(size * epsilon, std::numeric_limits<double>::min());
  for (std::int64_t k = 0; k < n; ++k) {
    const bool pair = k + 1 < n && t[(k + 1) * n + k] != 0.0;
    std::fill(x, x + n, ComplexDouble(0));
    x[k] = 1;
    if (pair) {
      const double above = t[k * n + k + 1].real(), below = t[(k + 1) * n + k].real();
      const double root = values[k].imag();
      const bool first = std::abs(above) >= std::abs(below);
      x[k] = first ? 1 : -root / below;
      x[k + 1] = {0, first ? root / above : 1};
    }
    SolveUpwards(t, n, values[k], k, least, x);
    for (std::int64_t i = 0; i < n; ++i) {
      ComplexDouble sum = 0;
      for (std::int64_t j = 0; j <= k + (pair ? 1 : 0); ++j) sum += z[i * n + j] * x[j];
      vectors[i * n + k] = sum;
    }
    if (!pair) continue;
    for (std::int64_t i = 0; i < n; ++i) vectors[i * n + k + 1] = std::conj(vectors[i * n + k]);
    ++k;
  }
}

// Each of length 1; those of the eigenvalues of a real matrix that are not real, in pairs.
inline void NormaliseVectors(const ComplexDouble* values, bool complex, ComplexDouble* vectors,
                             std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const bool pair = !complex && values[k].imag() != 0;
    NormaliseVector(vectors + k, n, n, !complex && !pair, !complex);
    if (!pair) continue;
    for (std::int64_t i = 0; i < n; ++i) vectors[i * n + k + 1] = std::conj(vectors[i * n + k]);
    ++k;
  }
}

inline std::int64_t EigenSize(const EigenParams& p, const Shape& shape) {
  return shape[shape.size() - (p.complex ? 2 : 1)];
}

template <class T>
std::int64_t EigenScratchBytes(const EigenParams& p, TensorView<const T> x,
                               TensorView<T> /*values*/, TensorView<T> /*vectors*/) {
  const std::int64_t n = EigenSize(p, x.shape);
  return (3 * n + 3) * n * static_cast<std::int64_t>(sizeof(ComplexDouble));
}

template <class T>
void StorePairs(const ComplexDouble* from, std::int64_t size, std::int64_t i, TensorView<T> y) {
  for (std::int64_t k = 0; y.present() && k < size; ++k) {
    y[2 * (i * size + k)] = static_cast<T>(from[k].real());
    y[2 * (i * size + k) + 1] = static_cast<T>(from[k].imag());
  }
}

// The Schur form of matrix `t` once it is balanced, that of a real one by way of `reals`, 2·n·n
// numbers. Whether it was found.
inline bool FindSchur(ComplexDouble* t, ComplexDouble* z, std::int64_t n, bool complex,
                      double epsilon, double* reals, Balance* balance, double* scale) {
  if (complex) {
    *balance = Balancer(t, n, scale).Run();
    return FactorSchur(t, z, n, epsilon);
  }
  for (std::int64_t i = 0; i < n * n; ++i) reals[i] = t[i].real();
  *balance = Balancer(reals, n, scale).Run();
  const bool found = FactorSchur(reals, reals + n * n, n, epsilon);
  for (std::int64_t i = 0; i < n * n; ++i) {
    t[i] = reals[i];
    z[i] = reals[n * n + i];
  }
  return found;
}

// values (…, n, 2) and vectors (…, n, n, 2), in columns; NaN where elements are infinite or NaN.
template <class T>
void Eigen(const EigenParams& p, TensorView<const T> x, TensorView<T> values, TensorView<T> vectors,
           void* scratch) {
  constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
  const std::int64_t n = EigenSize(p, x.shape);
  const std::int64_t count = n == 0 ? 0 : ProductOfSizes(values.shape, 0, values.shape.size() - 2);
  auto* t = static_cast<ComplexDouble*>(scratch);
  ComplexDouble *z = t + n * n, *columns = z + n * n, *w = columns + n * n, *y = w + n;
  auto* scale = reinterpret_cast<double*>(y + n);
  for (std::int64_t b = 0; b < count; ++b) {
    bool finite = true;
    for (std::int64_t i = 0; i < n * n; ++i) {
      const std::int64_t at = b * n * n + i;
      t[i] = p.complex ? ComplexDouble(x[2 * at], x[2 * at + 1]) : ComplexDouble(x[at]);
      finite = finite && std::isfinite(t[i].real()) && std::isfinite(t[i].imag());
    }
    Balance balance;
    if (finite && FindSchur(t, z, n, p.complex, kEpsilon, reinterpret_cast<double*>(columns),
                            &balance, scale)) {
      ReadEigenvalues(t, n, w);
      FindEigenvectors(t, z, n, w, kEpsilon, y, columns);
      UndoBalance(balance, scale, columns, n);
      NormaliseVectors(w, p.complex, columns, n);
    } else {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      std::fill(w, w + n, ComplexDouble(kNone, kNone));
      std::fill(columns, columns + n * n, ComplexDouble(kNone, kNone));
    }
    StorePairs(w, n, b, values);
    StorePairs(columns, n * n, b, vectors);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_EIGEN_H_
