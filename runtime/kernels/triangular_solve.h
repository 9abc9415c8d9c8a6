// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TriangularSolve: X of A·X = B, A being triangular.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TRIANGULAR_SOLVE_H_
#define DRAGOMAN_RUNTIME_KERNELS_TRIANGULAR_SOLVE_H_

#include <cstdint>

#include "runtime/kernels/factors.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/triangular_solve.h"

namespace dragoman::rt {

template <class T>
std::int64_t TriangularSolveScratchBytes(const TriangularSolveParams& /*p*/, TensorView<const T> a,
                                         TensorView<const T> b, TensorView<T> /*x*/) {
  return (a.shape.back() + b.shape.back()) * a.shape.back() *
         static_cast<std::int64_t>(sizeof(double));
}

// a (…, n, n) and b (…, n, k) have the same leading sizes.
template <class T>
void TriangularSolve(const TriangularSolveParams& p, TensorView<const T> a, TensorView<const T> b,
                     TensorView<T> x, void* scratch) {
  const Matrices m(b.shape);
  const std::int64_t n = m.rows, k = m.columns;
  auto* factor = static_cast<double*>(scratch);
  double* rows = factor + n * n;
  for (std::int64_t i = 0; i < m.count; ++i) {
    LoadMatrix(a, n * n, i, factor);
    LoadMatrix(b, n * k, i, rows);
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t r = p.upper ? n - 1 - step : step;
      for (std::int64_t done = 0; done < step; ++done) {
        const std::int64_t s = p.upper ? n - 1 - done : done;
        for (std::int64_t j = 0; j < k; ++j) rows[r * k + j] -= factor[r * n + s] * rows[s * k + j];
      }
      for (std::int64_t j = 0; !p.unit && j < k; ++j) rows[r * k + j] /= factor[r * n + r];
    }
    StoreMatrix(rows, n * k, i, x);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TRIANGULAR_SOLVE_H_
