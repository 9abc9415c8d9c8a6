// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TopK: the k largest or smallest elements along an axis and where they stood.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TOP_K_H_
#define DRAGOMAN_RUNTIME_KERNELS_TOP_K_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/order.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/top_k.h"

namespace dragoman::rt {

template <class T>
std::int64_t TopKScratchBytes(const TopKParams& p, TensorView<const T> x,
                              TensorView<const std::int64_t> /*k*/, TensorView<T> /*values*/,
                              TensorView<std::int64_t> /*indices*/) {
  return x.shape[WrapAxis(p.axis, x.rank())] * static_cast<std::int64_t>(sizeof(Placed<T>));
}

// k is read off the results; either may be absent, with its sizes set. NaN counts as the largest
// number. Of equal elements the lower index comes first. Without `sorted` the order is the same.
template <class T>
void TopK(const TopKParams& p, TensorView<const T> x, TensorView<const std::int64_t> /*k*/,
          TensorView<T> values, TensorView<std::int64_t> indices, void* scratch) {
  const int axis = WrapAxis(p.axis, x.rank());
  const std::int64_t size = x.shape[axis], k = values.shape[axis];
  const std::int64_t outer = ProductOfSizes(x.shape, 0, axis);
  const std::int64_t inner = ProductOfSizes(x.shape, axis + 1, x.rank());
  auto* const placed = static_cast<Placed<T>*>(scratch);
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    const std::int64_t o = line / inner, i = line % inner;
    PlaceElements(x.data + o * size * inner + i, size, inner, placed);
    std::partial_sort(placed, placed + k, placed + size, PlacedOrder<T>{p.largest});
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t to = (o * k + j) * inner + i;
      if (values.present()) values[to] = placed[j].element;
      if (indices.present()) indices[to] = placed[j].place;
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TOP_K_H_
