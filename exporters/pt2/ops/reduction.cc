// SPDX-License-Identifier: Apache-2.0
// Reductions, places of extremes, sums along an axis, the largest elements.
#include "core/ir/axes.h"
#include "core/ir/dtype_kinds.h"
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dragoman::pt2 {
namespace {

struct Reduced {
  Ints axes;
  bool keepdims = true;
};

Result<Reduced> ReducedOf(const AtenOp& op) {
  Reduced reduced;
  reduced.keepdims = op.Int("keepdims") != 0;
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(reduced.axes, op.KnownInts(1));
  }
  for (std::int64_t& axis : reduced.axes) axis = axis < 0 ? axis + op.rank() : axis;
  if (reduced.axes.empty() && op.Int("noop_with_empty_axes") == 0)
    reduced.axes = AxesFrom(0, op.rank());
  std::ranges::sort(reduced.axes);
  return reduced;
}

// torch multiplies along one axis at a time.
Term Product(const AtenOp& op, Term x, const Reduced& reduced) {
  for (auto axis = reduced.axes.rbegin(); axis != reduced.axes.rend(); ++axis) {
    Arguments arguments = {{"self", x}, {"dim", *axis}, {"keepdim", reduced.keepdims}};
    if (!IsFloating(x.dtype)) arguments.push_back(Kw("dtype", x.dtype));
    x = op.Call("aten.prod.dim_int", arguments,
                {x.dtype, ReducedShape(x.shape, {*axis}, reduced.keepdims)});
  }
  return x;
}

Term LogSumExp(const AtenOp& op, const Term& x, const Reduced& reduced) {
  if (reduced.axes.empty()) return x;
  return op.Call("aten.logsumexp.default",
                 {{"self", x}, {"dim", reduced.axes}, {"keepdim", reduced.keepdims}},
                 {x.dtype, ReducedShape(x.shape, reduced.axes, reduced.keepdims)});
}

bool IsEmptyAlong(const Term& x, const Ints& axes) {
  return std::ranges::any_of(axes, [&](std::int64_t axis) {
    const Dim& size = x.shape[static_cast<std::size_t>(axis)];
    return size.known() && size.value() == 0;
  });
}

// The extreme of no element.
double ExtremeOfNothing(bool max, DType dtype) {
  if (IsFloating(dtype)) return max ? -HUGE_VAL : HUGE_VAL;
  if (dtype == DType::kBool) return max ? 0 : 1;
  const int bits = Info(dtype).bits - (Info(dtype).is_signed ? 1 : 0);
  if (max) return Info(dtype).is_signed ? -std::ldexp(1.0, bits) : 0;
  return std::ldexp(1.0, bits) - 1;
}

Emitted Extreme(const AtenOp& op, const Term& x, const Reduced& reduced, bool max) {
  if (!IsEmptyAlong(x, reduced.axes))
    return One(op.Extreme(max, x, reduced.axes, reduced.keepdims));
  if (Info(x.dtype).bits == 64 && IsInteger(x.dtype))
    return op.Refuse("an extreme of no integers of 64 bits");
  DRAGOMAN_ASSIGN(Term full, op.Full(ReducedShape(x.shape, reduced.axes, reduced.keepdims),
                                     ExtremeOfNothing(max, x.dtype), x.dtype));
  return One(std::move(full));
}

Term Norm(const AtenOp& op, const Term& x, const Reduced& reduced) {
  if (reduced.axes.empty()) return op.Unary("aten.abs.default", x);
  return op.Call("aten.linalg_vector_norm.default",
                 {{"self", x}, {"ord", 2.0}, {"dim", reduced.axes}, {"keepdim", reduced.keepdims}},
                 {x.dtype, ReducedShape(x.shape, reduced.axes, reduced.keepdims)});
}

Emitted EmitReduce(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Reduced reduced, ReducedOf(op));
  const Term original = op.arg(0);
  const DType dtype = original.dtype;
  const std::string& type = op.node.op().type;
  const bool is_bare = IsWideUnsigned(dtype);
  if (is_bare && (dtype == DType::kU64 || type == "ReduceMean"))
    return op.Refuse("a reduction of unsigned integers of 64 bits");
  Term x = is_bare ? op.Cast(original, DType::kI64) : original;
  if (type == "ReduceMax" || type == "ReduceMin") {
    DRAGOMAN_ASSIGN(Terms extreme, Extreme(op, x, reduced, type == "ReduceMax"));
    return One(op.Cast(extreme.front(), dtype));
  }
  if (type == "ReduceSum") return One(op.Cast(op.Sum(x, reduced.axes, reduced.keepdims), dtype));
  if (type == "ReduceProd") return One(op.Cast(Product(op, x, reduced), dtype));
  // The others of integers are computed as floating-point numbers, and cut.
  if (!IsFloating(dtype)) x = op.Cast(x, DType::kF64);
  Term result = x;
  if (type == "ReduceMean") result = op.Mean(x, reduced.axes, reduced.keepdims);
  if (type == "ReduceL2") result = Norm(op, x, reduced);
  if (type == "ReduceLogSumExp") result = LogSumExp(op, x, reduced);
  return One(op.Cast(result, dtype));
}

