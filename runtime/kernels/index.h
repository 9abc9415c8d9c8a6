// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that count from the back when negative, and walks over tensors of them.
#ifndef DRAGOMAN_RUNTIME_KERNELS_INDEX_H_
#define DRAGOMAN_RUNTIME_KERNELS_INDEX_H_

#include <cstdint>

#include "runtime/kernels/position.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// False when `index` is outside [-size, size); otherwise *wrapped lies in [0, size).
inline bool WrapIndex(std::int64_t index, std::int64_t size, std::int64_t* wrapped) {
  *wrapped = index < 0 ? index + size : index;
  return *wrapped >= 0 && *wrapped < size;
}

inline Status IndexOutOfRange() { return Status::Error("an index is out of range"); }

// The offset in elements that `count` indices give over the axes of `sizes` from `first` on.
inline Status OffsetOf(const std::int64_t* indices, std::int64_t count, const Shape& sizes,
                       const Shape& strides, int first, std::int64_t* offset) {
  *offset = 0;
  for (int i = 0; i < count; ++i) {
    std::int64_t index = 0;
    if (!WrapIndex(indices[i], sizes[first + i], &index)) return IndexOutOfRange();
    *offset += index * strides[first + i];
  }
  return Status();
}

// Calls visit(i, place) for each element i of `indices`, in order. `place` is the offset in a
// tensor of sizes `data` at the position of that element, where the index replaces the coordinate
// along axis `along`. Both ranks are equal. Fails on an index outside [-size, size), and on rank 0.
template <class Tind, class Visit>
Status ForEachIndexedElement(std::int64_t along, const Shape& data, TensorView<const Tind> indices,
                             Visit visit) {
  if (data.empty()) return Status::Error("an axis is out of range");
  const int axis = WrapAxis(along, data.size()), last = data.size() - 1;
  Shape strides = Strides(data), rows = indices.shape;
  const std::int64_t step = strides[axis], size = data[axis], count = indices.size();
  strides[axis] = 0;
  const std::int64_t columns = rows[last], stride = strides[last];
  rows[last] = 1;
  Position row(rows, strides);
  for (std::int64_t i = 0; i < count; row.Next()) {
    std::int64_t place = row.offset();
    for (const std::int64_t end = i + columns; i < end; ++i, place += stride) {
      std::int64_t index = 0;
      if (!WrapIndex(indices[i], size, &index)) return IndexOutOfRange();
      visit(i, place + index * step);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_INDEX_H_
