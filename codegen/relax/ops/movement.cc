// SPDX-License-Identifier: Apache-2.0
// Operators that move data or make it. Sizes must be known when the module is written, or be
// symbolic.
#include "codegen/relax/ops/op_rows.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"
#include "codegen/tvm/prepare.h"
#include "core/ir/node_attributes.h"

namespace dragoman::relax {
namespace {

std::int64_t Normalized(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

Expressions EmitIdentity(RelaxOp& op) {
  if (!op.type().is_tensor()) return op.Refuse("only tensors");
  return One(op.arg(0));
}

Expressions EmitDropout(RelaxOp& op) {
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> training, op.KnownInts(2));
    const Tensor* ratio = op.has(1) ? op.node.operand(1)->tensor() : nullptr;
    const bool drops = ratio == nullptr || ratio->FloatAt(0) != 0;
    if (training.front() != 0 && drops) return op.Refuse("training mode");
  }
  std::vector<std::string> expressions = {op.arg(0)};
  if (op.node.result(1) == nullptr) return expressions;
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  expressions.push_back(fmt::format("R.broadcast_to(R.const(True, \"bool\"), {})", sizes));
  return expressions;
}

// `vector` of `count` elements with as many ones before it as `wanted` exceeds that.
std::string WithOnesBefore(RelaxOp& op, const std::string& vector, std::size_t count,
                           std::size_t wanted) {
  if (count >= wanted) return vector;
  const std::vector<std::int64_t> ones(wanted - count, 1);
  return op.BindPlain(
      fmt::format("R.concat((R.const({}, \"int64\"), {}), axis=0)", ListText(ones), vector));
}

// The sizes that operand 1 of Reshape asks for at run time: 0 copies, -1 takes what is left.
std::string WantedSizes(RelaxOp& op, std::size_t rank, std::size_t wanted) {
  std::string sizes = op.arg(1);
  if (op.Int("allowzero") == 0) {
    std::string own = SizesOf(op, op.arg(0));
    if (rank > wanted) {
      own = op.BindPlain(fmt::format(
          "R.strided_slice({}, axes=[0], begin=[0], end=[{}], strides=[1], assume_inbound=False)",
          own, wanted));
    } else if (rank < wanted) {
      const std::vector<std::int64_t> ones(wanted - rank, 1);
      own = op.BindPlain(
          fmt::format("R.concat(({}, R.const({}, \"int64\")), axis=0)", own, ListText(ones)));
    }
    sizes = op.Do("where", op.Do("equal", sizes, Int64Const(0)), own, sizes);
  }
  const std::string is_rest = op.Do("equal", sizes, Int64Const(-1));
  const std::string others = op.Do("where", is_rest, Int64Const(1), sizes);
  const std::string product = op.BindPlain(fmt::format("R.prod({}, axis=[0])", others));
  const std::string divisor = op.Do("maximum", product, Int64Const(1));
  const std::string rest = op.Do("floor_divide", op.Do("size", op.arg(0)), divisor);
  return op.Do("where", is_rest, rest, sizes);
}

// Reshape and Flatten: to the sizes that inference gives. A 0 copies a size in Relax, so that
// nothing with other sizes is made anew.
Expressions EmitReshape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  if (!IsSaid(op, shape) && op.node.Is("Reshape")) {
    DRAGOMAN_ASSIGN(std::string named,
                    NameSizes(op, WantedSizes(op, from.size(), shape.size()), shape));
    return One(fmt::format("R.reshape({}, {})", op.arg(0), named));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool zero = shape[i].known() && shape[i].value() == 0;
    if (!zero || (i < from.size() && from[i] == shape[i])) continue;
    DRAGOMAN_ASSIGN(std::string none, op.ShapeValue(shape));
    return One(fmt::format("R.zeros({}, dtype=\"{}\")", none, RelaxDType(op.dtype())));
  }
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  return One(fmt::format("R.reshape({}, {})", op.arg(0), sizes));
}

