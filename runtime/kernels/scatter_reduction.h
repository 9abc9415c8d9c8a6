// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a scattered update meets the element that it falls on.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SCATTER_REDUCTION_H_
#define DRAGOMAN_RUNTIME_KERNELS_SCATTER_REDUCTION_H_

#include <string>
#include <type_traits>

#include "runtime/kernels/element.h"
#include "runtime/params/scatter.h"

namespace dragoman::rt {

namespace internal {

// The operand that is NaN, else the one that `greater` picks.
template <class T>
T ScatterExtreme(T a, T b, bool greater) {
  if (a != a) return a;
  if (b != b) return b;
  return (greater ? a < b : b < a) ? b : a;
}

}  // namespace internal

// Where kNone, T may be a storage type; otherwise it is the element's real type. Of bool, kAdd and
// kMax are or, kMul and kMin are and. Complex elements have no order: kMax and kMin keep `b`.
// Strings and Bytes16 only move.
template <class T>
T ReduceScattered(ScatterReduction reduction, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Bytes16>) {
    return b;
  } else {
    using C = Compute<T>;
    const C x = static_cast<C>(a);
    const C y = static_cast<C>(b);
    if (reduction == ScatterReduction::kAdd) return static_cast<T>(WrapAdd(x, y));
    if (reduction == ScatterReduction::kMul) return static_cast<T>(WrapMul(x, y));
    if constexpr (!kIsComplex<T>) {
      if (reduction == ScatterReduction::kMax) return T(internal::ScatterExtreme(x, y, true));
      if (reduction == ScatterReduction::kMin) return T(internal::ScatterExtreme(x, y, false));
    }
    return b;
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SCATTER_REDUCTION_H_
