// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ComplexToReal, RealToComplex: complex numbers and pairs of real ones, which lie alike in memory.
#ifndef DRAGOMAN_RUNTIME_KERNELS_COMPLEX_PARTS_H_
#define DRAGOMAN_RUNTIME_KERNELS_COMPLEX_PARTS_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// y has the sizes of x and a last axis of 2: real and imaginary part.
template <class C, class R>
void ComplexToReal(TensorView<const C> x, TensorView<R> y) {
  const std::int64_t size = x.size();
  for (std::int64_t i = 0; i < size; ++i) {
    y[2 * i] = x[i].real();
    y[2 * i + 1] = x[i].imag();
  }
}

// The way back: the last axis of x has size 2.
template <class C, class R>
void RealToComplex(TensorView<const R> x, TensorView<C> y) {
  const std::int64_t size = y.size();
  for (std::int64_t i = 0; i < size; ++i) y[i] = C(x[2 * i], x[2 * i + 1]);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_COMPLEX_PARTS_H_
