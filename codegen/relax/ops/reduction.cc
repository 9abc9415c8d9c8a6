// SPDX-License-Identifier: Apache-2.0
// Reductions.
#include "codegen/relax/ops/op_rows.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "codegen/relax/ops/extreme.h"
#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

struct Reduction {
  std::vector<std::int64_t> axes;
  std::string keepdims;
};

// The axes written out, so that none of them means all of them.
Result<Reduction> ReductionOf(const RelaxOp& op) {
  Reduction reduction;
  reduction.keepdims = op.Int("keepdims") != 0 ? "True" : "False";
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(reduction.axes, op.KnownInts(1));
  }
  if (reduction.axes.empty() && op.Int("noop_with_empty_axes") == 0) {
    DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
    reduction.axes.resize(shape.size());
    std::iota(reduction.axes.begin(), reduction.axes.end(), 0);
  }
  return reduction;
}

// Along no axis each element stands for itself.
std::string Call(std::string_view function, const std::string& x, const Reduction& reduction) {
  if (reduction.axes.empty()) return x;
  return fmt::format("R.{}({}, axis={}, keepdims={})", function, x, ListText(reduction.axes),
                     reduction.keepdims);
}

bool MayBeEmpty(const Shape& shape, const Reduction& reduction) {
  for (std::int64_t axis : reduction.axes) {
    const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
    const Dim& size = shape[static_cast<std::size_t>(at)];
    if (size.known() && size.value() == 0) return true;
  }
  return false;
}

// What a reduction gives where there is no element. TVM before 0.26 gives whatever lies there.
std::string OfNothing(const RelaxOp& op) {
  const DType dtype = op.dtype();
  const bool max = op.node.Is("ReduceMax");
  if (max || op.node.Is("ReduceMin")) {
    if (dtype == DType::kBool) return max ? "R.const(False, \"bool\")" : "R.const(True, \"bool\")";
    if (IsFloating(dtype)) return op.Const(max ? -HUGE_VAL : HUGE_VAL);
    const bool is_signed = Info(dtype).is_signed;
    const int bits = Info(dtype).bits - (is_signed ? 1 : 0);
    const std::uint64_t highest = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::string lowest = is_signed ? fmt::format("-{}", highest + 1) : "0";
    return fmt::format("R.const({}, \"{}\")", max ? lowest : std::to_string(highest),
                       RelaxDType(dtype));
  }
  if (op.node.Is("ReduceMean")) return op.Const(std::nan(""));
  return op.Const(op.node.Is("ReduceProd") ? 1 : 0);
}

// Whether any element holds (ReduceMax), or all (ReduceMin), as an extreme of int32.
Expressions ReduceBool(RelaxOp& op, const Reduction& reduction) {
  if (reduction.axes.empty()) return One(op.arg(0));
  const bool any = op.node.Is("ReduceMax");
  const std::string extreme =
      op.BindPlain(Call(any ? "max" : "min", op.ArgAs(0, DType::kI32), reduction));
  return One(fmt::format("R.greater({}, R.const(0, \"int32\"))", extreme));
}

std::string_view FunctionOf(const Node& node) {
  return node.Is("ReduceMax")    ? "max"
         : node.Is("ReduceMean") ? "mean"
         : node.Is("ReduceMin")  ? "min"
         : node.Is("ReduceProd") ? "prod"
                                 : "sum";
}

Expressions EmitReduce(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Reduction reduction, ReductionOf(op));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::string& type = op.node.op().type;
  if (MayBeEmpty(shape, reduction)) {
    DRAGOMAN_ASSIGN(Shape result, op.result_shape());
    DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(result));
    return One(fmt::format("R.broadcast_to({}, {})", OfNothing(op), sizes));
  }
  if (op.dtype() == DType::kBool) return ReduceBool(op, reduction);
  const auto reduce = [&](const std::string& of) {
    return Call(FunctionOf(op.node), of, reduction);
  };
  const bool is_extreme = type == "ReduceMax" || type == "ReduceMin";
  return One(is_extreme && !reduction.axes.empty() ? Extreme(op, type == "ReduceMax", reduce)
                                                   : reduce(op.arg(0)));
}

