// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DepthToSpace and SpaceToDepth: move blocks between the channel axis and the plane (NCHW).
#ifndef DRAGOMAN_RUNTIME_KERNELS_DEPTH_TO_SPACE_H_
#define DRAGOMAN_RUNTIME_KERNELS_DEPTH_TO_SPACE_H_

#include <cstdint>

#include "runtime/kernels/strided_copy.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/depth_to_space.h"

namespace dragoman::rt {

template <class T>
void DepthToSpace(const DepthToSpaceParams& p, TensorView<const T> input, TensorView<T> output) {
  const std::int64_t b = p.blocksize, h = input.shape[2], w = input.shape[3];
  const std::int64_t depth = output.shape[1], plane = h * w;
  const bool dcr = p.mode == DepthToSpaceMode::kDcr;
  const std::int64_t block = dcr ? depth * plane : plane;  // from one block element to the next
  const std::int64_t channel = dcr ? plane : b * b * plane;
  StridedCopy(input.data, {input.shape[0], depth, h, b, w, b},
              {b * b * depth * plane, channel, w, b * block, 1, block}, output.data);
}

template <class T>
void SpaceToDepth(const SpaceToDepthParams& p, TensorView<const T> input, TensorView<T> output) {
  const std::int64_t b = p.blocksize, c = input.shape[1], h = input.shape[2], w = input.shape[3];
  StridedCopy(input.data, {input.shape[0], b, b, c, h / b, w / b},
              {c * h * w, w, 1, h * w, b * w, b}, output.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_DEPTH_TO_SPACE_H_