// Without axes those that have one element, which a symbolic size may or may not be.
Expressions EmitSqueeze(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  std::vector<std::int64_t> axes;
  if (op.node.num_operands() > 1 && op.has(1)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(1));
  } else {
    if (!std::ranges::all_of(shape, &Dim::known)) return EmitReshape(op);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == Dim(1)) axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  for (std::int64_t& axis : axes) axis = Normalized(axis, shape.size());
  std::sort(axes.begin(), axes.end());
  if (axes.empty()) return One(op.arg(0));
  return One(fmt::format("R.squeeze({}, axis={})", op.arg(0), ListText(axes)));
}

Expressions EmitUnsqueeze(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, op.KnownInts(1));
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  for (std::int64_t& axis : axes) axis = Normalized(axis, shape.size());
  std::sort(axes.begin(), axes.end());
  return One(fmt::format("R.expand_dims({}, axis={})", op.arg(0), ListText(axes)));
}

// At run time: an own size of 1 gives way to the one that is asked for.
Expressions EmitExpand(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(Shape asked, op.shape(1));
  if (!IsSaid(op, shape) && asked.size() == 1 && asked[0].known()) {
    const std::string own = WithOnesBefore(op, SizesOf(op, op.arg(0)), from.size(), shape.size());
    const auto count = static_cast<std::size_t>(asked[0].value());
    const std::string wanted = WithOnesBefore(op, op.arg(1), count, shape.size());
    const std::string sizes = op.Do("where", op.Do("equal", own, Int64Const(1)), wanted, own);
    DRAGOMAN_TRY(NameSizes(op, sizes, shape));
  }
  std::string x = op.arg(0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Dim& wanted = shape[i + shape.size() - from.size()];
    if (from[i].known() || Equal(from[i], wanted) == Truth::kYes) continue;
    const std::optional<std::string> count = DimText(wanted, op.symbols);
    if (!count) return op.Refuse("a size is known at run time only");
    const auto axis = static_cast<std::int64_t>(i);
    x = Stretched(op, x, axis, SizeOf(op, 0, from[i], axis), *count);
  }
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  return One(fmt::format("R.broadcast_to({}, {})", x, sizes));
}

Expressions EmitTranspose(RelaxOp& op) {
  std::vector<std::int64_t> perm = op.Ints("perm");
  if (perm.empty()) {
    DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
    perm.resize(shape.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  if (perm.empty()) return One(op.arg(0));
  return One(fmt::format("R.permute_dims({}, axes={})", op.arg(0), ListText(perm)));
}

// Operand `i` with the sizes of the first one along all axes but `axis`.
Result<std::string> FitBeside(RelaxOp& op, std::size_t i, std::size_t axis) {
  DRAGOMAN_ASSIGN(Shape wanted, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape own, op.shape(i));
  wanted[axis] = own[axis];
  return CastTo(op, i, std::move(wanted));
}

Expressions EmitConcat(RelaxOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  const auto along = static_cast<std::size_t>(axis);
  const std::vector<std::size_t> joined = tvm::JoinedOperands(op.node, along);
  std::string operands;
  for (const std::size_t i : joined) {
    DRAGOMAN_ASSIGN(const std::string operand, FitBeside(op, i, along));
    operands += (operands.empty() ? "" : ", ") + operand;
  }
  if (joined.size() == 1) operands += ",";
  return One(fmt::format("R.concat(({}), axis={})", operands, op.Int("axis")));
}

// Parts whose sizes are symbolic: each takes the places after those before it.
Expressions SplitAtRunTime(RelaxOp& op, std::int64_t axis) {
  Shape sizes;
  for (std::size_t i = 0; i < op.node.num_results(); ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a part is omitted");
    DRAGOMAN_ASSIGN(Shape part, op.result_shape(i));
    sizes.push_back(part[static_cast<std::size_t>(axis)]);
  }
  if (op.has(1)) {
    DRAGOMAN_TRY(NameSizes(op, AsInt64(op, 1), sizes));
  } else if (!IsSaid(op, sizes)) {
    return op.Refuse("the sizes of parts are known at run time only");
  }
  std::vector<std::string> parts;
  Dim from(0);
  for (const Dim& size : sizes) {
    const Dim to = from + size;
    const std::string places =
        op.BindPlain(fmt::format("R.arange({}, {}, 1, dtype=\"int64\")", *DimText(from, op.symbols),
                                 *DimText(to, op.symbols)));
    parts.push_back(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", op.arg(0), places, axis));
    from = to;
  }
  return parts;
}

Expressions EmitSplit(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::int64_t axis = Normalized(op.Int("axis"), shape.size());
  const std::size_t count = op.node.num_results();
  if (count == 1) return One(op.arg(0));
  if (op.has(1) && !op.inference.KnownInts(op.node.operand(1))) return SplitAtRunTime(op, axis);
  std::vector<std::int64_t> cuts;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a part is omitted");
    DRAGOMAN_ASSIGN(Shape part, op.result_shape(i));
    const Dim& size = part[static_cast<std::size_t>(axis)];
    if (!size.known()) return SplitAtRunTime(op, axis);
    at += size.value();
    if (i + 1 < count) cuts.push_back(at);
  }
  const std::string parts = op.bind(
      fmt::format("R.split({}, indices_or_sections={}, axis={})", op.arg(0), ListText(cuts), axis),
      {});
  std::vector<std::string> expressions;
  for (std::size_t i = 0; i < count; ++i) expressions.push_back(fmt::format("{}[{}]", parts, i));
  return expressions;
}

// By repeats that run time knows: each axis takes its own elements over and over.
Expressions EmitTile(RelaxOp& op) {
  const std::optional<std::vector<std::int64_t>> repeats =
      op.inference.KnownInts(op.node.operand(1));
  if (repeats) return One(fmt::format("R.tile({}, repeats={})", op.arg(0), ListText(*repeats)));
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_TRY(NameSizes(op, op.Do("multiply", SizesOf(op, op.arg(0)), op.arg(1)), shape));
  std::string x = op.arg(0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const std::string places = op.Do("floor_mod", Places(op, *DimText(shape[i], op.symbols)),
                                     SizeOf(op, 0, from[i], axis));
    x = op.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, places, axis));
  }
  return One(x);
}

