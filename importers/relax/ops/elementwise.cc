// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, reductions and sorting.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/lowering/division.h"
#include "core/lowering/math.h"
#include "core/lowering/shift.h"
#include "core/lowering/sums.h"
#include "importers/relax/ops/call.h"
#include "tvm/elementwise_calls.h"

namespace dragoman::tvmscript {
namespace {

// Of bool, TVM adds by or and multiplies by and, and bits are truth.
std::string OfBools(const std::string& op) {
  static constexpr std::pair<std::string_view, std::string_view> kOfBools[] = {
      {"Add", "Or"},         {"BitwiseAnd", "And"}, {"BitwiseNot", "Not"}, {"BitwiseOr", "Or"},
      {"BitwiseXor", "Xor"}, {"Max", "Or"},         {"Min", "And"},        {"Mul", "And"}};
  const auto* found = std::ranges::find(kOfBools, op, [](const auto& row) { return row.first; });
  return found != std::end(kOfBools) ? std::string(found->second) : op;
}

Abstract LowerUnary(Call& c) {
  Value* x = c.X(c.target() == "Relu" ? "data" : "x");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op(c.dtype(x) == DType::kBool ? OfBools(c.target()) : c.target(), {x}));
}

Abstract LowerBinary(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op(c.dtype(a) == DType::kBool ? OfBools(c.target()) : c.target(), {a, b}));
}

Abstract LowerShift(Call& c, bool left) {
  Value* x = c.X("x1");
  return c.NewTensor(ShiftBits(c, x, c.X("x2"), left));
}

Abstract LowerNotEqual(Call& c) { return c.NewTensor(c.NotEqual(c.X("x1"), c.X("x2"))); }

Abstract LowerTruncMod(Call& c) {
  return c.NewTensor(c.Op("Mod", {c.X("x1"), c.X("x2")}, {{"fmod", 1}}));
}

Abstract LowerFloorDivide(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  if (c.failed()) return Poison();
  return c.NewTensor(IsInteger(c.dtype(a)) ? FloorQuotientOfIntegers(c, a, b)
                                           : c.Floor(c.Div(a, b)));
}

Abstract LowerFloorMod(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  if (c.failed()) return Poison();
  if (IsInteger(c.dtype(a))) return c.NewTensor(c.Op("Mod", {a, b}));
  return c.NewTensor(c.Sub(a, c.Mul(b, c.Floor(c.Div(a, b)))));
}

Abstract LowerRsqrt(Call& c) { return c.NewTensor(c.Op("Reciprocal", {c.Sqrt(c.X("x"))})); }

Abstract LowerSquare(Call& c) {
  Value* x = c.X("x");
  return c.NewTensor(c.Mul(x, x));
}

Abstract LowerTrunc(Call& c) {
  Value* x = c.X("x");
  return c.failed() ? Abstract(Poison()) : c.NewTensor(Trunc(c, x));
}

Abstract LowerIsFinite(Call& c) {
  Value* x = c.X("x");
  return c.NewTensor(c.Not(c.Or(c.Op("IsInf", {x}), c.Op("IsNaN", {x}))));
}

Abstract LowerClip(Call& c) {
  Value* x = c.X("x");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op("Clip", {x, c.Scalar("min", c.dtype(x)), c.Scalar("max", c.dtype(x))}));
}

// A scalar has one axis for TVM.
Abstract LowerNonZero(Call& c) {
  Value* x = c.X("x");
  if (c.failed()) return Poison();
  if (c.Rank(x) != 0) return c.NewTensor(c.Op("NonZero", {x}));
  return c.NewTensor(c.Op("NonZero", {c.Unsqueeze(x, {0})}));
}

Abstract LowerWhere(Call& c) {
  return c.NewTensor(c.Where(c.X("condition"), c.X("x1"), c.X("x2")));
}

Abstract LowerAstype(Call& c) {
  Value* x = c.X("x");
  const DType to = c.Type("dtype", DType::kUnknown);
  const bool is_float8 = IsFloating(to) && Info(to).bits == 8;
  if (!c.failed() && is_float8) {  // TVM does not saturate
    return c.NewTensor(
        c.Op("Cast", {x}, {{"saturate", std::int64_t{0}}, {"to", static_cast<std::int64_t>(to)}}));
  }
  return c.failed() ? Abstract(Poison()) : c.NewTensor(c.Cast(x, to));
}

// The axes of a reduction, from the front; all if there are none.
Ints AxesOf(Call& c, const Value* x) {
  const int rank = c.Rank(x);
  if (c.failed()) return {};
  if (c.IsNone("axis")) return AllAxes(rank);
  Ints axes = c.IntsOf("axis");
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  return axes;
}

