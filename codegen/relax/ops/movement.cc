// Operators that move data or make it. Sizes must be known when the module is written, or be
// symbolic.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

std::int64_t Normalized(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

}  // namespace

Expressions EmitIdentity(RelaxOp& op) {
  if (!op.type().is_tensor()) return op.Refuse("only tensors");
  return One(op.arg(0));
}

Expressions EmitDropout(RelaxOp& op) {
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> training, op.KnownInts(2));
    if (training.front() != 0) return op.Refuse("training mode");
  }
  std::vector<std::string> expressions = {op.arg(0)};
  if (op.node.result(1) == nullptr) return expressions;
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  expressions.push_back(fmt::format("R.broadcast_to(R.const(True, \"bool\"), {})", sizes));
  return expressions;
}

// Reshape, Flatten and Squeeze: to the sizes that inference gives. A 0 copies a size in Relax.
Expressions EmitReshape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool zero = shape[i].known() && shape[i].value() == 0;
    if (zero && (i >= from.size() || from[i] != shape[i]))
      return op.Refuse("a reshape of nothing that moves the size 0");
  }
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  return One(fmt::format("R.reshape({}, {})", op.arg(0), sizes));
}

Expressions EmitUnsqueeze(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, op.KnownInts(1));
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  for (std::int64_t& axis : axes) axis = Normalized(axis, shape.size());
  std::sort(axes.begin(), axes.end());
  return One(fmt::format("R.expand_dims({}, axis={})", op.arg(0), ListText(axes)));
}

Expressions EmitExpand(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  return One(fmt::format("R.broadcast_to({}, {})", op.arg(0), sizes));
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

Expressions EmitConcat(RelaxOp& op) {
  std::string operands;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i)
    operands += (i > 0 ? ", " : "") + op.arg(i);
  if (op.node.num_operands() == 1) operands += ",";
  return One(fmt::format("R.concat(({}), axis={})", operands, op.Int("axis", 0)));
}

Expressions EmitSplit(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::int64_t axis = Normalized(op.Int("axis", 0), shape.size());
  const std::size_t count = op.node.num_results();
  if (count == 1) return One(op.arg(0));
  std::vector<std::int64_t> cuts;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a part is omitted");
    DRAGOMAN_ASSIGN(Shape part, op.result_shape(i));
    const Dim& size = part[static_cast<std::size_t>(axis)];
    if (!size.known()) return op.Refuse("the sizes of parts are known at run time only");
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

Expressions EmitTile(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> repeats, op.KnownInts(1));
  return One(fmt::format("R.tile({}, repeats={})", op.arg(0), ListText(repeats)));
}

namespace {

// Before and after each axis in turn, as Relax orders them.
Result<std::vector<std::int64_t>> PadWidths(const RelaxOp& op, std::size_t rank) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, op.KnownInts(1));
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  std::vector<std::int64_t> widths(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(Normalized(axes[i], rank));
    widths[2 * axis] = pads[i];
    widths[2 * axis + 1] = pads[i + axes.size()];
  }
  for (std::int64_t width : widths) {
    if (width < 0) return op.Refuse("negative padding");
  }
  return widths;
}

// What is padded from the operand itself must lie in it: `spare` elements of an axis cannot be
// taken.
Status CheckSource(const RelaxOp& op, const Shape& shape, const std::vector<std::int64_t>& widths,
                   std::int64_t spare) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Dim& size = shape[i / 2];
    if (widths[i] > 0 && (!size.known() || widths[i] > size.value() - spare))
      return op.Refuse("padding by more than the operand holds");
  }
  return {};
}

Result<std::string> PadValue(const RelaxOp& op) {
  if (op.dtype() == DType::kBool) return op.Refuse("padding of bool");
  if (!op.has(2)) return std::string("0.0");
  const Tensor* filler = op.node.operand(2)->tensor();
  if (filler == nullptr) return op.Refuse("a padding value that is known at run time only");
  if (IsFloating(op.dtype())) return op.FloatArgument(filler->FloatAt(0));
  return std::to_string(filler->IntAt(0)) + ".0";
}

}  // namespace

Expressions EmitPad(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> widths, PadWidths(op, shape.size()));
  const std::string mode = op.String("mode", "constant");
  std::string value = "0.0";
  if (mode == "constant") {
    DRAGOMAN_ASSIGN(value, PadValue(op));
  } else {
    DRAGOMAN_TRY(CheckSource(op, shape, widths, mode == "reflect" ? 1 : 0));
  }
  const std::string name = mode == "edge" ? "replicate" : mode == "wrap" ? "circular" : mode;
  return One(fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"{}\", pad_value={})", op.arg(0),
                         ListText(widths), name, value));
}

