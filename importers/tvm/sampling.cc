// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/sampling.h"

#include <algorithm>

#include "importers/tvm/adaptive_pool.h"

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

Value* GridSample(Composer& c, Value* x, Value* grid, const GridSampling& how) {
  std::vector<std::int64_t> order = AllAxes(c.Rank(x));
  const int places = c.Rank(grid);
  if (c.failed()) return nullptr;
  const auto rank = static_cast<int>(order.size());
  if (rank < 3 || rank != places)
    return c.Fail(InvalidInput("an image of rank " + std::to_string(rank) + " at places of rank " +
                               std::to_string(places)));
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  std::string mode = how.method;
  if (mode == "bilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  return c.Op("GridSample", {x, c.Transpose(grid, order)},
              {{"align_corners", std::int64_t{how.align_corners}},
               {"mode", mode},
               {"padding_mode", how.padding}});
}

Value* RoiAlign(Composer& c, Value* x, Value* regions, RoiAlignment how) {
  if (how.size.size() == 1) how.size.push_back(how.size.front());
  if (!c.failed() && how.size.size() != 2) c.Fail(InvalidInput("pooled_size is not a pair"));
  if (how.takes_max && how.samples <= 0)
    c.Fail("mode=\"max\" with a number of samples that depends on the region is not supported");
  if (c.failed()) return nullptr;
  // For a maximum, each sample is a bin of its own.
  const std::int64_t bins = how.takes_max ? how.samples : 1;
  Value* batch = c.Cast(c.Select(regions, 1, 0), DType::kI64);
  Value* boxes = c.Slice(regions, 1, 1, 5);
  // half_pixel moves the corners of regions back by half an element of the image.
  if (how.aligned) {
    boxes = c.Add(c.Mul(boxes, how.scale), 0.5);
    how.scale = 1;
  }
  const char* coordinates = how.aligned ? "half_pixel" : "output_half_pixel";
  Value* y = c.Op("RoiAlign", {x, boxes, batch},
                  {{"coordinate_transformation_mode", coordinates},
                   {"mode", "avg"},
                   {"output_height", how.size[0] * bins},
                   {"output_width", how.size[1] * bins},
                   {"sampling_ratio", how.takes_max ? 1 : std::max<std::int64_t>(how.samples, 0)},
                   {"spatial_scale", static_cast<float>(how.scale)}});
  return how.takes_max ? AdaptivePool(c, y, how.size, /*mean=*/false) : y;
}

}  // namespace dragoman::tvm
