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
  return x.shape[WrapAxis(p.axis, x.rank())] * static_cast<std::int64_t>(sizeof(std::int64_t));
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
  auto* order = static_cast<std::int64_t*>(scratch);
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    const std::int64_t o = line / inner, i = line % inner;
    const T* from = x.data + o * size * inner + i;
    for (std::int64_t j = 0; j < size; ++j) order[j] = j;
    std::partial_sort(order, order + k, order + size, [&](std::int64_t a, std::int64_t b) {
      const int compared = CompareElements(from[a * inner], from[b * inner]);
      if (compared == 0) return a < b;
      return p.largest ? compared > 0 : compared < 0;
    });
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t to = (o * k + j) * inner + i;
      if (values.present()) values[to] = from[order[j] * inner];
      if (indices.present()) indices[to] = order[j];
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TOP_K_H_
