// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OneHot: values[1] where the position along the new axis is the index, values[0] elsewhere.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ONE_HOT_H_
#define DRAGOMAN_RUNTIME_KERNELS_ONE_HOT_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/one_hot.h"

namespace dragoman::rt {

namespace internal {

// -1 for an index that selects nothing. A floating index is truncated towards zero.
template <class Tind>
std::int64_t OneHotIndex(Tind index, std::int64_t depth) {
  const auto wide = static_cast<Compute<Tind>>(index);
  if constexpr (kIsFloating<Tind>) {
    if (!(static_cast<double>(wide) > -9e18 && static_cast<double>(wide) < 9e18)) return -1;
  } else if (wide > 0 && static_cast<std::uint64_t>(wide) > INT64_MAX) {
    return -1;
  }
  const auto at = static_cast<std::int64_t>(wide);
  const std::int64_t wrapped = at < 0 ? at + depth : at;
  return wrapped < depth ? wrapped : -1;
}

// Apart from the kernel, since the type of the depth is nothing to it: a quarter of the instances.
template <class Tind, class Tvalue>
void WriteOneHot(int axis, TensorView<const Tind> indices, TensorView<const Tvalue> values,
                 TensorView<Tvalue> output) {
  std::fill_n(output.data, output.size(), values[0]);
  const std::int64_t depth = output.shape[axis];
  const std::int64_t inner = ProductOfSizes(output.shape, axis + 1, output.rank());
  const std::int64_t count = depth == 0 ? 0 : indices.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = OneHotIndex(indices[i], depth);
    if (at >= 0) output[(i / inner * depth + at) * inner + i % inner] = values[1];
  }
}

}  // namespace internal

// The depth is read off the result. An index outside [-depth, depth) selects nothing.
template <class Tind, class Tdepth, class Tvalue>
void OneHot(const OneHotParams& p, TensorView<const Tind> indices,
            TensorView<const Tdepth> /*depth*/, TensorView<const Tvalue> values,
            TensorView<Tvalue> output) {
  internal::WriteOneHot(WrapAxis(p.axis, output.rank()), indices, values, output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ONE_HOT_H_
