// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of GridSample.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GRID_SAMPLE_H_
#define DRAGOMAN_RUNTIME_PARAMS_GRID_SAMPLE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

enum class GridSampleMode { kLinear, kNearest, kCubic };
enum class GridSamplePadding { kZeros, kBorder, kReflection };

constexpr const char* Name(GridSampleMode mode) {
  constexpr const char* kNames[] = {"kLinear", "kNearest", "kCubic"};
  return kNames[static_cast<int>(mode)];
}
constexpr const char* Name(GridSamplePadding padding) {
  constexpr const char* kNames[] = {"kZeros", "kBorder", "kReflection"};
  return kNames[static_cast<int>(padding)];
}

struct GridSampleParams {
  bool align_corners = false;
  GridSampleMode mode = GridSampleMode::kLinear;
  GridSamplePadding padding_mode = GridSamplePadding::kZeros;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("align_corners", self.align_corners);
    f("mode", self.mode);
    f("padding_mode", self.padding_mode);
  }
};

// X is (N, C, spatial...), the grid (N, result spatial..., number of spatial axes).
constexpr Status GridSampleShape(const GridSampleParams&, const Shape& x, const Shape& grid,
                                 Shape* y) {
  const int rank = x.size();
  if (rank < 3 || grid.size() != rank) return Status::Error("the ranks do not fit");
  if (grid[rank - 1] != rank - 2 || grid[0] != x[0]) {
    return Status::Error("the sizes of the grid do not fit the operand");
  }
  *y = {x[0], x[1]};
  for (int i = 1; i < rank - 1; ++i) y->push_back(grid[i]);
  return CheckSizes(*y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GRID_SAMPLE_H_
