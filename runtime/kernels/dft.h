// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DFT: the discrete Fourier transform along an axis.
//
// A transform of length n = p·m, p its smallest prime factor, is p transforms of length m over
// every p-th element, and a sum of p terms for each result (Cooley and Tukey). What is left when n
// is prime is the definition. Signals of every element type are transformed in double.
#ifndef DRAGOMAN_RUNTIME_KERNELS_DFT_H_
#define DRAGOMAN_RUNTIME_KERNELS_DFT_H_

#include <cmath>
#include <complex>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/int_operand.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/dft.h"

namespace dragoman::rt {
namespace internal {

struct DftPlan {
  std::int64_t length = 0;                      // of the whole transform
  const std::complex<double>* roots = nullptr;  // exp(∓2πi k / length)
};

// exp(2πi k / n) for 0 <= k < n. Multiples of a quarter turn are exact, so that real signals have
// no imaginary part where it is 0 by definition.
inline std::complex<double> RootOfUnity(std::int64_t k, std::int64_t n) {
  constexpr double kReal[] = {1, 0, -1, 0}, kImaginary[] = {0, 1, 0, -1};
  if (4 * k % n == 0) return {kReal[4 * k / n], kImaginary[4 * k / n]};
  const double angle = 2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

constexpr std::int64_t SmallestFactor(std::int64_t n) {
  for (std::int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// result[k] = Σ signal[j·step] · root^(jk), of `n` terms; `spare` has room for n numbers. Each
// level of the recursion at least halves n.
inline void Transform(const DftPlan& plan, const std::complex<double>* signal, std::int64_t step,
                      std::int64_t n, std::complex<double>* result, std::complex<double>* spare) {
  if (n == 1) {
    result[0] = signal[0];
    return;
  }
  const std::int64_t p = SmallestFactor(n), m = n / p, stride = plan.length / n;
  for (std::int64_t r = 0; r < p; ++r)
    Transform(plan, signal + r * step, step * p, m, spare + r * m, result + r * m);
  for (std::int64_t k = 0; k < n; ++k) {
    std::complex<double> sum = spare[k % m];
    for (std::int64_t r = 1; r < p; ++r)
      sum += spare[r * m + k % m] * plan.roots[(r * k % n) * stride];
    result[k] = sum;
  }
}

}  // namespace internal

template <class T, class Tlength>
std::int64_t DFTScratchBytes(const DFTParams& p, TensorView<const T> x,
                             TensorView<const Tlength> length, TensorView<const std::int64_t> axis,
                             TensorView<T> /*y*/) {
  const IntOperand<Tlength> n(length);
  const IntOperand<std::int64_t> along(axis);
  Shape full;
  const DFTParams whole{p.inverse, false};
  if (!DFTShape(whole, x.shape, n.span(), along.span(), &full).ok()) return 0;
  const int resolved = WrapAxis(axis.present() ? axis[0] : -2, x.rank());
  return 4 * full[resolved] * static_cast<std::int64_t>(sizeof(std::complex<double>));
}

// Fails as DFTShape does. A longer transform than the signal takes zeros, a shorter one drops its
// end.
template <class T, class Tlength>
Status DFT(const DFTParams& p, TensorView<const T> x, TensorView<const Tlength> length,
           TensorView<const std::int64_t> axis, TensorView<T> y, void* scratch) {
  const IntOperand<Tlength> given(length);
  const IntOperand<std::int64_t> axes(axis);
  Shape expected;
  DRAGOMAN_RT_TRY(DFTShape(p, x.shape, given.span(), axes.span(), &expected));
  const int along = WrapAxis(axis.present() ? axis[0] : -2, x.rank());
  const std::int64_t size = x.shape[along], kept = y.shape[along], parts = x.shape.back();
  const std::int64_t n = length.present() ? static_cast<std::int64_t>(length[0]) : size;
  auto* roots = static_cast<std::complex<double>*>(scratch);
  std::complex<double>*signal = roots + n, *result = signal + n, *spare = result + n;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::complex<double> root = internal::RootOfUnity(k, n);
    roots[k] = p.inverse ? root : std::conj(root);
  }
  const double scale = p.inverse ? 1.0 / static_cast<double>(n) : 1.0;
  const std::int64_t outer = ProductOfSizes(x.shape, 0, along);
  const std::int64_t inner = ProductOfSizes(x.shape, along + 1, x.rank() - 1);
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    const std::int64_t o = line / inner, i = line % inner;
    for (std::int64_t j = 0; j < n; ++j) {
      const T* from = x.data + ((o * size + j) * inner + i) * parts;
      if (j >= size) {
        signal[j] = 0;
      } else {
        signal[j] = {static_cast<double>(from[0]), parts == 2 ? static_cast<double>(from[1]) : 0.0};
      }
    }
    internal::Transform({n, roots}, signal, 1, n, result, spare);
    for (std::int64_t k = 0; k < kept; ++k) {
      T* to = y.data + ((o * kept + k) * inner + i) * 2;
      to[0] = static_cast<T>(static_cast<Compute<T>>(result[k].real() * scale));
      to[1] = static_cast<T>(static_cast<Compute<T>>(result[k].imag() * scale));
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_DFT_H_
