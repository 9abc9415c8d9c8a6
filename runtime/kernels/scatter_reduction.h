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

// body(reduce), where reduce(there, update) is what stays. Where kNone, T may be a storage type;
// otherwise it is the element's real type. Of bool, kAdd and kMax are or, kMul and kMin are and.
// Complex elements have no order: kMax and kMin keep the update. Strings and Bytes16 only move.
template <class T, class Body>
auto WithReduction(ScatterReduction reduction, Body body) {
  const auto replace = [](const T&, const T& update) { return update; };
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Bytes16>) {
    return body(replace);
  } else {
    using C = Compute<T>;
    switch (reduction) {
      case ScatterReduction::kAdd:
        return body([](T a, T b) { return static_cast<T>(WrapAdd<C>(C(a), C(b))); });
      case ScatterReduction::kMul:
        return body([](T a, T b) { return static_cast<T>(WrapMul<C>(C(a), C(b))); });
      case ScatterReduction::kMax:
        if constexpr (!kIsComplex<T>)
          return body([](T a, T b) { return T(internal::ScatterExtreme<C>(C(a), C(b), true)); });
        break;
      case ScatterReduction::kMin:
        if constexpr (!kIsComplex<T>)
          return body([](T a, T b) { return T(internal::ScatterExtreme<C>(C(a), C(b), false)); });
        break;
      case ScatterReduction::kNone:
        break;
    }
    return body(replace);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SCATTER_REDUCTION_H_
