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

namespace dragoman::onednn {

// `size` elements, `stride` elements apart. Both may be sizes known at run time only.
struct StridedPiece {
  Dim size = 1;
  Dim stride = 0;

  bool operator==(const StridedPiece&) const = default;
};

// An axis may have been joined of several: its pieces, outermost first; none if its size is 1.
using StridedAxis = std::vector<StridedPiece>;

struct StridedView {
  const Value* base = nullptr;
  Dim offset = 0;
  std::vector<StridedAxis> axes;
  double scale = 1.0;  // by which the elements of `base` are multiplied
};

// What rt::Strided says, in sizes that may be known at run time only.
struct StridedPlace {
  Dim offset = 0;
  Shape strides;
};

// The value, whose sizes have names, seen through all of Transpose, Reshape, Squeeze, Unsqueeze,
// Flatten, Expand, Split, Slice, Gather of one index, Neg, and products by a number that lie
// between it and another value of the same graph. Otherwise it is its own base.
StridedView ViewOf(const Value& value);

// The value as it lies.
StridedView WholeView(const Value& value);

// The same, repeated along axes of size 1 to sizes `wide` and then seen in sizes `sizes`. nullopt:
// it does not lie like this.
std::optional<StridedView> Repeated(const Value& value, const Shape& wide, const Shape& sizes);

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
  Dim size = 1;
  std::vector<Dim> strides;
};
std::optional<std::vector<CommonPiece>> CutTogether(Dim size, std::span<const StridedAxis> axes);

// A batch of axes of sizes `batch` in memory, of which each of `views` has the last ones, or fewer:
// it repeats its elements along the others. The sizes of the pieces that are plain in all views,
// and view by view their strides.
struct CommonBatch {
  Shape sizes;
  std::vector<Shape> strides;
};
std::optional<CommonBatch> CutBatch(std::span<const Dim> batch,
                                    std::span<const std::vector<StridedAxis>> views);

// How many elements of the operand of a Split, Slice or Gather of one index lie before those of
// `result`, which lie there one after the other. nullopt: it is of another operator, its elements
// lie apart, or where is known at run time only.
std::optional<std::int64_t> PlaceInOperand(const Value& result);

// Whether `value` has elements of type `dtype`, and sizes that are numbers other than 0 or have
// names.
bool HasSizes(const Value* value, DType dtype);

// Whether they are equal, or `d` is 1, whatever the sizes are.
bool IsSame(const Dim& a, const Dim& b);
bool IsUnit(const Dim& d);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_STRIDED_VIEW_H_
