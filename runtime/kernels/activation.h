// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The activation functions that have attributes, as ai.onnx 22 (Swish: 24) defines them.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ACTIVATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_ACTIVATION_H_

#include <cmath>
#include <type_traits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/kernels/unary.h"
#include "runtime/params/activation.h"

namespace dragoman::rt {

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
template <class T>
void Celu(const CeluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  MapUnary(x, y, [alpha](C v) {
    const C curve = alpha * std::expm1(v / alpha);
    return (v < 0 ? C(0) : v) + (curve > 0 ? C(0) : curve);
  });
}

// alpha * (exp(x) - 1) where x < 0, else x.
template <class T>
void Elu(const EluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  MapUnary(x, y, [alpha](C v) { return v < 0 ? alpha * std::expm1(v) : v; });
}

// x * Phi(x), with Phi the normal distribution function, or its approximation by tanh.
template <class T>
void Gelu(const GeluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  if (p.approximate == GeluApproximation::kNone) {
    const C scale = static_cast<C>(0.70710678118654752440);  // sqrt(1/2)
    MapUnary(x, y, [scale](C v) { return C(0.5) * v * (C(1) + std::erf(v * scale)); });
  } else {
    const C scale = static_cast<C>(0.79788456080286535588);  // sqrt(2/pi)
    MapUnary(x, y, [scale](C v) {
      return C(0.5) * v * (C(1) + std::tanh(scale * (v + C(0.044715) * v * v * v)));
    });
  }
}

// alpha * x + beta, clipped to 0 … 1.
template <class T>
void HardSigmoid(const HardSigmoidParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  const C beta = static_cast<C>(p.beta);
  MapUnary(x, y, [alpha, beta](C v) {
    const C line = alpha * v + beta;
    return line < 0 ? C(0) : line > 1 ? C(1) : line;
  });
}

template <class T>
void LeakyRelu(const LeakyReluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  MapUnary(x, y, [alpha](C v) { return v < 0 ? alpha * v : v; });
}

// gamma * x where x > 0, else gamma * alpha * (exp(x) - 1).
template <class T>
void Selu(const SeluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  const C gamma = static_cast<C>(p.gamma);
  MapUnary(x, y, [alpha, gamma](C v) { return gamma * (v > 0 ? v : alpha * std::expm1(v)); });
}

// x + bias where x < -lambd, x - bias where x > lambd, else 0. Integers compute in double.
template <class T>
void Shrink(const ShrinkParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = std::conditional_t<kIsFloating<T>, Compute<T>, double>;
  const C bias = static_cast<C>(p.bias);
  const C lambd = static_cast<C>(p.lambd);
  MapUnary(x, y, [bias, lambd](Compute<T> value) {
    const C v = static_cast<C>(value);
    return Convert<T>(v < -lambd ? v + bias : v > lambd ? v - bias : C(0));
  });
}

// x * sigmoid(alpha * x).
template <class T>
void Swish(const SwishParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  MapUnary(x, y, [alpha](C v) { return v * scalar::Sigmoid(alpha * v); });
}

// x where x > alpha, else 0.
template <class T>
void ThresholdedRelu(const ThresholdedReluParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  const C alpha = static_cast<C>(p.alpha);
  MapUnary(x, y, [alpha](C v) { return v > alpha ? v : C(0); });
}

// All of them: those of floating types, and those of integers too.
#define DRAGOMAN_ACTIVATION_KERNELS_OF_FLOATS(KERNEL) \
  KERNEL(Celu)                                        \
  KERNEL(Elu)                                         \
  KERNEL(Gelu)                                        \
  KERNEL(HardSigmoid)                                 \
  KERNEL(LeakyRelu)                                   \
  KERNEL(Selu)                                        \
  KERNEL(Swish)                                       \
  KERNEL(ThresholdedRelu)
#define DRAGOMAN_ACTIVATION_KERNELS_OF_NUMBERS(KERNEL) KERNEL(Shrink)

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ACTIVATION_H_
