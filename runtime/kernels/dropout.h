// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout: at inference a copy, and a mask of true; in training mode each element is kept with
// probability 1 - ratio, and divided by that.
#ifndef DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_
#define DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_

#include <algorithm>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/random_source.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/dropout.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// An absent `ratio` is 0.5, an absent `training_mode` false. The error: in training mode a ratio
// that is not in [0, 1).
template <class T, class T1, class T2>
Status Dropout(const DropoutParams& p, TensorView<const T> data, TensorView<const T1> ratio,
               TensorView<const T2> training_mode, TensorView<T> output, TensorView<T2> mask,
               RandomSource& random) {
  const double share = ratio.present() ? static_cast<double>(Widen(ratio[0])) : 0.5;
  if (!training_mode.present() || !training_mode[0] || share == 0) {
    if (data.data != output.data) std::copy_n(data.data, data.size(), output.data);
    if (mask.present()) std::fill_n(mask.data, mask.size(), true);
    return Status();
  }
  if (!(share > 0 && share < 1)) return Status::Error("the ratio is not in [0, 1)");
  const RandomDraw draw = random.Next(p.has_seed, p.seed);
  const std::int64_t size = data.size();
  for (std::int64_t i = 0; i < size; ++i) {
    const bool kept = draw.Unit(i) >= share;
    output[i] = Convert<T>(kept ? static_cast<double>(Widen(data[i])) / (1 - share) : 0.0);
    if (mask.present()) mask[i] = kept;
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_
