// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample in f32: what points share between channels is worked out once, and a channel's points
// are sampled side by side. Called as the plain kernel is, which defines the result.
#ifndef DRAGOMAN_RUNTIME_FAST_GRID_SAMPLE_H_
#define DRAGOMAN_RUNTIME_FAST_GRID_SAMPLE_H_

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/grid_sample.h"

namespace dragoman::rt {

// Weights and sums are floats; coordinates are computed in double, as by the kernel.
void GridSampleFloats(const GridSampleParams& p, TensorView<const float> x,
                      TensorView<const float> grid, TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_GRID_SAMPLE_H_
