// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of a batch lie.
#ifndef DRAGOMAN_RUNTIME_FAST_STRIDED_H_
#define DRAGOMAN_RUNTIME_FAST_STRIDED_H_

#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

// In elements: the first one, and the strides of the axes of the batch, then of those of an entry.
struct Strided {
  std::int64_t offset = 0;
  Shape strides;
};

// Where entry `entry` begins, of those that the first `axes` axes of a batch of these sizes count.
inline std::int64_t OffsetOf(const Strided& strided, const Shape& batch, int axes,
                             std::int64_t entry) {
  std::int64_t offset = strided.offset;
  for (int i = axes - 1; i >= 0; --i) {
    offset += entry % batch[i] * strided.strides[i];
    entry /= batch[i];
  }
  return offset;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_STRIDED_H_
