// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clip: min(max(x, min), max) with bounds of rank 0, each of which may be absent. `max` wins where
// it is less than `min`; NaN stays NaN.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CLIP_H_
#define DRAGOMAN_RUNTIME_KERNELS_CLIP_H_

#include "runtime/kernels/element.h"
#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T>
void Clip(TensorView<const T> input, TensorView<const T> min, TensorView<const T> max,
          TensorView<T> output) {
  using C = Compute<T>;
  const C low = Widen(min.present() ? min[0] : LowestValue<T>());
  const C high = Widen(max.present() ? max[0] : HighestValue<T>());
  MapUnary(input, output, [low, high](C v) {
    const C raised = v < low ? low : v;
    return raised > high ? high : raised;
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CLIP_H_