Abstract LowerReduce(Call& c) {
  Value* x = c.X("x");
  const Ints axes = c.failed() ? Ints() : AxesOf(c, x);
  const bool keep = c.Bool("keepdims");
  if (c.failed()) return Poison();
  if (c.target() == "ReduceMean" && !IsFloating(c.dtype(x)))
    return c.NewTensor(c.Fail("a mean of integers is not supported"));
  if (c.dtype(x) == DType::kBool) {
    // A sum holds where any element does, a product where all do.
    const bool any = c.target() == "ReduceSum" || c.target() == "ReduceMax";
    return c.NewTensor(c.Reduce(any ? "ReduceMax" : "ReduceMin", x, axes, keep));
  }
  // Without axes ai.onnx reduces all of them.
  if (axes.size() == static_cast<std::size_t>(c.Rank(x)) && !axes.empty())
    return c.NewTensor(c.Op(c.target(), {x}, {{"keepdims", keep ? 1 : 0}}));
  return c.NewTensor(c.Reduce(c.target(), x, axes, keep));
}

Abstract LowerVariance(Call& c, bool deviation) {
  Value* x = c.X("x");
  const Ints axes = c.failed() ? Ints() : AxesOf(c, x);
  const bool keep = c.Bool("keepdims");
  if (c.failed()) return Poison();
  Value* centered = c.Sub(x, c.ReduceMean(x, axes, true));
  Value* variance = c.ReduceMean(c.Mul(centered, centered), axes, keep);
  return c.NewTensor(deviation ? c.Sqrt(variance) : variance);
}

Abstract LowerArg(Call& c) {
  Value* x = c.X("x");
  const bool keep = c.Bool("keepdims");
  if (c.failed()) return Poison();
  const bool flat = c.IsNone("axis");
  const std::int64_t axis = flat ? 0 : c.Int("axis");
  Value* place =
      c.Op(c.target(), {flat ? c.Flatten(x) : x}, {{"axis", axis}, {"keepdims", keep ? 1 : 0}});
  if (flat && keep && !c.failed())
    place = c.Reshape(place, Ints(static_cast<std::size_t>(c.Rank(x)), 1));
  return c.NewTensor(place);
}

Abstract LowerCumulative(Call& c, bool product) {
  Value* x = c.X("data");
  if (c.failed()) return Poison();
  x = c.Cast(x, c.Type("dtype", c.dtype(x)));
  const bool flat = c.IsNone("axis");
  if (flat) x = c.Flatten(x);
  const std::int64_t axis = flat ? 0 : c.Int("axis");
  const bool exclusive = !c.IsNone("exclusive") && c.Bool("exclusive");
  if (product) {
    const int along = c.Axis(axis, c.Rank(x));
    return c.NewTensor(RunningProducts(c, x, along, exclusive));
  }
  return c.NewTensor(
      c.Op("CumSum", {x, c.Composer::Int(axis)}, {{"exclusive", exclusive ? 1 : 0}}));
}

// To sizes that are stated, or those of another operand.
Abstract LowerCollapseSum(Call& c, bool like) {
  Value* x = c.X("data");
  Value* sizes = like ? c.Shape(c.X("collapse_target")) : c.Sizes("shape");
  if (c.failed()) return Poison();
  const auto known = c.builder().KnownInts(sizes);
  return c.NewTensor(known ? SumTo(c, x, *known) : c.Fail("sizes that are not known"));
}

// Values and indices of all elements along an axis, in order.
std::vector<Value*> Sorted(Call& c, Value* x, std::int64_t axis, bool descending) {
  const int place = c.Axis(axis, c.Rank(x));
  if (c.failed()) return {nullptr, nullptr};
  return c.Ops("TopK", {x, c.Vector(c.Size(x, place))},
               {{"axis", place}, {"largest", descending ? 1 : 0}, {"sorted", 1}}, 2);
}

Abstract LowerSort(Call& c, bool indices) {
  Value* x = c.X(indices ? "data" : "x");
  if (c.failed()) return Poison();
  const std::vector<Value*> sorted = Sorted(c, x, c.Int("axis"), c.Bool("descending"));
  if (!indices || c.failed()) return c.NewTensor(sorted[0]);
  return c.NewTensor(c.Cast(sorted[1], c.Type("dtype", DType::kI32)));
}

