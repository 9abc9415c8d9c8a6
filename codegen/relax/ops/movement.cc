// Operators that move data. Sizes and bounds must be known when the module is written, or be
// symbolic sizes.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

Expressions One(std::string expression) { return std::vector<std::string>{std::move(expression)}; }

// "R.shape([2, n])"
Result<std::string> ShapeValue(const RelaxOp& op, const Shape& shape) {
  DRAGOMAN_ASSIGN(std::string text, op.shape_text(shape));
  std::string sizes = text.substr(1, text.size() - 2);
  if (shape.size() == 1) sizes.pop_back();
  return "R.shape([" + sizes + "])";
}

std::int64_t Normalized(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

}  // namespace

Expressions EmitIdentity(RelaxOp& op) {
  if (!op.type().is_tensor()) return op.Refuse("only tensors");
  return One(op.arg(0));
}

Expressions EmitDropout(RelaxOp& op) {
  if (op.has(2)) return op.Refuse("training mode");
  if (op.node.result(1) != nullptr) return op.Refuse("the mask as a result");
  return One(op.arg(0));
}

// Reshape, Flatten, Squeeze and Unsqueeze: to the sizes that inference gives.
Expressions EmitReshape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, ShapeValue(op, shape));
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
  DRAGOMAN_ASSIGN(std::string sizes, ShapeValue(op, shape));
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

// Bounds are resolved against known sizes; an axis of unknown size can only be sliced forwards from
// its start.
Expressions EmitSlice(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> starts, op.KnownInts(1));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> ends, op.KnownInts(2));
  std::vector<std::int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<std::int64_t> steps(starts.size(), 1);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  if (op.has(4)) {
    DRAGOMAN_ASSIGN(steps, op.KnownInts(4));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = Normalized(axes[i], shape.size());
    const Dim& size = shape[static_cast<std::size_t>(axes[i])];
    if (!size.known()) return op.Refuse("a slice of a size that is known at run time only");
    const std::int64_t n = size.value();
    auto resolve = [&](std::int64_t bound) {
      if (bound < 0) bound += n;
      return steps[i] > 0 ? std::clamp<std::int64_t>(bound, 0, n)
                          : std::clamp<std::int64_t>(bound, -1, n - 1);
    };
    starts[i] = resolve(starts[i]);
    ends[i] = resolve(std::max(ends[i], -n - 1));
    if (steps[i] > 0) ends[i] = std::max(ends[i], starts[i]);
    if (steps[i] < 0) ends[i] = std::min(ends[i], starts[i]);
    // A negative bound would count from the end: everything before the start lies beyond -n.
    if (ends[i] < 0) ends[i] = std::numeric_limits<std::int64_t>::min();
  }
  return One(fmt::format(
      "R.strided_slice({}, axes={}, begin={}, end={}, strides={}, assume_inbound=False)", op.arg(0),
      ListText(axes), ListText(starts), ListText(ends), ListText(steps)));
}

namespace {

// Indices without negative ones: where(i < 0, i + size, i).
Result<std::string> Wrapped(RelaxOp& op, std::size_t operand, const Dim& size) {
  const Type& type = op.type(operand);
  if (!size.known()) return op.Refuse("indices into a size that is known at run time only");
  const std::string limit =
      fmt::format("R.const({}, \"{}\")", size.value(), RelaxDType(type.dtype()));
  const std::string zero = fmt::format("R.const(0, \"{}\")", RelaxDType(type.dtype()));
  const std::string negative =
      op.bind(fmt::format("R.less({}, {})", op.arg(operand), zero), type.WithDType(DType::kBool));
  const std::string raised = op.bind(fmt::format("R.add({}, {})", op.arg(operand), limit), type);
  return op.bind(fmt::format("R.where({}, {}, {})", negative, raised, op.arg(operand)), type);
}

Result<std::string> Indices(RelaxOp& op, std::size_t operand, const Dim& size) {
  if (std::optional<std::vector<std::int64_t>> known =
          op.inference.KnownInts(op.node.operand(operand))) {
    if (std::all_of(known->begin(), known->end(), [](std::int64_t i) { return i >= 0; }))
      return op.arg(operand);
  }
  return Wrapped(op, operand, size);
}

}  // namespace

Expressions EmitGather(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::int64_t axis = Normalized(op.Int("axis", 0), shape.size());
  DRAGOMAN_ASSIGN(std::string indices, Indices(op, 1, shape[static_cast<std::size_t>(axis)]));
  return One(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", op.arg(0), indices, axis));
}

Expressions EmitGatherElements(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::int64_t axis = Normalized(op.Int("axis", 0), shape.size());
  DRAGOMAN_ASSIGN(std::string indices, Indices(op, 1, shape[static_cast<std::size_t>(axis)]));
  return One(fmt::format("R.gather_elements({}, {}, axis={})", op.arg(0), indices, axis));
}

Expressions EmitTile(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> repeats, op.KnownInts(1));
  return One(fmt::format("R.tile({}, repeats={})", op.arg(0), ListText(repeats)));
}

Expressions EmitPad(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, op.KnownInts(1));
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  std::vector<std::int64_t> widths(2 * shape.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(Normalized(axes[i], shape.size()));
    widths[2 * axis] = pads[i];
    widths[2 * axis + 1] = pads[i + axes.size()];
  }
  if (std::any_of(widths.begin(), widths.end(), [](std::int64_t w) { return w < 0; })) {
    return op.Refuse("negative padding");
  }
  const std::string mode = op.String("mode", "constant");
  if (mode != "constant" && mode != "reflect") return op.Refuse("padding of mode " + mode);
  std::string value = "0.0";
  if (op.has(2)) {
    const Tensor* filler = op.node.operand(2)->tensor();
    if (filler == nullptr) return op.Refuse("a padding value that is known at run time only");
    value = PythonFloat(filler->FloatAt(0), true);
  }
  return One(fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"{}\", pad_value={})", op.arg(0),
                         ListText(widths), mode, value));
}

Expressions EmitShape(RelaxOp& op) {
  if (op.Int("start", 0) != 0 || op.node.attribute("end") != nullptr)
    return op.Refuse("a part of the sizes");
  const std::string shape = op.bind(fmt::format("R.shape_of({})", op.arg(0)), {});
  return One(fmt::format("R.shape_to_tensor({})", shape));
}

Expressions EmitConstantOfShape(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, ShapeValue(op, shape));
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
  if (!limit.elements || limit.elements->size() != 1 || delta.front() <= 0) {
    return op.Refuse("a range whose bounds are known at run time only, or that goes down");
  }
  const std::optional<std::string> end = DimText(limit.elements->front(), op.symbols);
  if (!end) return op.Refuse("a range whose bounds are known at run time only");
  return One(fmt::format("R.arange({}, {}, {}, dtype=\"{}\")", start.front(), *end, delta.front(),
                         RelaxDType(op.dtype())));
}

Expressions EmitCumSum(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axis, op.KnownInts(1));
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

namespace {

// reshape to `split`, permute, reshape to the result's sizes.
Expressions Rearrange(RelaxOp& op, const Shape& split, const std::vector<std::int64_t>& perm) {
  DRAGOMAN_ASSIGN(std::string first, ShapeValue(op, split));
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  DRAGOMAN_ASSIGN(std::string last, ShapeValue(op, result));
  const std::string parts =
      op.bind(fmt::format("R.reshape({}, {})", op.arg(0), first), Type::Tensor(op.dtype(), split));
  const std::string moved =
      op.bind(fmt::format("R.permute_dims({}, axes={})", parts, ListText(perm)), {});
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
