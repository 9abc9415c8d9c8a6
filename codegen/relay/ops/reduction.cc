// SPDX-License-Identifier: Apache-2.0
// Reductions and sums along axes.
#include "codegen/relay/ops/op_rows.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/extreme.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"
#include "codegen/tvm/ordering.h"
#include "core/ir/axes.h"

namespace dragoman::relay::emit {
namespace {

struct Reduction {
  Ints axes;
  bool keep = true;
};

Value* Reduce(RelayOp& op, std::string_view name, Value* x, const Reduction& reduction) {
  Attribute::Dict attributes = {{"axis", reduction.axes}};
  if (reduction.keep) attributes.emplace_back("keepdims", true);
  return op.Do(name, {x}, std::move(attributes));
}

// The axes written out, so that none of them means all of them.
Result<Reduction> ReductionOf(const RelayOp& op) {
  Reduction reduction;
  reduction.keep = op.Int("keepdims") != 0;
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(reduction.axes, op.KnownInts(1));
  }
  if (reduction.axes.empty() && op.Int("noop_with_empty_axes") == 0)
    reduction.axes = AxesFrom(0, rank);
  for (std::int64_t& axis : reduction.axes) axis += axis < 0 ? rank : 0;
  return reduction;
}

// What the operator gives of no elements, which TVM's loops do not take.
Emitted OfNothing(RelayOp& op) {
  const std::string& type = op.node.op().type;
  const bool is_float = IsFloating(op.dtype());
  std::optional<double> value;
  if (type == "ReduceSum") value = 0;
  if (type == "ReduceProd") value = 1;
  if (is_float && type == "ReduceMax") value = -HUGE_VAL;
  if (is_float && type == "ReduceMin") value = HUGE_VAL;
  if (!value) return op.Refuse("a reduction of nothing");
  DRAGOMAN_ASSIGN(const Shape result, op.result_shape());
  DRAGOMAN_ASSIGN(Ints sizes, op.KnownSizes(result));
  return One(op.Do("full", {op.Number(*value)},
                   {{"shape", std::move(sizes)}, {"dtype", std::string(RelayDType(op.dtype()))}}));
}

Emitted EmitReduce(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Reduction reduction, ReductionOf(op));
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const std::string& type = op.node.op().type;
  for (const std::int64_t axis : reduction.axes) {
    if (shape[static_cast<std::size_t>(axis)] == Dim(0)) return OfNothing(op);
  }
  Value* x = op.arg(0);
  if (op.dtype() == DType::kBool) {
    if (type != "ReduceMax" && type != "ReduceMin") return op.Refuse("sums of bool");
    if (reduction.axes.empty()) return One(x);
    if (type == "ReduceMin") return One(Reduce(op, "all", x, reduction));
    if (!HasOpenSizes(op.node)) return One(Reduce(op, "any", x, reduction));
    Value* none = Reduce(op, "all", op.Do("logical_not", {x}), reduction);
    return One(op.Do("logical_not", {none}));
  }
  if (reduction.axes.empty()) return One(x);
  if (type == "ReduceMax" || type == "ReduceMin")
    return One(Extreme(op, type == "ReduceMax",
                       [&](Value* of) { return Reduce(op, op.target, of, reduction); }));
  return One(Reduce(op, op.target, x, reduction));
}

// 1 where operand 0 is not infinite for a maximum, and where it is for a minimum, else 0. NaN is
// not equal to infinity, but not unequal either, as TVM compares.
Value* FlagsOfInfinity(RelayOp& op, bool max, DType dtype) {
  Value* is = op.Do("equal", {op.arg(0), op.Number(max ? -HUGE_VAL : HUGE_VAL)});
  Value* flags = op.Cast(is, DType::kBool, dtype);
  return max ? op.Do("subtract", {op.Number(1, dtype), flags}) : flags;
}

}  // namespace

// The extreme of the flags says whether there is anything but infinity.
Value* Extreme(RelayOp& op, bool max, const std::function<Value*(Value*)>& reduce) {
  Value* x = op.arg(0);
  if (!IsFloating(op.dtype()) || (max && !op.MayBeMinusInfinity())) return reduce(x);
  Value* infinity = op.Number(max ? -HUGE_VAL : HUGE_VAL);
  Value* flag = reduce(FlagsOfInfinity(op, max, op.dtype()));
  Value* above = op.Do("greater", {flag, op.Number(0)});
  return max ? op.Do("where", {above, reduce(x), infinity})
             : op.Do("where", {above, infinity, reduce(x)});
}