Expressions EmitShape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::string sizes = op.BindPlain(fmt::format("R.shape_of({})", op.arg(0)));
  const std::string all = fmt::format("R.shape_to_tensor({})", sizes);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t start =
      std::clamp<std::int64_t>(Normalized(op.Int("start"), shape.size()), 0, rank);
  const std::int64_t end = std::clamp<std::int64_t>(
      Normalized(IntAttribute(op.node, "end", rank), shape.size()), start, rank);
  if (start == 0 && end == rank) return One(all);
  return One(fmt::format(
      "R.strided_slice({}, axes=[0], begin=[{}], end=[{}], strides=[1], assume_inbound=False)",
      op.BindPlain(all), start, end));
}

Expressions EmitSize(RelaxOp& op) { return One(fmt::format("R.size({})", op.arg(0))); }

Expressions EmitConstantOfShape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, NameSizes(op, op.arg(0), shape));
  const Attribute* value = op.node.attribute("value");
  std::optional<std::string> filler = "R.const(0.0, \"float32\")";
  if (value != nullptr && value->tensor() != nullptr)
    filler = ConstText(value->tensor()->Reshaped({}));
  if (!filler) return op.Refuse("a constant of that element type");
  return One(fmt::format("R.broadcast_to({}, {})", *filler, sizes));
}

Expressions EmitCumSum(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axis, op.KnownInts(1));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  axis.front() = Normalized(axis.front(), shape.size());
  const bool reverse = op.Int("reverse") != 0;
  std::string x = op.arg(0);
  if (reverse) x = op.bind(fmt::format("R.flip({}, axis={})", x, axis.front()), op.type());
  const std::string sum =
      fmt::format("R.cumsum({}, axis={}, dtype=\"{}\", exclusive={})", x, axis.front(),
                  RelaxDType(op.dtype()), op.Int("exclusive") != 0 ? "True" : "False");
  if (!reverse) return One(sum);
  return One(fmt::format("R.flip({}, axis={})", op.bind(sum, op.type()), axis.front()));
}

