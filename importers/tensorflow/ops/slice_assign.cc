// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor that are replaced.
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// `x` with `value`, which broadcasts, in place of what a StridedSlice with the bounds of operands
// 1, 2 and 3 gives of it.
Value* WithSlice(Call& c, Value* x, Value* value) {
  Value* places = c.Reshape(c.Iota(c.NumElements(x)), c.Shape(x));
  Value* chosen = SliceByMasks(c, places, 1);
  Value* updates = c.Flatten(c.Expand(c.CastLike(value, x), c.Shape(chosen)));
  Value* flat = c.Op("ScatterElements", {c.Flatten(x), c.Flatten(chosen), updates});
  return c.Reshape(flat, c.Shape(x));
}

}  // namespace

Value* LowerTensorStridedSliceUpdate(Call& c) { return WithSlice(c, c.Tensor(0), c.Tensor(4)); }

// Of a variable; those of TensorFlow 1 give the reference again.
std::vector<Abstract> LowerStridedSliceAssign(Call& c) {
  AssignTo(c, 0, WithSlice(c, c.Tensor(0), c.Tensor(4)));
  if (c.node().op().type.starts_with("Resource")) return {};
  return {c.operand(0)};
}

// Rows at operand 1 replaced by operand 2, or with it added or (target) subtracted.
Value* LowerInplaceRows(Call& c) {
  Value* x = c.Tensor(0);
  Value* rows = c.Index(1);
  Value* value = c.Tensor(2);
  Value* place = c.Unsqueeze(c.Flatten(rows), {1});
  if (c.MaybeRank(rows) == 0) value = c.Unsqueeze(value, {0});
  if (c.target() == "update") return c.Op("ScatterND", {x, place, value});
  if (c.target() == "sub") value = c.Neg(value);
  return c.Op("ScatterND", {x, place, value}, {{"reduction", "add"}});
}

}  // namespace dragoman::tf
