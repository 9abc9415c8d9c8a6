// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that count from the back when negative.
#ifndef DRAGOMAN_RUNTIME_KERNELS_INDEX_H_
#define DRAGOMAN_RUNTIME_KERNELS_INDEX_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
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

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_INDEX_H_
