// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations of the matrices that the last two axes of a tensor hold; all compute in double.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MATRIX_FACTORS_H_
#define DRAGOMAN_RUNTIME_KERNELS_MATRIX_FACTORS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "runtime/kernels/element.h"
#include "runtime/kernels/factors.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T>
std::int64_t DetScratchBytes(TensorView<const T> x, TensorView<T> /*y*/) {
  const std::int64_t n = x.shape.back();
  return n * (n + 1) * static_cast<std::int64_t>(sizeof(double));
}

template <class T>
void Det(TensorView<const T> x, TensorView<T> y, void* scratch) {
  const Matrices m(x.shape);
  const std::int64_t n = m.rows;
  auto* a = static_cast<double*>(scratch);
  auto* pivots = reinterpret_cast<std::int64_t*>(a + n * n);
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(x, n * n, b, a);
    FactorLu(a, n, n, pivots);
    double product = 1;
    for (std::int64_t i = 0; i < n; ++i) product *= pivots[i] == i ? a[i * n + i] : -a[i * n + i];
    y[b] = static_cast<T>(static_cast<Compute<T>>(product));
  }
}

template <class T>
std::int64_t LuFactorScratchBytes(TensorView<const T> x, TensorView<T> /*lu*/,
                                  TensorView<std::int64_t> /*pivots*/,
                                  TensorView<std::int64_t> /*rows*/) {
  const Matrices m(x.shape);
  return (m.rows * m.columns + m.rows) * static_cast<std::int64_t>(sizeof(double));
}

// Row i was exchanged with row pivots[i], from 0; so it was row rows[i] of the matrix.
template <class T>
void LuFactor(TensorView<const T> x, TensorView<T> lu, TensorView<std::int64_t> pivots,
              TensorView<std::int64_t> rows, void* scratch) {
  const Matrices m(x.shape);
  const std::int64_t size = m.rows * m.columns, least = std::min(m.rows, m.columns);
  auto* a = static_cast<double*>(scratch);
  auto* exchanged = reinterpret_cast<std::int64_t*>(a + size);
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(x, size, b, a);
    FactorLu(a, m.rows, m.columns, exchanged);
    StoreMatrix(a, size, b, lu);
    for (std::int64_t i = 0; pivots.present() && i < least; ++i)
      pivots[b * least + i] = exchanged[i];
    if (!rows.present()) continue;
    std::int64_t* order = rows.data + b * m.rows;
    for (std::int64_t i = 0; i < m.rows; ++i) order[i] = i;
    for (std::int64_t i = 0; i < least; ++i) std::swap(order[i], order[exchanged[i]]);
  }
}

template <class T>
std::int64_t CholeskyScratchBytes(TensorView<const T> x, TensorView<T> /*l*/,
                                  TensorView<std::int64_t> /*info*/) {
  const std::int64_t n = x.shape.back();
  return n * n * static_cast<std::int64_t>(sizeof(double));
}

// info: 0, or the order of the first leading minor that is not positive; l is NaN then.
template <class T>
void Cholesky(TensorView<const T> x, TensorView<T> l, TensorView<std::int64_t> info,
              void* scratch) {
  const Matrices m(x.shape);
  auto* a = static_cast<double*>(scratch);
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(x, m.rows * m.rows, b, a);
    const std::int64_t failed = FactorCholesky(a, m.rows);
    if (failed != 0) std::fill_n(a, m.rows * m.rows, std::numeric_limits<double>::quiet_NaN());
    StoreMatrix(a, m.rows * m.rows, b, l);
    if (info.present()) info[b] = failed;
  }
}

template <class T>
std::int64_t HouseholderQrScratchBytes(TensorView<const T> x, TensorView<T> /*factors*/,
                                       TensorView<T> /*tau*/) {
  const Matrices m(x.shape);
  return (m.rows + 1) * m.columns * static_cast<std::int64_t>(sizeof(double));
}

template <class T>
void HouseholderQr(TensorView<const T> x, TensorView<T> factors, TensorView<T> tau, void* scratch) {
  const Matrices m(x.shape);
  const std::int64_t size = m.rows * m.columns;
  auto* a = static_cast<double*>(scratch);
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(x, size, b, a);
    FactorQr(a, m.rows, m.columns, a + size);
    StoreMatrix(a, size, b, factors);
    StoreMatrix(a + size, std::min(m.rows, m.columns), b, tau);
  }
}

