// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies a strided view of elements into dense memory: the core of Transpose, Slice, Expand, Tile,
// DepthToSpace and SpaceToDepth.
#ifndef DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_
#define DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

namespace internal {

constexpr std::int64_t kTransposedRows = 16;
constexpr std::int64_t kTransposedColumns = 8;
constexpr std::int64_t kInterleaved = 4;

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

// Fills `rows` rows of kCount elements, one after the other: compilers make vectors of so few.
template <int kCount, class T>
void CopyInterleaved(const T* from, std::int64_t stride, std::int64_t rows, T* to) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int i = 0; i < kCount; ++i) to[r * kCount + i] = from[r + i * stride];
  }
}

// Fills `rows` rows of `count` elements, `to_row` apart. The first elements of the rows lie next to
// each other in `from`, those of a row `stride` apart. By tiles, whose lines stay in the cache
// until all of their elements are copied.
template <class T>
void CopyTransposed(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t count,
                    T* to, std::int64_t to_row) {
  if (to_row == count && count == 2) return CopyInterleaved<2>(from, stride, rows, to);
  if (to_row == count && count == 3) return CopyInterleaved<3>(from, stride, rows, to);
  if (to_row == count && count == 4) return CopyInterleaved<4>(from, stride, rows, to);
  for (std::int64_t r = 0; r < rows; r += kTransposedRows) {
    const std::int64_t height = std::min(kTransposedRows, rows - r);
    std::int64_t c = 0;
    for (; c + kTransposedColumns <= count; c += kTransposedColumns) {
      for (std::int64_t i = r; i < r + height; ++i) {
        for (std::int64_t j = c; j < c + kTransposedColumns; ++j)
          to[i * to_row + j] = from[i + j * stride];
      }
    }
    for (std::int64_t i = r; i < r + height; ++i)
      CopyRun(from + i + c * stride, stride, count - c, to + i * to_row + c);
  }
}

// The axis whose elements lie next to each other, if that and the last axis are long enough for
// tiles, or the last one is as short as CopyInterleaved takes it; else -1.
inline int TileAxis(const Ints& sizes, const Ints& strides) {
  const int last = sizes.size() - 1;
  const bool interleaves = last > 0 && strides[last] != 0 && sizes[last] <= kInterleaved;
  if (interleaves && strides[last - 1] == 1 && sizes[last - 1] >= kTransposedRows) return last - 1;
  for (int i = 0; i < last && sizes[last] >= kTransposedColumns; ++i) {
    if (strides[i] == 1 && sizes[i] >= kTransposedRows) return i;
  }
  return -1;
}

template <class T>
void CopyRuns(const T* from, const Ints& sizes, const Ints& strides, T* to) {
  const int last = sizes.size() - 1;
  Ints index = Ints::Filled(last, 0);
  for (int axis = 0; axis >= 0;) {
    CopyRun(from, strides[last], sizes[last], to);
    to += sizes[last];
    for (axis = last - 1; axis >= 0; --axis) {
      from += strides[axis];
      if (++index[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis];
      index[axis] = 0;
    }
  }
}

// The same by the tiles of axis `tile` and the last axis.
template <class T>
void CopyTiles(const T* from, const Ints& sizes, const Ints& strides, int tile, T* to) {
  const int last = sizes.size() - 1;
  Ints to_strides = Ints::Filled(sizes.size(), 1);
  for (int i = last - 1; i >= 0; --i) to_strides[i] = to_strides[i + 1] * sizes[i + 1];
  Ints index = Ints::Filled(last, 0);
  for (int axis = 0; axis >= 0;) {
    CopyTransposed(from, strides[last], sizes[tile], sizes[last], to, to_strides[tile]);
    for (axis = last - 1; axis >= 0; --axis) {
      if (axis == tile) continue;
      from += strides[axis];
      to += to_strides[axis];
      if (++index[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis];
      to -= to_strides[axis] * sizes[axis];
      index[axis] = 0;
    }
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
  const int tile = internal::TileAxis(sizes, strides);
  if (tile >= 0) return internal::CopyTiles(from, sizes, strides, tile, to);
  internal::CopyRuns(from, sizes, strides, to);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_STRIDED_COPY_H_