// TVM starts at the place -1 with the lowest number: elements that are not above it leave that.
Value* ExtremePlace(RelayOp& op, bool max, std::int64_t axis, bool keepdims, bool last) {
  const auto place = [&](Value* x) {
    Attribute::Dict attributes = {{"axis", Ints{axis}}};
    if (keepdims) attributes.emplace_back("keepdims", true);
    if (last) attributes.emplace_back("select_last_index", true);
    Value* index = op.Do(max ? "argmax" : "argmin", {x}, std::move(attributes));
    return op.Cast(index, DType::kI32, DType::kI64);
  };
  Value* found = place(op.arg(0));
  if (!IsFloating(op.dtype())) return op.Do("maximum", {found, op.Int64(0)});
  Value* other = place(FlagsOfInfinity(op, max, DType::kI32));
  return op.Do("where", {op.Do("less", {found, op.Int64(0)}), other, found});
}

namespace {

Emitted EmitArgReduce(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  return One(ExtremePlace(op, op.target == "argmax", axis, op.Int("keepdims") != 0,
                          op.Int("select_last_index") != 0));
}

Emitted EmitCumSum(RelayOp& op) {
  DRAGOMAN_ASSIGN(Ints axes, op.KnownInts(1));
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  const std::int64_t axis = axes.front() < 0 ? axes.front() + rank : axes.front();
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const bool reverse = op.Int("reverse") != 0;
  const auto flipped = [&](Value* x) {
    return reverse ? Reversed(op, x, shape[static_cast<std::size_t>(axis)], axis) : x;
  };
  Value* sum = op.Do("cumsum", {flipped(op.arg(0))},
                     {{"axis", axis},
                      {"dtype", std::string(RelayDType(op.dtype()))},
                      {"exclusive", op.Int("exclusive") != 0}});
  return One(flipped(sum));
}

// The first `count` elements along `axis`, whatever the sizes.
Value* Leading(RelayOp& op, Value* x, std::int64_t axis, Value* count) {
  const auto axes = static_cast<std::size_t>(axis + 1);
  Ints all(axes, INT32_MAX);
  all.pop_back();
  Value* end = axis == 0 ? count : Join(op, {op.IntVector(all), count});
  return op.Do("dyn.strided_slice",
               {x, op.IntVector(Ints(axes, 0)), end, op.IntVector(Ints(axes, 1))},
               {{"begin", Attribute()},
                {"end", Attribute()},
                {"strides", Attribute()},
                {"axes", Attribute()}});
}

// Relay takes a number of 0, which run time may find, for that of all elements.
Emitted EmitTopK(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  const std::optional<Ints> known = op.MaybeInts(1);
  const bool is_positive = known && known->front() > 0;
  Attribute::Dict attributes = {{"k", is_positive ? known->front() : 0},
                                {"axis", axis},
                                {"is_ascend", op.Int("largest") == 0},
                                {"dtype", "int64"}};
  const DType ordered = tvm::OrderedAs(op.dtype());
  const auto moved = [&](Value* x) {
    if (op.dtype() != DType::kU64) return x;
    Value* half = op.Number(std::numeric_limits<std::int64_t>::min(), DType::kI64);
    return op.Do("bitwise_xor", {x, half});
  };
  Value* x = moved(op.ArgAs(0, ordered));
  Value* both = op.Do("topk", {x}, std::move(attributes));
  Values results = {op.builder.Element(both, 0), op.builder.Element(both, 1)};
  if (!is_positive) {
    Value* count = op.arg(1)->is_constant() ? op.IntVector({0}) : op.arg(1);
    for (Value*& result : results) result = Leading(op, result, axis, count);
  }
  results[0] = op.Cast(moved(results[0]), ordered, op.dtype());
  return results;
}

}  // namespace

std::span<const Row> ReductionRows() {
  static constexpr Row kRows[] = {
      {"ArgMax", EmitArgReduce, "argmax"},
      {"ArgMin", EmitArgReduce, "argmin"},
      {"CumSum", EmitCumSum},
      {"ReduceMax", EmitReduce, "max"},
      {.label = "ReduceMean", .emit = EmitReduce, .target = "mean", .takes = tvm::IsOfFloats},
      {"ReduceMin", EmitReduce, "min"},
      {"ReduceProd", EmitReduce, "prod"},
      {"ReduceSum", EmitReduce, "sum"},
      {"TopK", EmitTopK},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