template <class T>
std::int64_t HouseholderProductScratchBytes(TensorView<const T> factors,
                                            TensorView<const T> /*tau*/, TensorView<T> /*q*/) {
  const Matrices m(factors.shape);
  return 2 * m.rows * m.columns * static_cast<std::int64_t>(sizeof(double));
}

// The first columns, as many as `factors` has, of the product of the reflections 1 - tau·v·vᵀ whose
// vectors stand below the diagonal.
template <class T>
void HouseholderProduct(TensorView<const T> factors, TensorView<const T> tau, TensorView<T> q,
                        void* scratch) {
  const Matrices m(factors.shape);
  const std::int64_t n = m.columns, size = m.rows * n, count = tau.shape.back();
  auto* v = static_cast<double*>(scratch);
  double* product = v + size;
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(factors, size, b, v);
    for (std::int64_t i = 0; i < size; ++i) product[i] = i % (n + 1) == 0 && i / n < n ? 1 : 0;
    for (std::int64_t k = count; k-- > 0;) {
      const double scale = static_cast<double>(tau[b * count + k]);
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = product[k * n + j];
        for (std::int64_t i = k + 1; i < m.rows; ++i) sum += v[i * n + k] * product[i * n + j];
        product[k * n + j] -= scale * sum;
        for (std::int64_t i = k + 1; i < m.rows; ++i)
          product[i * n + j] -= scale * sum * v[i * n + k];
      }
    }
    StoreMatrix(product, size, b, q);
  }
}

template <class T>
std::int64_t SymmetricEigenScratchBytes(TensorView<const T> x, TensorView<T> /*values*/,
                                        TensorView<T> /*vectors*/) {
  const std::int64_t n = x.shape.back();
  return (2 * n + 1) * n * static_cast<std::int64_t>(sizeof(double));
}

// The lower half of each matrix counts. Values ascend, vectors are columns.
template <class T>
void SymmetricEigen(TensorView<const T> x, TensorView<T> values, TensorView<T> vectors,
                    void* scratch) {
  const Matrices m(x.shape);
  const std::int64_t n = m.rows;
  auto* a = static_cast<double*>(scratch);
  double *v = a + n * n, *w = v + n * n;
  for (std::int64_t b = 0; b < m.count; ++b) {
    LoadMatrix(x, n * n, b, a);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
    }
    FactorSymmetric(a, n, w, v);
    StoreMatrix(w, n, b, values);
    StoreMatrix(v, n * n, b, vectors);
  }
}

template <class T>
std::int64_t SvdScratchBytes(TensorView<const T> x, TensorView<T> /*u*/, TensorView<T> /*s*/,
                             TensorView<T> /*vh*/) {
  const Matrices m(x.shape);
  const std::int64_t least = std::min(m.rows, m.columns);
  return (m.rows * m.columns + (least + 1) * least) * static_cast<std::int64_t>(sizeof(double));
}

// The reduced form: u has as many columns, vh as many rows, as the smaller size. Values descend.
template <class T>
void Svd(TensorView<const T> x, TensorView<T> u, TensorView<T> s, TensorView<T> vh, void* scratch) {
  const Matrices m(x.shape);
  const bool wide = m.columns > m.rows;
  const std::int64_t n = std::min(m.rows, m.columns), tall = std::max(m.rows, m.columns);
  auto* a = static_cast<double*>(scratch);
  double *v = a + tall * n, *values = v + n * n;
  const TensorView<T>&left = wide ? vh : u, &right = wide ? u : vh;
  for (std::int64_t b = 0; b < m.count; ++b) {
    for (std::int64_t i = 0; i < tall * n; ++i) {
      const std::int64_t from = wide ? i % n * tall + i / n : i;
      a[i] = static_cast<double>(x[b * tall * n + from]);
    }
    FactorSvd(a, tall, n, values, v);
    StoreMatrix(values, n, b, s);
    // Of a wide matrix the transpose was factored: its left vectors are the rows of vh.
    for (std::int64_t i = 0; left.present() && i < tall * n; ++i) {
      const std::int64_t to = wide ? i % n * tall + i / n : i;
      left[b * tall * n + to] = static_cast<T>(static_cast<Compute<T>>(a[i]));
    }
    for (std::int64_t i = 0; right.present() && i < n * n; ++i) {
      const std::int64_t to = wide ? i : i % n * n + i / n;
      right[b * n * n + to] = static_cast<T>(static_cast<Compute<T>>(v[i]));
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MATRIX_FACTORS_H_
