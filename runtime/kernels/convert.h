// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of one number to another element type, as ONNX's Cast defines it. What ONNX leaves
// open: a float outside an integer's range becomes the nearest bound, NaN becomes 0.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONVERT_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONVERT_H_

#include <limits>
#include <type_traits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {

// `value` as arithmetic sees it: a Compute<T>, without a copy where that is T.
template <class T>
decltype(auto) Widen(const T& value) {
  if constexpr (std::is_same_v<Compute<T>, T>) {
    return (value);
  } else {
    return static_cast<Compute<T>>(value);
  }
}

// Towards zero, saturating. F is float or double.
template <class To, class F>
To ToInteger(F value) {
  using Wide = Compute<To>;
  constexpr Wide kLowest = [] {
    if constexpr (kIsSmallInt<To>) return Wide{To::kLowest};
    if constexpr (!kIsSmallInt<To>) return std::numeric_limits<To>::lowest();
  }();
  constexpr Wide kHighest = [] {
    if constexpr (kIsSmallInt<To>) return Wide{To::kHighest};
    if constexpr (!kIsSmallInt<To>) return std::numeric_limits<To>::max();
  }();
  if (value >= static_cast<F>(kHighest)) return To(kHighest);
  if (value <= static_cast<F>(kLowest)) return To(kLowest);
  return value == value ? To(static_cast<Wide>(value)) : To(0);
}

template <class T>
inline constexpr bool kSaturates = kIsNarrowFloat<T> && sizeof(T) == 1 &&
                                   !std::is_same_v<T, Float4E2M1>;

// Rounds to nearest even; integers keep their low bits; bool is `value != 0`. `saturate` matters
// where To is an 8-bit float.
template <class To, class From>
To Convert(From value, bool saturate = true) {
  const auto wide = Widen(value);
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return wide != 0;
  } else if constexpr (kSaturates<To>) {
    return To(wide, saturate);
  } else if constexpr (kIsInteger<To> && kIsFloating<From>) {
    return ToInteger<To>(wide);
  } else {
    return static_cast<To>(wide);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONVERT_H_
