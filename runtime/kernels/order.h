// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A total order of elements for sorting: NaN is equal to NaN and above everything else.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ORDER_H_
#define DRAGOMAN_RUNTIME_KERNELS_ORDER_H_

#include <string>
#include <type_traits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {

// Below zero, zero or above as a comes before b, with it, or after it.
template <class T>
int CompareElements(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string>) {
    return a.compare(b);
  } else {
    const auto x = static_cast<Compute<T>>(a);
    const auto y = static_cast<Compute<T>>(b);
    if (x < y) return -1;
    if (y < x) return 1;
    return static_cast<int>(x != x) - static_cast<int>(y != y);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ORDER_H_
