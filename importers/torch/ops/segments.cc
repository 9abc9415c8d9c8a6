// SPDX-License-Identifier: Apache-2.0
// Reductions of runs of rows whose lengths, or ends, an operand gives.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

struct SegmentReduction {
  std::string_view name;
  std::string_view node;
  double neutral;
};

// A mean is a sum, divided.
constexpr SegmentReduction kReductions[] = {{"max", "ReduceMax", -INFINITY},
                                            {"mean", "ReduceSum", 0},
                                            {"min", "ReduceMin", INFINITY},
                                            {"prod", "ReduceProd", 1},
                                            {"sum", "ReduceSum", 0}};

// Where segments begin and end along the last axis; int64.
struct Bounds {
  Value* begins;
  Value* ends;
};

Bounds TakeBounds(CallComposer& c) {
  if (Value* lengths = c.OptionalTensor("lengths")) {
    lengths = c.Cast(lengths, DType::kI64);
    Value* ends = c.Op("CumSum", {lengths, c.Int(c.Rank(lengths) - 1)});
    return {c.Sub(ends, lengths), ends};
  }
  if (!c.Has("offsets")) c.Fail(InvalidInput("neither lengths nor offsets are given"));
  Value* offsets = c.failed() ? nullptr : c.Cast(c.Tensor("offsets"), DType::kI64);
  const int last = c.Rank(offsets) - 1;
  return {c.Slice(offsets, last, 0, -1), c.Slice(offsets, last, 1, kEnd)};
}

// `initial` and what `reduced` holds, by the operator that reduces two.
Value* Begun(Composer& c, std::string_view node, Value* reduced, Value* initial) {
  if (node == "ReduceMax") return Maximum(c, reduced, initial);
  if (node == "ReduceMin") return Minimum(c, reduced, initial);
  return node == "ReduceProd" ? c.Mul(reduced, initial) : c.Add(reduced, initial);
}

// Every segment reduces all rows, those outside of it as neutral ones.
Value* LowerSegmentReduce(CallComposer& c) {
  const std::string name = c.Text("reduce");
  const auto* reduction = std::find_if(std::begin(kReductions), std::end(kReductions),
                                       [&](const SegmentReduction& r) { return r.name == name; });
  if (reduction == std::end(kReductions)) return c.Refuse("reduction '" + name + "'");
  if (c.Has("indices")) return c.Refuse("argument indices");
  Value* given = c.Tensor("data");
  const int rank = c.Rank(given);
  const int axis = c.AxisArgument("axis", given);
  const Bounds bounds = TakeBounds(c);
  if (!c.failed() && c.Rank(bounds.ends) != axis + 1)
    return c.Fail(c.call().Invalid(
        "the lengths have another number of axes than stand before the reduced one"));
  Value* places = c.Iota(c.Size(given, axis));
  Value* inside = c.And(c.LessOrEqual(c.Unsqueeze(bounds.begins, {axis + 1}), places),
                        c.Less(places, c.Unsqueeze(bounds.ends, {axis + 1})));
  std::vector<std::int64_t> behind;
  for (int i = axis + 1; i < rank; ++i) behind.push_back(i + 1);
  if (!behind.empty()) inside = c.Unsqueeze(inside, behind);
  Value* rows = c.Where(inside, c.Unsqueeze(c.Widen(given), {axis}), reduction->neutral);
  Value* reduced = c.Reduce(reduction->node, rows, {axis + 1}, false);
  if (c.Has("initial"))
    reduced = Begun(c, reduction->node, reduced, c.As("initial", c.dtype(rows)));
  if (name == "mean") {
    Value* lengths = c.Sub(bounds.ends, bounds.begins);
    if (c.Has("initial")) lengths = c.Max(lengths, 1);
    for (std::int64_t& i : behind) --i;
    if (!behind.empty()) lengths = c.Unsqueeze(lengths, behind);
    reduced = c.Div(reduced, c.CastLike(lengths, reduced));
  }
  return c.CastLike(reduced, given);
}

}  // namespace

std::span<const OpRow> SegmentsRows() {
  static constexpr OpRow kRows[] = {
      {"aten.segment_reduce", LowerSegmentReduce},
  };
  return kRows;
}

}  // namespace dragoman::torch
