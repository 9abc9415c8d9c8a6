// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A total order of elements for sorting: NaN is equal to NaN and above everything else.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ORDER_H_
#define DRAGOMAN_RUNTIME_KERNELS_ORDER_H_

#include <cstdint>
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

// An element with its place in a line, so that sorting reads memory in order.
template <class T>
struct Placed {
  T element;
  std::int64_t place;
};

// The elements of a line, `step` apart.
template <class T>
void PlaceElements(const T* from, std::int64_t count, std::int64_t step, Placed<T>* placed) {
  for (std::int64_t i = 0; i < count; ++i) placed[i] = {from[i * step], i};
}

// Orders by element, the largest first if `falling`; of equal ones the lower place comes first.
template <class T>
struct PlacedOrder {
  bool falling;

  bool operator()(const Placed<T>& a, const Placed<T>& b) const {
    const int compared = CompareElements(a.element, b.element);
    if (compared == 0) return a.place < b.place;
    return falling ? compared > 0 : compared < 0;
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ORDER_H_
