// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise functions of one operand without attributes, as ai.onnx 22 defines them.
//
// Abs, Neg, Sign and Relu take integers too, and wrap: Abs and Neg of the least integer are itself.
// BitwiseNot takes integers, Not bool, all others floating types. Domain errors give NaN, poles
// infinity; Sign and Relu of NaN are NaN. Round goes to the nearest integer, ties to even.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNARY_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNARY_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/element.h"
#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/is_inf.h"

namespace dragoman::rt {

namespace scalar {

template <class C>
C Abs(C v) {
  if constexpr (std::is_unsigned_v<C>) {
    return v;
  } else if constexpr (std::is_integral_v<C>) {
    return v < 0 ? WrapNegate(v) : v;
  } else {
    return std::fabs(v);
  }
}

template <class C>
C Sign(C v) {
  if constexpr (std::is_unsigned_v<C>) {
    return v != 0 ? 1 : 0;
  } else {
    return v > 0 ? C(1) : v < 0 ? C(-1) : v == 0 ? C(0) : v;
  }
}

// log(1 + exp(v)) without overflow.
template <class C>
C Softplus(C v) {
  return (v < 0 ? C(0) : v) + std::log1p(std::exp(-std::fabs(v)));
}

template <class C>
C Sigmoid(C v) {
  const C e = std::exp(-std::fabs(v));
  return (v < 0 ? e : C(1)) / (C(1) + e);
}

template <class C>
C HardSwish(C v) {
  const C gate = v / C(6) + C(0.5);
  return v * (gate < 0 ? C(0) : gate > 1 ? C(1) : gate);
}

}  // namespace scalar

// Each with its scalar function of `v`, of type C: those of floating types, and those of integers
// too.
#define DRAGOMAN_UNARY_KERNELS_OF_FLOATS(KERNEL)  \
  KERNEL(Acos, std::acos(v))                      \
  KERNEL(Acosh, std::acosh(v))                    \
  KERNEL(Asin, std::asin(v))                      \
  KERNEL(Asinh, std::asinh(v))                    \
  KERNEL(Atan, std::atan(v))                      \
  KERNEL(Atanh, std::atanh(v))                    \
  KERNEL(Ceil, std::ceil(v))                      \
  KERNEL(Cos, std::cos(v))                        \
  KERNEL(Cosh, std::cosh(v))                      \
  KERNEL(Erf, std::erf(v))                        \
  KERNEL(Erfc, std::erfc(v))                      \
  KERNEL(Exp, std::exp(v))                        \
  KERNEL(Floor, std::floor(v))                    \
  KERNEL(HardSwish, scalar::HardSwish(v))         \
  KERNEL(Log, std::log(v))                        \
  KERNEL(Mish, v* std::tanh(scalar::Softplus(v))) \
  KERNEL(Reciprocal, C(1) / v)                    \
  KERNEL(Round, std::nearbyint(v))                \
  KERNEL(Sigmoid, scalar::Sigmoid(v))             \
  KERNEL(Sin, std::sin(v))                        \
  KERNEL(Sinh, std::sinh(v))                      \
  KERNEL(Softplus, scalar::Softplus(v))           \
  KERNEL(Softsign, v / (C(1) + std::fabs(v)))     \
  KERNEL(Sqrt, std::sqrt(v))                      \
  KERNEL(Tan, std::tan(v))                        \
  KERNEL(Tanh, std::tanh(v))

#define DRAGOMAN_UNARY_KERNELS_OF_NUMBERS(KERNEL) \
  KERNEL(Abs, scalar::Abs(v))                     \
  KERNEL(Neg, WrapNegate(v))                      \
  KERNEL(Relu, v < C(0) ? C(0) : v)               \
  KERNEL(Sign, scalar::Sign(v))

#define DRAGOMAN_UNARY_KERNEL(Op, expression)              \
  template <class T>                                       \
  void Op(TensorView<const T> x, TensorView<T> y) {        \
    using C = Compute<T>;                                  \
    MapUnary(x, y, [](C v) -> C { return (expression); }); \
  }

DRAGOMAN_UNARY_KERNELS_OF_FLOATS(DRAGOMAN_UNARY_KERNEL)
DRAGOMAN_UNARY_KERNELS_OF_NUMBERS(DRAGOMAN_UNARY_KERNEL)
DRAGOMAN_UNARY_KERNEL(BitwiseNot, static_cast<C>(~v))

#undef DRAGOMAN_UNARY_KERNEL

// Of bytes that are 0 or 1: compilers make no vectors of bools.
template <class T>
void Not(TensorView<const T> x, TensorView<T> y) {
  using Byte = std::uint8_t;
  const TensorView<const Byte> bytes{reinterpret_cast<const Byte*>(x.data), x.shape};
  MapUnary(bytes, TensorView<Byte>{reinterpret_cast<Byte*>(y.data), y.shape},
           [](int v) { return v ^ 1; });
}

template <class T>
void IsNaN(TensorView<const T> x, TensorView<bool> y) {
  MapUnary(x, y, [](Compute<T> v) { return std::isnan(v); });
}

template <class T>
void IsInf(const IsInfParams& p, TensorView<const T> x, TensorView<bool> y) {
  MapUnary(x, y, [&p](Compute<T> v) {
    return std::isinf(v) && (v < 0 ? p.detect_negative : p.detect_positive);
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNARY_H_
