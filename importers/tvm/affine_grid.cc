// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/affine_grid.h"

namespace dragoman::tvm {

Value* AffineGrid(Composer& c, Value* theta, const std::vector<std::int64_t>& size) {
  if (c.failed()) return nullptr;
  if (size.size() != 2 || size[0] < 2 || size[1] < 2)
    return c.Fail("a grid of less than two points an axis");
  const auto place = [](std::int64_t i, std::int64_t count) {
    return static_cast<float>(-1 + 2.0 * static_cast<double>(i) / static_cast<double>(count - 1));
  };
  std::vector<float> places;
  for (int row = 0; row < 3; ++row) {
    for (std::int64_t i = 0; i < size[0] * size[1]; ++i)
      places.push_back(row == 0   ? place(i % size[1], size[1])
                       : row == 1 ? place(i / size[1], size[0])
                                  : 1);
  }
  Value* grid = c.builder().Constant(Tensor::Of<float>({3, size[0] * size[1]}, places));
  Value* y = c.Op("MatMul", {theta, c.CastLike(grid, theta)});
  return c.Reshape(y, {-1, 2, size[0], size[1]});
}

}  // namespace dragoman::tvm
