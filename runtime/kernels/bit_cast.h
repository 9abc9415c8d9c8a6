// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BitCast: the bits of elements as those of another type of their size.
#ifndef DRAGOMAN_RUNTIME_KERNELS_BIT_CAST_H_
#define DRAGOMAN_RUNTIME_KERNELS_BIT_CAST_H_

#include <algorithm>
#include <type_traits>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// X and Y are storage by size, of the same one.
template <class X, class Y>
void BitCast(TensorView<const X> x, TensorView<Y> y) {
  static_assert(std::is_same_v<X, Y>);
  std::copy_n(x.data, x.size(), y.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_BIT_CAST_H_
