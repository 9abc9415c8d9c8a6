// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Resize and GridSample share.
#ifndef DRAGOMAN_RUNTIME_KERNELS_INTERPOLATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_INTERPOLATION_H_

#include <limits>
#include <type_traits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {

// The type in which weighted sums of T are computed.
template <class T>
using Interpolated = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;

// Integers truncate towards zero and saturate, NaN becomes 0; a bool is whether it is not zero.
template <class T>
T FromInterpolated(Interpolated<T> value) {
  if constexpr (kIsComplex<T>) {
    return T(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (kIsInteger<T>) {
    using C = Compute<T>;
    const double low = static_cast<double>(static_cast<C>(LowestValue<T>()));
    const double high = static_cast<double>(static_cast<C>(HighestValue<T>()));
    if (value != value) return T(0);
    if (value <= low) return LowestValue<T>();
    if (value >= high) return HighestValue<T>();
    return static_cast<T>(static_cast<C>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
Interpolated<T> ToInterpolated(const T& value) {
  if constexpr (kIsComplex<T>) {
    return Interpolated<T>(value);
  } else {
    return static_cast<double>(static_cast<Compute<T>>(value));
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_INTERPOLATION_H_