// Where operand 0 is not infinite for a maximum, and where it is for a minimum. NaN is not equal to
// infinity, but not unequal either, as TVM compares.
std::string FlagsOfInfinity(RelaxOp& op, bool max, const std::string& x, DType dtype) {
  std::string flags = op.Do("equal", x, op.Const(max ? -HUGE_VAL : HUGE_VAL));
  if (max) flags = op.Do("logical_not", flags);
  return op.Astype(flags, DType::kBool, dtype);
}

bool MayBeInfinite(const RelaxOp& op, bool max) {
  return IsFloating(op.dtype()) && (!max || op.MayBeMinusInfinity());
}

}  // namespace

// The extreme of the flags says whether there is anything but infinity.
std::string Extreme(RelaxOp& op, bool max,
                    const std::function<std::string(const std::string&)>& reduce) {
  const std::string x = op.arg(0);
  if (!MayBeInfinite(op, max)) return reduce(x);
  const std::string infinity = op.Const(max ? -HUGE_VAL : HUGE_VAL);
  const std::string extreme = op.BindPlain(reduce(x));
  const std::string flag = op.BindPlain(reduce(FlagsOfInfinity(op, max, x, op.dtype())));
  const std::string above = op.Do("greater", flag, op.Const(0));
  return max ? fmt::format("R.where({}, {}, {})", above, extreme, infinity)
             : fmt::format("R.where({}, {}, {})", above, infinity, extreme);
}

// TVM starts at the place -1 with the lowest number: elements that are not above it leave that.
std::string ExtremePlace(RelaxOp& op, bool max, const std::string& x, std::int64_t axis,
                         bool keepdims) {
  const auto place = [&](const std::string& of) {
    return op.BindPlain(fmt::format("R.{}({}, axis={}, keepdims={})", max ? "argmax" : "argmin", of,
                                    axis, keepdims ? "True" : "False"));
  };
  // TVM 0.27 finds no places in bfloat16.
  const DType compared = op.dtype() == DType::kBF16 ? DType::kF32 : op.dtype();
  const std::string found = place(op.Astype(x, op.dtype(), compared));
  if (!MayBeInfinite(op, max)) return fmt::format("R.maximum({}, {})", found, Int64Const(0));
  const std::string other = place(FlagsOfInfinity(op, max, x, DType::kI32));
  const std::string none = op.Do("less", found, Int64Const(0));
  return fmt::format("R.where({}, {}, {})", none, other, found);
}

namespace {

// Relax takes the first of equal elements; the last is the first of the flipped operand.
Expressions EmitArgReduce(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  const bool last = op.Int("select_last_index") != 0;
  std::string x = op.arg(0);
  if (last) x = op.BindLike(fmt::format("R.flip({}, axis={})", x, axis));
  const std::string index =
      ExtremePlace(op, op.node.op().type == "ArgMax", x, axis, op.Int("keepdims") != 0);
  if (!last) return One(index);
  const std::string size = SizeOf(op, 0, shape[static_cast<std::size_t>(axis)], axis);
  return One(fmt::format("R.subtract({}, {})", op.Do("subtract", size, Int64Const(1)),
                         op.bind(index, op.result_type())));
}

}  // namespace

std::span<const Row> ReductionRows() {
  static constexpr Row kRows[] = {
      {"ArgMax", EmitArgReduce}, {"ArgMin", EmitArgReduce},
      {"ReduceMax", EmitReduce}, {"ReduceMean", EmitReduce, false, tvm::IsOfFloats},
      {"ReduceMin", EmitReduce}, {"ReduceProd", EmitReduce},
      {"ReduceSum", EmitReduce},
  };
  return kRows;
}

}  // namespace dragoman::relax
