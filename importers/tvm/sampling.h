// SPDX-License-Identifier: Apache-2.0
// Images at points between their elements, as both of TVM's languages have them.
#ifndef DRAGOMAN_IMPORTERS_TVM_SAMPLING_H_
#define DRAGOMAN_IMPORTERS_TVM_SAMPLING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman::tvm {

// `theta` (images, 2, 3) times the points (x, y, 1) of a grid of `size` (height, width), whose
// corners are at -1 and 1: (images, 2, height, width).
Value* AffineGrid(Composer& c, Value* theta, const std::vector<std::int64_t>& size);

// `method` is TVM's: "bilinear", "nearest", "bicubic".
struct GridSampling {
  std::string method;
  std::string padding;
  bool align_corners = true;
};
// x (images, channels, space…) at the points of `grid`, whose coordinates lie along axis 1.
Value* GridSample(Composer& c, Value* x, Value* grid, const GridSampling& how);

struct RoiAlignment {
  std::vector<std::int64_t> size;  // of the result, or one number for both axes
  double scale = 1;
  std::int64_t samples = -1;  // per axis of a bin; not above 0: by the size of the region
  bool takes_max = false;     // of the samples of a bin, else their mean
  bool aligned = false;       // regions are moved by half an element, which TVM does not do
};
// Regions [batch, left, top, right, bottom] of x (images, channels, height, width).
Value* RoiAlign(Composer& c, Value* x, Value* regions, RoiAlignment how);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_SAMPLING_H_
