// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations of row-major matrices of double, in place, as LAPACK defines them.
#ifndef DRAGOMAN_RUNTIME_KERNELS_FACTORS_H_
#define DRAGOMAN_RUNTIME_KERNELS_FACTORS_H_

#include <cmath>
#include <cstdint>
#include <utility>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"

namespace dragoman::rt {

// The last two sizes of a tensor, and the product of the others.
struct Matrices {
  std::int64_t count, rows, columns;

  explicit Matrices(const Shape& shape)
      : count(ProductOfSizes(shape, 0, shape.size() - 2)),
        rows(shape[shape.size() - 2]),
        columns(shape.back()) {}
};

template <class T>
void LoadMatrix(TensorView<const T> x, std::int64_t size, std::int64_t i, double* to) {
  for (std::int64_t k = 0; k < size; ++k) to[k] = static_cast<double>(x[i * size + k]);
}

template <class T>
void StoreMatrix(const double* from, std::int64_t size, std::int64_t i, TensorView<T> y) {
  for (std::int64_t k = 0; y.present() && k < size; ++k)
    y[i * size + k] = static_cast<T>(static_cast<Compute<T>>(from[k]));
}

// P·a = L·U of an m×n matrix by partial pivoting (getrf): L, of unit diagonal, below the diagonal
// and U from it on. Row i was exchanged with row pivots[i], from 0, of which there are min(m, n).
inline void FactorLu(double* a, std::int64_t m, std::int64_t n, std::int64_t* pivots) {
  for (std::int64_t k = 0; k < m && k < n; ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < m; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    pivots[k] = best;
    for (std::int64_t j = 0; best != k && j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    if (a[k * n + k] == 0) continue;
    for (std::int64_t i = k + 1; i < m; ++i) {
      const double factor = a[i * n + k] /= a[k * n + k];
      for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

// a = L·Lᵀ of a symmetric n×n matrix of which the lower half counts (potrf); the upper half becomes
// zero. Gives 0, or the order of the first leading minor that is not positive.
inline std::int64_t FactorCholesky(double* a, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) a[i * n + j] = 0;
    double rest = a[j * n + j];
    for (std::int64_t k = 0; k < j; ++k) rest -= a[j * n + k] * a[j * n + k];
    if (!(rest > 0)) return j + 1;
    const double root = a[j * n + j] = std::sqrt(rest);
    for (std::int64_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / root;
    }
  }
  return 0;
}

// a = Q·R of an m×n matrix (geqrf): R from the diagonal on; below it, without their leading ones,
// the vectors v of the min(m, n) reflections 1 - tau·v·vᵀ whose product is Q.
inline void FactorQr(double* a, std::int64_t m, std::int64_t n, double* tau) {
  for (std::int64_t k = 0; k < m && k < n; ++k) {
    double squares = 0;
    for (std::int64_t i = k + 1; i < m; ++i) squares += a[i * n + k] * a[i * n + k];
    const double alpha = a[k * n + k];
    tau[k] = 0;
    if (squares == 0) continue;
    const double beta = -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
    tau[k] = (beta - alpha) / beta;
    for (std::int64_t i = k + 1; i < m; ++i) a[i * n + k] /= alpha - beta;
    a[k * n + k] = beta;
    for (std::int64_t j = k + 1; j < n; ++j) {
      double sum = a[k * n + j];
      for (std::int64_t i = k + 1; i < m; ++i) sum += a[i * n + k] * a[i * n + j];
      a[k * n + j] -= tau[k] * sum;
      for (std::int64_t i = k + 1; i < m; ++i) a[i * n + j] -= tau[k] * sum * a[i * n + k];
    }
  }
}

// One plane rotation with which [[p, q], [q, r]] becomes diagonal: its cosine and sine.
struct Rotation {
  double c = 1, s = 0;

  Rotation(double p, double q, double r) {
    if (q == 0) return;
    const double theta = (r - p) / (2 * q);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    c = 1 / std::sqrt(t * t + 1);
    s = t * c;
  }
  void Apply(double& x, double& y) const {
    const double first = x;
    x = c * first - s * y;
    y = s * first + c * y;
  }
};

// After so many sweeps over all pairs what is left is rounding.
inline constexpr int kJacobiSweeps = 60;

// a = V·diag(values)·Vᵀ of a symmetric n×n matrix by Jacobi's rotations. Values ascend; v holds the
// vectors as columns. a is overwritten.
inline void FactorSymmetric(double* a, std::int64_t n, double* values, double* v) {
  for (std::int64_t i = 0; i < n * n; ++i) v[i] = i % (n + 1) == 0 ? 1 : 0;
  for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
    double off = 0, all = 0;
    for (std::int64_t i = 0; i < n * n; ++i) {
      all += a[i] * a[i];
      if (i % (n + 1) != 0) off += a[i] * a[i];
    }
    if (off <= 1e-34 * all) break;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const Rotation turn(a[p * n + p], a[p * n + q], a[q * n + q]);
        for (std::int64_t k = 0; k < n; ++k) turn.Apply(a[k * n + p], a[k * n + q]);
        for (std::int64_t k = 0; k < n; ++k) turn.Apply(a[p * n + k], a[q * n + k]);
        for (std::int64_t k = 0; k < n; ++k) turn.Apply(v[k * n + p], v[k * n + q]);
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) values[i] = a[i * n + i];
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t least = i;
    for (std::int64_t j = i + 1; j < n; ++j) {
      if (values[j] < values[least]) least = j;
    }
    if (least == i) continue;
    std::swap(values[i], values[least]);
    for (std::int64_t k = 0; k < n; ++k) std::swap(v[k * n + i], v[k * n + least]);
  }
}

// a = U·diag(values)·Vᵀ of an m×n matrix, m ≥ n, by rotations of its columns (Hestenes): a becomes
// U, v (n×n) holds the vectors of V as columns, values descend. Columns of U for values of 0 are 0.
inline void FactorSvd(double* a, std::int64_t m, std::int64_t n, double* values, double* v) {
  for (std::int64_t i = 0; i < n * n; ++i) v[i] = i % (n + 1) == 0 ? 1 : 0;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kJacobiSweeps; ++sweep) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        double pp = 0, pq = 0, qq = 0;
        for (std::int64_t k = 0; k < m; ++k) {
          pp += a[k * n + p] * a[k * n + p];
          pq += a[k * n + p] * a[k * n + q];
          qq += a[k * n + q] * a[k * n + q];
        }
        if (std::abs(pq) <= 1e-16 * std::sqrt(pp * qq)) continue;
        rotated = true;
        const Rotation turn(pp, pq, qq);
        for (std::int64_t k = 0; k < m; ++k) turn.Apply(a[k * n + p], a[k * n + q]);
        for (std::int64_t k = 0; k < n; ++k) turn.Apply(v[k * n + p], v[k * n + q]);
      }
    }
  }
  for (std::int64_t j = 0; j < n; ++j) {
    double squares = 0;
    for (std::int64_t k = 0; k < m; ++k) squares += a[k * n + j] * a[k * n + j];
    values[j] = std::sqrt(squares);
    for (std::int64_t k = 0; squares > 0 && k < m; ++k) a[k * n + j] /= values[j];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t most = i;
    for (std::int64_t j = i + 1; j < n; ++j) {
      if (values[j] > values[most]) most = j;
    }
    if (most == i) continue;
    std::swap(values[i], values[most]);
    for (std::int64_t k = 0; k < m; ++k) std::swap(a[k * n + i], a[k * n + most]);
    for (std::int64_t k = 0; k < n; ++k) std::swap(v[k * n + i], v[k * n + most]);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_FACTORS_H_
