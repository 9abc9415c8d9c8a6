// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FindSorted: where each element stands in a sorted list.
#ifndef DRAGOMAN_RUNTIME_KERNELS_FIND_SORTED_H_
#define DRAGOMAN_RUNTIME_KERNELS_FIND_SORTED_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/order.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// The position in `keys`, which ascend without repetition, of each element of x; -1: it is not
// there.
template <class T>
void FindSorted(TensorView<const T> x, TensorView<const T> keys, TensorView<std::int64_t> y) {
  const T* end = keys.data + keys.size();
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) {
    const T* found = std::lower_bound(keys.data, end, x[i], [](const T& key, const T& element) {
      return CompareElements(key, element) < 0;
    });
    const bool equal = found != end && CompareElements(*found, x[i]) == 0;
    y[i] = equal ? found - keys.data : -1;
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_FIND_SORTED_H_