// The first of equal elements; the last one is the first of the flipped operand.
Emitted EmitArgReduce(AtenOp& op) {
  const std::int64_t axis = op.Axis();
  const bool keepdims = op.Int("keepdims") != 0;
  const bool last = op.Int("select_last_index") != 0;
  Term x = op.arg(0);
  const Shape shape = ReducedShape(x.shape, {axis}, keepdims);
  if (last) x = op.Flip(x, {axis});
  const Term place =
      op.Call(op.node.Is("ArgMax") ? "aten.argmax.default" : "aten.argmin.default",
              {{"self", x}, {"dim", axis}, {"keepdim", keepdims}}, {DType::kI64, shape});
  if (!last) return One(place);
  const std::optional<Size> size = op.graph.SizeOf(x.shape[static_cast<std::size_t>(axis)]);
  if (!size) return op.Refuse("a size is known at run time only");
  const Term back = op.Unary("aten.neg.default", op.WithNumber("aten.add.Scalar", place, 1));
  return One(op.Call("aten.add.Scalar", {{"self", back}, {"other", *size}}, {DType::kI64, shape}));
}

// Zeros in the place of the first elements along an axis, which are shifted by one.
Result<Term> Shifted(const AtenOp& op, const Term& x, std::int64_t axis) {
  const Dim size = x.shape[static_cast<std::size_t>(axis)];
  Shape one = x.shape;
  one[static_cast<std::size_t>(axis)] = 1;
  DRAGOMAN_ASSIGN(const Term zero, op.Full(one, 0, x.dtype));
  const Term rest = op.Slice(x, axis, 0, -1, size - Dim(1));
  Term joined = op.Concat({zero, rest}, axis);
  joined.shape = x.shape;
  return joined;
}

Emitted EmitCumSum(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Ints axes, op.KnownInts(1));
  const std::int64_t axis = axes.at(0) < 0 ? axes.at(0) + op.rank() : axes.at(0);
  const bool reverse = op.Int("reverse") != 0;
  Term x = op.arg(0);
  if (reverse) x = op.Flip(x, {axis});
  Term sum = op.Call("aten.cumsum.default", {{"self", x}, {"dim", axis}, Kw("dtype", x.dtype)},
                     {x.dtype, x.shape});
  if (op.Int("exclusive") != 0) {
    DRAGOMAN_ASSIGN(sum, Shifted(op, sum, axis));
  }
  return One(reverse ? op.Flip(sum, {axis}) : sum);
}

// A stable sort gives the first of equal elements first, as ONNX has it and topk of torch has not.
Emitted EmitTopK(AtenOp& op) {
  const std::int64_t axis = op.Axis();
  const bool largest = op.Int("largest") != 0;
  const Term x = op.arg(0);
  const Terms sorted = op.graph.CallMany(
      "aten.sort.stable",
      {{"self", x}, Kw("stable", true), Kw("dim", axis), Kw("descending", largest)},
      {{x.dtype, x.shape}, {DType::kI64, x.shape}}, false);
  const Dim count = op.result().shape[static_cast<std::size_t>(axis)];
  std::optional<Size> end = op.graph.SizeOf(count);
  Dim size = count;
  if (!end) {
    const Item item = op.ItemAt(op.arg(1), 0);
    end = item.size;
    size = item.dim;
  }
  return Terms{op.Slice(sorted[0], axis, 0, *end, size), op.Slice(sorted[1], axis, 0, *end, size)};
}

}  // namespace

std::span<const Row> ReductionRows() {
  static constexpr Row kRows[] = {
      {"ArgMax", EmitArgReduce},
      {"ArgMin", EmitArgReduce},
      {"CumSum", EmitCumSum},
      {"ReduceL2", EmitReduce},
      {"ReduceLogSumExp", EmitReduce},
      {"ReduceMax", EmitReduce},
      {"ReduceMean", EmitReduce},
      {"ReduceMin", EmitReduce},
      {"ReduceProd", EmitReduce},
      {"ReduceSum", EmitReduce},
      {"TopK", EmitTopK},
  };
  return kRows;
}

}  // namespace dragoman::pt2
