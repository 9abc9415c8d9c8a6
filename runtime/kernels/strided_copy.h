// Copies a strided view of elements into dense memory: the core of Transpose, Slice, Expand, Tile,
// DepthToSpace and SpaceToDepth.
#ifndef DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_
#define DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

namespace internal {

// Drops axes of size 1 and merges neighbours that one stride covers.
inline void MergeAxes(Ints* sizes, Ints* strides) {
  int kept = 0;
  for (int i = 0; i < sizes->size(); ++i) {
    const std::int64_t size = (*sizes)[i];
    const std::int64_t stride = (*strides)[i];
    if (size == 1) continue;
    if (kept > 0 && (*strides)[kept - 1] == stride * size) {
      (*sizes)[kept - 1] *= size;
      (*strides)[kept - 1] = stride;
      continue;
    }
    (*sizes)[kept] = size;
    (*strides)[kept] = stride;
    ++kept;
  }
  sizes->resize(kept);
  strides->resize(kept);
}

template <class T>
void CopyRun(const T* from, std::int64_t stride, std::int64_t count, T* to) {
  if (stride == 1) {
    std::copy_n(from, count, to);
  } else if (stride == 0) {
    std::fill_n(to, count, *from);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
}

}  // namespace internal

// Fills `to` in row-major order of `sizes`; strides count elements and may be 0 or negative.
template <class T>
void StridedCopy(const T* from, Ints sizes, Ints strides, T* to) {
  for (std::int64_t size : sizes) {
    if (size == 0) return;
  }
  internal::MergeAxes(&sizes, &strides);
  if (sizes.empty()) {
    *to = *from;
    return;
  }
  const int last = sizes.size() - 1;
  Ints index = Ints::Filled(last, 0);
  for (int axis = 0; axis >= 0;) {
    internal::CopyRun(from, strides[last], sizes[last], to);
    to += sizes[last];
    for (axis = last - 1; axis >= 0; --axis) {
      from += strides[axis];
      if (++index[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_
