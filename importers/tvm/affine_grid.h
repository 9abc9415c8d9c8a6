// SPDX-License-Identifier: Apache-2.0
// Points of an image that are moved by a matrix, as both of TVM's languages have them.
#ifndef DRAGOMAN_IMPORTERS_TVM_AFFINE_GRID_H_
#define DRAGOMAN_IMPORTERS_TVM_AFFINE_GRID_H_

#include <cstdint>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman::tvm {

// `theta` (images, 2, 3) times the points (x, y, 1) of a grid of `size` (height, width), whose
// corners are at -1 and 1: (images, 2, height, width).
Value* AffineGrid(Composer& c, Value* theta, const std::vector<std::int64_t>& size);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_AFFINE_GRID_H_
