// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of Tile.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TILE_H_
#define DRAGOMAN_RUNTIME_PARAMS_TILE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

constexpr Status TileShape(const Shape& input, IntSpan repeats, Shape* output) {
  if (repeats.size != input.size()) return Status::Error("repeats is not of the rank");
  *output = Shape();
  for (int i = 0; i < input.size(); ++i) {
    if (repeats[i] < 0) return Status::Error("a repeat count is negative");
    std::int64_t size = 0;
    DRAGOMAN_RT_TRY(CheckedMul(input[i], repeats[i], &size));
    output->push_back(size);
  }
  return CheckSizes(*output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TILE_H_