// The lower middle of all elements, or (values, places) of those along an axis.
Abstract LowerMedian(Call& c) {
  Value* x = c.X("x");
  const bool keep = c.Bool("keepdims");
  const bool flat = c.IsNone("axis");
  const Ints axes = flat ? Ints() : c.IntsOf("axis");
  if (c.failed()) return Poison();
  if (axes.size() > 1) return c.NewTensor(c.Fail("a median along several axes"));
  const int rank = c.Rank(x);
  const bool all = axes.empty();
  const int axis = all ? 0 : c.Axis(axes.front(), rank);
  if (all) x = c.Flatten(x);
  if (c.failed()) return Poison();
  Value* middle = c.Op("Div", {c.Sub(c.Size(x, axis), 1), c.Composer::Int(2)});
  std::vector<Value*> parts = c.Ops("TopK", {x, c.Vector(c.Add(middle, 1))},
                                    {{"axis", axis}, {"largest", 0}, {"sorted", 1}}, 2);
  for (Value*& part : parts) {
    part = c.failed() ? nullptr : c.Gather(part, middle, axis);
    if (keep && !c.failed())
      part = all ? c.Reshape(part, Ints(static_cast<std::size_t>(rank), 1))
                 : c.Unsqueeze(part, {axis});
  }
  if (c.failed()) return Poison();
  return all ? c.NewTensor(parts[0]) : c.NewTuple(parts);
}

Abstract LowerTopK(Call& c) {
  Value* x = c.X("data");
  Value* k = c.Scalar("k", DType::kI64);
  if (c.failed()) return Poison();
  std::vector<Value*> results =
      c.Ops("TopK", {x, c.Vector(c.Cast(k, DType::kI64))},
            {{"axis", c.Int("axis")}, {"largest", c.Bool("largest") ? 1 : 0}, {"sorted", 1}}, 2);
  const std::string form = c.Text("ret_type");
  if (c.failed()) return Poison();
  results[1] = c.Cast(results[1], c.Type("dtype", DType::kI32));
  if (form == "both") return c.NewTuple(results);
  if (form != "values" && form != "indices") c.Fail("ret_type \"" + form + "\" is not supported");
  return c.NewTensor(results[form == "values" ? 0 : 1]);
}

Abstract LowerMatMul(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  if (c.failed()) return Poison();
  const DType dtype = c.Type("out_dtype", c.dtype(a));
  return c.NewTensor(MatMul(c, c.Cast(a, dtype), c.Cast(b, dtype)));
}

Abstract LowerLinear(Call& c) {
  Value* a = c.X("data");
  Value* w = c.X("weight");
  c.Expect("out_dtype", {});
  if (c.failed()) return Poison();
  Value* product = MatMul(c, a, c.Rank(w) == 2 ? c.Transpose(w, {1, 0}) : w);
  return c.NewTensor(c.IsNone("bias") ? product : c.Add(product, c.X("bias")));
}

Abstract LowerEinsum(Call& c) {
  return c.NewTensor(c.Op("Einsum", c.Tensors("operands"), {{"equation", c.Text("subscripts")}}));
}

}  // namespace

std::span<const LoweringRow> ElementwiseRows() {
  static constexpr LoweringRow kRows[] = {
      {"argmax", LowerArg, "ArgMax"},
      {"argmin", LowerArg, "ArgMin"},
      {"argsort", With<LowerSort, true>},
      {"astype", LowerAstype},
      {"clip", LowerClip},
      {"collapse_sum_like", With<LowerCollapseSum, true>},
      {"collapse_sum_to", With<LowerCollapseSum, false>},
      {"cumprod", With<LowerCumulative, true>},
      {"cumsum", With<LowerCumulative, false>},
      {"einsum", LowerEinsum},
      {"floor_divide", LowerFloorDivide},
      {"floor_mod", LowerFloorMod},
      {"isfinite", LowerIsFinite},
      {"left_shift", With<LowerShift, true>},
      {"linear", LowerLinear},
      {"matmul", LowerMatMul},
      {"max", LowerReduce, "ReduceMax"},
      {"mean", LowerReduce, "ReduceMean"},
      {"median", LowerMedian},
      {"min", LowerReduce, "ReduceMin"},
      {"mod", LowerTruncMod},
      {"nonzero", LowerNonZero},
      {"not_equal", LowerNotEqual},
      {"prod", LowerReduce, "ReduceProd"},
      {"right_shift", With<LowerShift, false>},
      {"rsqrt", LowerRsqrt},
      {"sort", With<LowerSort, false>},
      {"square", LowerSquare},
      {"std", With<LowerVariance, true>},
      {"sum", LowerReduce, "ReduceSum"},
      {"topk", LowerTopK},
      {"trunc", LowerTrunc},
      {"variance", With<LowerVariance, false>},
      {"where", LowerWhere},
  };
  static const std::vector<LoweringRow> rows = [] {
    std::vector<LoweringRow> all(std::begin(kRows), std::end(kRows));
    for (const tvm::ElementwiseCall& call : tvm::kElementwiseCalls)
      all.push_back({call.name, call.operands == 1 ? LowerUnary : LowerBinary, call.common});
    return all;
  }();
  return rows;
}

}  // namespace dragoman::tvmscript
