// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types of tensors and what kernels need to know of them. Besides the structs of
// float16.h and float8.h these are bool (a byte, 0 or 1), the fixed-width integers, float, double,
// std::complex of both, std::string, and the types below.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ELEMENT_H_
#define DRAGOMAN_RUNTIME_KERNELS_ELEMENT_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "runtime/kernels/float16.h"
#include "runtime/kernels/float8.h"

namespace dragoman::rt {

// An integer of kBits bits, one per byte, sign-extended where it is signed. It becomes an int
// implicitly; the way back keeps the low bits.
template <int kBits, bool kSigned>
struct SmallInt {
  std::conditional_t<kSigned, std::int8_t, std::uint8_t> value;

  static constexpr int kLowest = kSigned ? -(1 << (kBits - 1)) : 0;
  static constexpr int kHighest = (1 << (kSigned ? kBits - 1 : kBits)) - 1;

  SmallInt() = default;
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr explicit SmallInt(T v)
      : value(static_cast<decltype(value)>((static_cast<int>(v & ((1 << kBits) - 1)) ^ -kLowest) +
                                           kLowest)) {}
  constexpr operator int() const { return value; }
};

using Int4 = SmallInt<4, true>;
using UInt4 = SmallInt<4, false>;
using Int2 = SmallInt<2, true>;
using UInt2 = SmallInt<2, false>;

// An element of 16 bytes that is only moved (complex128).
struct Bytes16 {
  std::uint64_t words[2];
};

template <class T>
inline constexpr bool kIsSmallInt = false;
template <int kBits, bool kSigned>
inline constexpr bool kIsSmallInt<SmallInt<kBits, kSigned>> = true;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// True of the structs that compute in float.
template <class T>
inline constexpr bool kIsNarrowFloat =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || std::is_same_v<T, Float8E4M3FN> ||
    std::is_same_v<T, Float8E4M3FNUZ> || std::is_same_v<T, Float8E5M2> ||
    std::is_same_v<T, Float8E5M2FNUZ> || std::is_same_v<T, Float8E8M0> ||
    std::is_same_v<T, Float4E2M1>;

template <class T>
inline constexpr bool kIsFloating = std::is_floating_point_v<T> || kIsNarrowFloat<T>;

// True of bool, the C++ integers and SmallInt.
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> || kIsSmallInt<T>;

namespace internal {

template <class T>
struct ComputeType {
  using Type = std::conditional_t<kIsNarrowFloat<T>, float,
                                  std::conditional_t<kIsSmallInt<T>, std::int32_t, T>>;
};

template <class T, class = void>
struct AccumulateType {
  using Type = T;
};
template <>
struct AccumulateType<float> {
  using Type = double;
};
template <>
struct AccumulateType<std::complex<float>> {
  using Type = std::complex<double>;
};
template <class T>
struct AccumulateType<T, std::enable_if_t<kIsNarrowFloat<T>>> {
  using Type = float;
};
template <class T>
struct AccumulateType<T, std::enable_if_t<kIsInteger<T>>> {
  using Type = std::conditional_t<std::is_unsigned_v<typename ComputeType<T>::Type>, std::uint64_t,
                                  std::int64_t>;
};

}  // namespace internal

// The type in which a scalar function computes: float for narrow floats, int32 for SmallInt.
template <class T>
using Compute = typename internal::ComputeType<T>::Type;

// The type of a long sum of T: double for float, float for narrow floats, 64 bits for integers.
template <class T>
using Accumulate = typename internal::AccumulateType<T>::Type;

// Integer arithmetic modulo 2^n; of floating and complex types the plain operator.
template <class T>
T WrapAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class T>
T WrapSub(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return a - b;
  }
}

template <class T>
T WrapMul(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

template <class T>
T WrapNegate(T a) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  } else {
    return -a;
  }
}

// The quotient rounded towards zero. Of integers, x / 0 is 0 and the least value / -1 is itself.
template <class T>
T SafeDiv(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return WrapNegate(a);
    }
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}

// The remainder of SafeDiv: it has the sign of `a`. x mod 0 is 0. For integers.
template <class T>
T SafeRemainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// The bounds of T, identities of max and min: the infinities of the wider floats, else the extreme
// finite values. Not for complex types and strings.
template <class T>
T LowestValue() {
  if constexpr (kIsFloating<T>) {
    return T(-std::numeric_limits<Compute<T>>::infinity());
  } else if constexpr (kIsSmallInt<T>) {
    return T(T::kLowest);
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

template <class T>
T HighestValue() {
  if constexpr (kIsFloating<T>) {
    return T(std::numeric_limits<Compute<T>>::infinity());
  } else if constexpr (kIsSmallInt<T>) {
    return T(T::kHighest);
  } else {
    return std::numeric_limits<T>::max();
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ELEMENT_H_
