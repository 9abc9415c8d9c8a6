// SPDX-License-Identifier: Apache-2.0
// Where the elements of a value lie in the memory of another one, from which it is only rearranged:
// what a step may read in place instead of a copy.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_STRIDED_VIEW_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_STRIDED_VIEW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ir/graph.h"
#include "core/rewrite/pass_context.h"
#include "runtime/params/shape.h"

namespace dragoman::onednn {

// `size` elements, `stride` elements apart.
struct StridedPiece {
  std::int64_t size = 1;
  std::int64_t stride = 0;

  bool operator==(const StridedPiece&) const = default;
};

// An axis may have been joined of several: its pieces, outermost first; none if its size is 1.
using StridedAxis = std::vector<StridedPiece>;

struct StridedView {
  const Value* base = nullptr;
  std::int64_t offset = 0;
  std::vector<StridedAxis> axes;
  double scale = 1.0;  // by which the elements of `base` are multiplied
};

// The value, whose sizes are numbers, seen through all of Transpose, Reshape, Squeeze, Unsqueeze,
// Flatten, Expand, Split, Slice, Gather of one index, Neg, and products by a number that lie
// between it and another value of the same graph. Otherwise it is its own base.
StridedView ViewOf(const Value& value);

// The factor of a Mul or Div by a number or of a Neg, and what is multiplied.
struct ScaledValue {
  const Value* value = nullptr;
  double factor = 1.0;
};
std::optional<ScaledValue> ScaledOperand(const Node& node);

// The strides of an axis of size `size` of which each of `axes` is a view, cut into the largest
// pieces that are plain in all of them: piece by piece one stride for each of `axes`. An axis
// without pieces repeats its element. nullopt: the pieces do not fit each other.
struct CommonPiece {
  std::int64_t size = 1;
  std::vector<std::int64_t> strides;
};
std::optional<std::vector<CommonPiece>> CutTogether(std::int64_t size,
                                                    std::span<const StridedAxis> axes);

// A batch of axes of sizes `batch` in memory, of which each of `views` has the last ones, or fewer:
// it repeats its elements along the others. The sizes of the pieces that are plain in all views,
// and view by view their strides.
struct CommonBatch {
  rt::Shape sizes;
  std::vector<rt::Shape> strides;
};
std::optional<CommonBatch> CutBatch(std::span<const std::int64_t> batch,
                                    std::span<const std::vector<StridedAxis>> views);

// Whether `value` has elements of type `dtype`, and sizes that are numbers, none of them 0.
bool HasSizes(const Value* value, DType dtype);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_STRIDED_VIEW_H_
