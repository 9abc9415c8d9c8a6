// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise functions of two operands, or of any number, with NumPy's broadcasting.
//
// Integer arithmetic wraps. Div of integers rounds towards zero; x / 0 is 0. Pow of integers with a
// negative exponent is the quotient 1 / x^n, so 0 unless x is 1 or -1; with a floating exponent it
// is computed in double and saturates. Mod without `fmod` has the divisor's sign, with it the
// dividend's; of integers, x mod 0 is 0. A shift by the width or more gives 0. Max and Min of a NaN
// are NaN. Variadic kernels are a chain of the binary one, from the left; the result may be stored
// over the first operand only.
#ifndef DRAGOMAN_RUNTIME_KERNELS_BINARY_H_
#define DRAGOMAN_RUNTIME_KERNELS_BINARY_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/bit_shift.h"
#include "runtime/params/mod.h"

namespace dragoman::rt {

namespace scalar {

// base^exponent modulo 2^n, by squaring.
template <class T, class Exponent>
T IntegerPow(T base, Exponent exponent) {
  if constexpr (std::is_signed_v<Exponent>) {
    if (exponent < 0) {
      if (base == T(1)) return base;
      const bool minus_one = std::is_signed_v<T> && static_cast<T>(base + 1) == T(0);
      return minus_one ? static_cast<T>(exponent % 2 == 0 ? 1 : -1) : T(0);
    }
  }
  T power = 1;
  for (Exponent n = exponent; n != 0; n = static_cast<Exponent>(n / 2)) {
    if (n % 2 != 0) power = WrapMul(power, base);
    base = WrapMul(base, base);
  }
  return power;
}

template <class A, class B>
A Pow(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return IntegerPow(a, b);
  } else if constexpr (std::is_integral_v<A>) {
    return ToInteger<A>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  } else {
    return static_cast<A>(std::pow(a, b));
  }
}

template <class C>
C FloorMod(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    const C r = SafeRemainder(a, b);
    return r != 0 && ((r < 0) != (b < 0)) ? static_cast<C>(r + b) : r;
  } else {
    const C r = std::fmod(a, b);
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
  }
}

template <class C>
C CMod(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return SafeRemainder(a, b);
  } else {
    return std::fmod(a, b);
  }
}

// `a` where it is NaN or greater.
template <class C>
C Max(C a, C b) {
  return a > b || a != a ? a : b;
}

template <class C>
C Min(C a, C b) {
  return a < b || a != a ? a : b;
}

}  // namespace scalar

// Defines the kernel Op whose scalar function of `a` and `b`, of type C, is `expression`.
#define DRAGOMAN_BINARY_KERNEL(Op, expression)                                  \
  template <class T>                                                            \
  void Op(TensorView<const T> x, TensorView<const T> y, TensorView<T> result) { \
    using C = Compute<T>;                                                       \
    MapBinary(x, y, result, [](C a, C b) -> C { return (expression); });        \
  }

DRAGOMAN_BINARY_KERNEL(Add, WrapAdd(a, b))
DRAGOMAN_BINARY_KERNEL(Sub, WrapSub(a, b))
DRAGOMAN_BINARY_KERNEL(Mul, WrapMul(a, b))
DRAGOMAN_BINARY_KERNEL(Div, SafeDiv(a, b))
DRAGOMAN_BINARY_KERNEL(And, a&& b)
DRAGOMAN_BINARY_KERNEL(Or, a || b)
DRAGOMAN_BINARY_KERNEL(Xor, a != b)
DRAGOMAN_BINARY_KERNEL(BitwiseAnd, static_cast<C>(a& b))
DRAGOMAN_BINARY_KERNEL(BitwiseOr, static_cast<C>(a | b))
DRAGOMAN_BINARY_KERNEL(BitwiseXor, static_cast<C>(a ^ b))
DRAGOMAN_BINARY_KERNEL(PRelu, a < C(0) ? WrapMul(a, b) : a)

#undef DRAGOMAN_BINARY_KERNEL

// The same for comparisons; a comparison with NaN is false.
#define DRAGOMAN_COMPARE_KERNEL(Op, op)                                            \
  template <class T>                                                               \
  void Op(TensorView<const T> x, TensorView<const T> y, TensorView<bool> result) { \
    using C = Compute<T>;                                                          \
    MapBinary(x, y, result, [](const C& a, const C& b) { return a op b; });        \
  }

DRAGOMAN_COMPARE_KERNEL(Equal, ==)
DRAGOMAN_COMPARE_KERNEL(Greater, >)
DRAGOMAN_COMPARE_KERNEL(GreaterOrEqual, >=)
DRAGOMAN_COMPARE_KERNEL(Less, <)
DRAGOMAN_COMPARE_KERNEL(LessOrEqual, <=)

#undef DRAGOMAN_COMPARE_KERNEL

template <class T, class T1>
void Pow(TensorView<const T> x, TensorView<const T1> y, TensorView<T> z) {
  MapBinary(x, y, z, [](Compute<T> a, Compute<T1> b) { return scalar::Pow(a, b); });
}

template <class T>
void Mod(const ModParams& p, TensorView<const T> a, TensorView<const T> b, TensorView<T> c) {
  using C = Compute<T>;
  if (p.fmod) {
    MapBinary(a, b, c, [](C x, C y) { return scalar::CMod(x, y); });
  } else {
    MapBinary(a, b, c, [](C x, C y) { return scalar::FloorMod(x, y); });
  }
}

// For unsigned integers.
template <class T>
void BitShift(const BitShiftParams& p, TensorView<const T> x, TensorView<const T> y,
              TensorView<T> z) {
  constexpr T kWidth = 8 * sizeof(T);
  if (p.direction == BitShiftDirection::kLeft) {
    MapBinary(x, y, z, [](T a, T b) {
      return b < kWidth ? static_cast<T>(static_cast<std::uint64_t>(a) << b) : T(0);
    });
  } else {
    MapBinary(x, y, z, [](T a, T b) { return b < kWidth ? static_cast<T>(a >> b) : T(0); });
  }
}

namespace internal {

// operands[0] broadcast, then result = f(result, operand) for each other operand.
template <class T, class F>
void Chain(Views<const T> operands, TensorView<T> result, F f) {
  using C = Compute<T>;
  MapBinary(operands[0], operands[0], result, [](C a, C) { return a; });
  const TensorView<const T> so_far = result;
  for (std::int64_t i = 1; i < operands.size; ++i) MapBinary(so_far, operands[i], result, f);
}

}  // namespace internal

template <class T>
void Max(Views<const T> operands, TensorView<T> result) {
  using C = Compute<T>;
  internal::Chain(operands, result, [](C a, C b) { return scalar::Max(a, b); });
}

template <class T>
void Min(Views<const T> operands, TensorView<T> result) {
  using C = Compute<T>;
  internal::Chain(operands, result, [](C a, C b) { return scalar::Min(a, b); });
}

template <class T>
void Sum(Views<const T> operands, TensorView<T> result) {
  using C = Compute<T>;
  internal::Chain(operands, result, [](C a, C b) { return WrapAdd(a, b); });
}

template <class T>
void Mean(Views<const T> operands, TensorView<T> result) {
  using C = Compute<T>;
  Sum(operands, result);
  const C count = static_cast<C>(operands.size);
  MapUnary(TensorView<const T>(result), result, [count](C v) { return v / count; });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_BINARY_H_