// Where column - row is at least (upper) or at most (lower) a run-time k.
Expressions TriluAtRunTime(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::size_t n = shape.size();
  const std::optional<std::string> rows = DimText(shape[n - 2], op.symbols);
  const std::optional<std::string> columns = DimText(shape[n - 1], op.symbols);
  if (!rows || !columns) return op.Refuse("a size is known at run time only");
  const std::string row =
      op.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", Places(op, *rows)));
  const std::string from = op.Do("subtract", Places(op, *columns), row);
  const bool upper = op.Int("upper") != 0;
  const std::string kept = op.Do(upper ? "greater_equal" : "less_equal", from, op.arg(1));
  return One(fmt::format("R.where({}, {}, {})", kept, op.arg(0), op.Const(0)));
}

Expressions EmitTrilu(RelaxOp& op) {
  std::int64_t k = 0;
  if (op.has(1)) {
    const auto known = op.inference.KnownInts(op.node.operand(1));
    if (!known) return TriluAtRunTime(op);
    k = known->front();
  }
  return One(fmt::format("R.{}({}, {})", op.Int("upper") != 0 ? "triu" : "tril", op.arg(0), k));
}

Expressions EmitEyeLike(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::optional<std::string> rows = DimText(shape[0], op.symbols);
  const std::optional<std::string> columns = DimText(shape[1], op.symbols);
  if (!rows || !columns) return op.Refuse("a size is known at run time only");
  return One(fmt::format("R.eye({}, {}, {}, dtype=\"{}\")", *rows, *columns, op.Int("k"),
                         RelaxDType(op.result_type().dtype())));
}

// reshape to `split`, permute, reshape to the result's sizes.
Expressions Rearrange(RelaxOp& op, const Shape& split, const std::vector<std::int64_t>& perm) {
  DRAGOMAN_ASSIGN(std::string first, op.ShapeValue(split));
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  DRAGOMAN_ASSIGN(std::string last, op.ShapeValue(result));
  const std::string parts =
      op.bind(fmt::format("R.reshape({}, {})", op.arg(0), first), Type::Tensor(op.dtype(), split));
  const std::string moved =
      op.BindPlain(fmt::format("R.permute_dims({}, axes={})", parts, ListText(perm)));
  return One(fmt::format("R.reshape({}, {})", moved, last));
}

Expressions EmitDepthToSpace(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape s, op.shape(0));
  const Dim b(op.Int("blocksize"));
  const Dim c = FloorDiv(s[1], b * b);
  if (op.String("mode", "DCR") == "CRD")
    return Rearrange(op, {s[0], c, b, b, s[2], s[3]}, {0, 1, 4, 2, 5, 3});
  return Rearrange(op, {s[0], b, b, c, s[2], s[3]}, {0, 3, 4, 1, 5, 2});
}

Expressions EmitSpaceToDepth(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape s, op.shape(0));
  const Dim b(op.Int("blocksize"));
  return Rearrange(op, {s[0], s[1], FloorDiv(s[2], b), b, FloorDiv(s[3], b), b},
                   {0, 3, 5, 1, 2, 4});
}

}  // namespace

std::span<const Row> MovementRows() {
  static constexpr Row kRows[] = {
      {"Concat", EmitConcat},
      {"ConstantOfShape", EmitConstantOfShape, true},
      {"CumSum", EmitCumSum, true},
      {"DepthToSpace", EmitDepthToSpace},
      {"Dropout", EmitDropout, true},
      {"Expand", EmitExpand},
      {"EyeLike", EmitEyeLike, true},
      {"Flatten", EmitReshape, true},
      {"Identity", EmitIdentity},
      {"Reshape", EmitReshape},
      {"Shape", EmitShape},
      {"Size", EmitSize},
      {"SpaceToDepth", EmitSpaceToDepth},
      {"Split", EmitSplit},
      {"Squeeze", EmitSqueeze},
      {"Tile", EmitTile},
      {"Transpose", EmitTranspose},
      {"Trilu", EmitTrilu},
      {"Unsqueeze", EmitUnsqueeze},
  };
  return kRows;
}

}  // namespace dragoman::relax
