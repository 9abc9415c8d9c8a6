// SPDX-License-Identifier: Apache-2.0
// Operators of dialect `prims` that aten has not (torch/_prims/__init__.py). Their results are
// copies: programs that hold them are functional.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ir/dtype.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// Axis i of `a` becomes axis broadcast_dimensions[i] of a tensor of sizes `shape`.
Value* LowerBroadcastInDim(CallComposer& c) {
  Value* a = c.Tensor("a");
  const auto places = c.Take(c.call().IntList("broadcast_dimensions"));
  const std::size_t rank = c.Take(c.call().Scalars("shape")).size();
  std::vector<std::int64_t> added;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto place = static_cast<std::int64_t>(axis);
    if (std::ranges::find(places, place) == places.end()) added.push_back(place);
  }
  if (!c.failed() && added.size() + places.size() != rank)
    return c.Fail(c.call().Invalid("broadcast_dimensions that are not axes of the result"));
  if (!added.empty()) a = c.Unsqueeze(a, added);
  return c.Expand(a, c.Take(c.call().IntListValue("shape")));
}

// Axes `start` to `end`, which is among them, become one.
Value* LowerCollapse(CallComposer& c) {
  Value* a = c.Tensor("a");
  const int rank = c.Rank(a);
  const int start = c.AxisArgument("start", a), end = c.AxisArgument("end", a);
  if (!c.failed() && start > end) return c.Fail(c.call().Invalid("start after end"));
  return c.Reshape(
      a, c.ConcatSizes({c.SizeVector(a, 0, start), MergedSize(c, a, start, end - start + 1),
                        c.SizeVector(a, end + 1, rank - end - 1)}));
}

// Integers are divided as C++ does.
Value* LowerPrimitiveDiv(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.Div(x[0], x[1]);
}

Value* LowerPrimitiveIota(CallComposer& c) {
  Value* places = c.Iota(c.Take(c.call().IntValue("length")));
  Value* numbers =
      c.Add(c.Mul(places, c.Take(c.call().IntValue("step"))), c.Take(c.call().IntValue("start")));
  return c.Cast(numbers, c.DTypeOr("dtype", DType::kI64));
}

Value* LowerPrimitiveProd(CallComposer& c) {
  Value* x = c.Tensor("inp");
  x = c.Cast(x, c.DTypeOr("output_dtype", c.dtype(x)));
  return c.Reduce("ReduceProd", x, c.AxesArgument("dims", x), false);
}

Value* LowerPrimitiveSlice(CallComposer& c) {
  Value* a = c.Tensor("a");
  const int rank = c.Rank(a);
  std::vector<std::int64_t> axes, steps(static_cast<std::size_t>(rank), 1);
  for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  if (c.call().Has("strides")) steps = c.Take(c.call().IntList("strides"));
  return c.Op("Slice",
              {a, c.Take(c.call().IntListValue("start_indices")),
               c.Take(c.call().IntListValue("limit_indices")), c.Ints(axes), c.Ints(steps)});
}

// Axis `dim` becomes two, of sizes `outer_length` and what is left.
Value* LowerSplitDim(CallComposer& c) {
  Value* a = c.Tensor("a");
  const int rank = c.Rank(a), dim = c.AxisArgument("dim", a);
  Value* outer = c.Vector(c.Take(c.call().IntValue("outer_length")));
  return c.Reshape(a, c.ConcatSizes({c.SizeVector(a, 0, dim), outer, c.Ints({-1}),
                                     c.SizeVector(a, dim + 1, rank - dim - 1)}));
}

}  // namespace

std::span<const OpRow> PrimitivesRows() {
  static constexpr OpRow kRows[] = {
      {"prims.broadcast_in_dim", LowerBroadcastInDim},
      {"prims.collapse", LowerCollapse},
      {"prims.collapse_view", LowerCollapse},
      {"prims.div", LowerPrimitiveDiv},
      {"prims.iota", LowerPrimitiveIota},
      {"prims.prod", LowerPrimitiveProd},
      {"prims.slice", LowerPrimitiveSlice},
      {"prims.split_dim", LowerSplitDim},
  };
  return kRows;
}

}  // namespace dragoman::torch
