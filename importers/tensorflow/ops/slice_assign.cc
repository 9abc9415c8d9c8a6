// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor that are replaced.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/lowering/math.h"

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

Value* LowerTensorStridedSliceUpdate(Call& c) { return WithSlice(c, c.Tensor(0), c.Tensor(4)); }

// Of sizes in operand 0: the gradient of the slice, and zeros beside it.
Value* LowerStridedSliceGrad(Call& c) {
  Value* dy = c.Tensor(4);
  return WithSlice(c, c.Full(c.Index(0), 0, c.dtype(dy)), dy);
}

// Of a variable; those of TensorFlow 1 give the reference again.
std::vector<Abstract> LowerStridedSliceAssign(Call& c) {
  AssignTo(c, 0, WithSlice(c, c.Tensor(0), c.Tensor(4)));
  if (c.node().op().type.starts_with("Resource")) return {};
  return {c.operand(0)};
}

// Where XLA's slices of `sizes` begin in `x`: as far as stated, but so that they end within it.
Value* StartsWithin(Call& c, Value* starts, Value* x, Value* sizes) {
  return c.Max(c.Min(starts, c.Sub(c.Shape(x), sizes)), 0);
}

// The part of `sizes` (operand 2) from operand 1 on.
Value* LowerXlaDynamicSlice(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  Value* sizes = c.Index(2);
  Value* starts = StartsWithin(c, c.Index(1), x, sizes);
  if (c.failed() || rank == 0) return x;
  return c.Op("Slice", {x, starts, c.Add(starts, sizes), c.Ints(AllAxes(rank))});
}

// Operand 1 in place of the part from operand 2 on.
Value* LowerXlaDynamicUpdateSlice(Call& c) {
  Value* x = c.Tensor(0);
  Value* update = c.Tensor(1);
  const int rank = c.Rank(x);
  Value* starts = StartsWithin(c, c.Index(2), x, c.Shape(update));
  if (c.failed() || rank == 0) return update;
  Value* replaced = nullptr;
  for (int axis = 0; axis < rank && !c.failed(); ++axis) {
    const std::optional<std::int64_t> known = c.KnownSize(update, axis);
    if (known == 0) return x;
    Value* place = c.Sub(c.Iota(c.Size(x, axis)), c.Select(starts, 0, axis));
    Value* within = c.And(c.GreaterOrEqual(place, 0), c.Less(place, c.Size(update, axis)));
    update = c.Gather(update, c.Where(within, place, 0), axis);
    within = AlongAxis(c, within, axis, rank);
    replaced = replaced == nullptr ? within : c.And(replaced, within);
  }
  return c.Where(replaced, update, x);
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

}  // namespace

std::span<const OpRow> SliceAssignRows() {
  static constexpr OpRow kRows[] = {
      {"InplaceAdd", LowerInplaceRows, "add"},
      {"InplaceSub", LowerInplaceRows, "sub"},
      {"InplaceUpdate", LowerInplaceRows, "update"},
      {"ResourceStridedSliceAssign", LowerStridedSliceAssign},
      {"StridedSliceAssign", LowerStridedSliceAssign},
      {"StridedSliceGrad", LowerStridedSliceGrad},
      {"TensorStridedSliceUpdate", LowerTensorStridedSliceUpdate},
      {"XlaDynamicSlice", LowerXlaDynamicSlice},
      {"XlaDynamicUpdateSlice", LowerXlaDynamicUpdateSlice},
  };
  return kRows;
}

}  // namespace dragoman::tf