Expressions EmitShape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::string sizes = op.BindPlain(fmt::format("R.shape_of({})", op.arg(0)));
  const std::string all = fmt::format("R.shape_to_tensor({})", sizes);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t start =
      std::clamp<std::int64_t>(Normalized(op.Int("start", 0), shape.size()), 0, rank);
  const std::int64_t end =
      std::clamp<std::int64_t>(Normalized(op.Int("end", rank), shape.size()), start, rank);
  if (start == 0 && end == rank) return One(all);
  return One(fmt::format(
      "R.strided_slice({}, axes=[0], begin=[{}], end=[{}], strides=[1], assume_inbound=False)",
      op.BindPlain(all), start, end));
}

Expressions EmitSize(RelaxOp& op) { return One(fmt::format("R.size({})", op.arg(0))); }

Expressions EmitConstantOfShape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  const Attribute* value = op.node.attribute("value");
  std::optional<std::string> filler = "R.const(0.0, \"float32\")";
  if (value != nullptr && value->tensor() != nullptr)
    filler = ConstText(value->tensor()->Reshaped({}));
  if (!filler) return op.Refuse("a constant of that element type");
  return One(fmt::format("R.broadcast_to({}, {})", *filler, sizes));
}

Expressions EmitRange(RelaxOp& op) {
  if (!IsInteger(op.dtype())) return op.Refuse("a range of floating-point numbers");
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> delta, op.KnownInts(2));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> start, op.KnownInts(0));
  const Knowledge limit = op.inference.Know(op.node.operand(1));
  if (!limit.elements || limit.elements->size() != 1 || delta.front() <= 0 ||
      (start.front() != 0 && !limit.elements->front().known())) {
    return op.Refuse("a range whose bounds are known at run time only, or that goes down");
  }
  const std::optional<std::string> end = DimText(limit.elements->front(), op.symbols);
  if (!end) return op.Refuse("a range whose bounds are known at run time only");
  return One(fmt::format("R.arange({}, {}, {}, dtype=\"{}\")", start.front(), *end, delta.front(),
                         RelaxDType(op.dtype())));
}

Expressions EmitCumSum(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axis, op.KnownInts(1));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  axis.front() = Normalized(axis.front(), shape.size());
  const bool reverse = op.Int("reverse", 0) != 0;
  std::string x = op.arg(0);
  if (reverse) x = op.bind(fmt::format("R.flip({}, axis={})", x, axis.front()), op.type());
  const std::string sum =
      fmt::format("R.cumsum({}, axis={}, dtype=\"{}\", exclusive={})", x, axis.front(),
                  RelaxDType(op.dtype()), op.Int("exclusive", 0) != 0 ? "True" : "False");
  if (!reverse) return One(sum);
  return One(fmt::format("R.flip({}, axis={})", op.bind(sum, op.type()), axis.front()));
}

Expressions EmitTrilu(RelaxOp& op) {
  std::int64_t k = 0;
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> known, op.KnownInts(1));
    k = known.front();
  }
  return One(fmt::format("R.{}({}, {})", op.Int("upper", 1) != 0 ? "triu" : "tril", op.arg(0), k));
}

Expressions EmitEyeLike(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::optional<std::string> rows = DimText(shape[0], op.symbols);
  const std::optional<std::string> columns = DimText(shape[1], op.symbols);
  if (!rows || !columns) return op.Refuse("a size is known at run time only");
  return One(fmt::format("R.eye({}, {}, {}, dtype=\"{}\")", *rows, *columns, op.Int("k", 0),
                         RelaxDType(op.result_type().dtype())));
}

namespace {

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

}  // namespace

Expressions EmitDepthToSpace(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape s, op.shape(0));
  const Dim b(op.Int("blocksize", 1));
  const Dim c = FloorDiv(s[1], b * b);
  if (op.String("mode", "DCR") == "CRD")
    return Rearrange(op, {s[0], c, b, b, s[2], s[3]}, {0, 1, 4, 2, 5, 3});
  return Rearrange(op, {s[0], b, b, c, s[2], s[3]}, {0, 3, 4, 1, 5, 2});
}

Expressions EmitSpaceToDepth(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape s, op.shape(0));
  const Dim b(op.Int("blocksize", 1));
  return Rearrange(op, {s[0], s[1], FloorDiv(s[2], b), b, FloorDiv(s[3], b), b},
                   {0, 3, 5, 1, 2, 4});
}

}  // namespace dragoman::relax
