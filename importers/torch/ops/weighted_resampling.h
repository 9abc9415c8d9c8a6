// SPDX-License-Identifier: Apache-2.0
// Interpolation of images by weights that are known: where common Resize has no such interpolation.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_WEIGHTED_RESAMPLING_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_WEIGHTED_RESAMPLING_H_

#include <cstdint>

#include "core/lowering/composer.h"

namespace dragoman::torch {

struct Resampling {
  bool cubic = false;  // else linear
  bool antialias = false;
  bool align_corners = false;
};

struct ResampledAxis {
  std::int64_t in = 0;  // both at least 1
  std::int64_t out = 0;
  double scale = 0;  // out / in, as the call states it; 0: it does not
};

// `x`: [n, c, h, w]; of bytes, each axis is rounded to bytes as torch's kernels for x86 round it.
Value* Resample(Composer& c, Value* x, const Resampling& how, const ResampledAxis& height,
                const ResampledAxis& width);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_WEIGHTED_RESAMPLING_H_
