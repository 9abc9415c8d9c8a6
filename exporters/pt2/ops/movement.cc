// SPDX-License-Identifier: Apache-2.0
// Operators that move or repeat elements.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/ir/axes.h"
#include "core/ir/find_as.h"
#include "exporters/pt2/ops/sizes.h"

namespace dragoman::pt2 {
namespace {

// Sizes that no tensor has stand for themselves where the operand states -1; one alone torch
// finds, several are taken from the operand at run time.
Sizes SizesToReshape(const AtenOp& op, const Shape& shape) {
  const std::optional<Elements> stated = op.inference.Know(op.node.operand(1)).elements;
  const auto is_found = [&](std::size_t i) {
    return stated && i < stated->size() && (*stated)[i] == Dim(-1);
  };
  std::vector<std::optional<Size>> sizes;
  std::size_t unknown = 0;
  bool has_found = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    sizes.push_back(op.graph.SizeOf(shape[i]));
    if (sizes.back()) continue;
    ++unknown;
    has_found = has_found || is_found(i);
  }
  Sizes result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_free = is_found(i) || (unknown == 1 && !has_found);
    if (sizes[i]) {
      result.push_back(*sizes[i]);
    } else {
      result.push_back(is_free ? Size(-1)
                               : op.ItemAt(op.arg(1), static_cast<std::int64_t>(i)).size);
    }
  }
  return result;
}

Emitted EmitReshape(AtenOp& op) {
  const Shape shape = op.result().shape;
  const bool may_be_empty =
      std::ranges::any_of(shape, [](const Dim& d) { return d.known() && d.value() == 0; });
  if (may_be_empty && !op.graph.SizesOf(shape))
    return op.Refuse("a size is known at run time only");
  return One(op.Reshape(op.arg(0), SizesToReshape(op, shape), shape));
}

Emitted EmitFlatten(AtenOp& op) {
  const Term x = op.arg(0);
  const Shape shape = op.result().shape;
  Sizes sizes;
  for (const Dim& dim : shape) sizes.push_back(op.graph.SizeOf(dim).value_or(Size(-1)));
  if (sizes.size() == 2 && sizes[0].name.empty() && sizes[1].name.empty() &&
      sizes[0].number == -1 && sizes[1].number == -1)
    return op.Refuse("a size is known at run time only");
  return One(op.Reshape(x, sizes, shape));
}

// The axes of Squeeze and Unsqueeze, counted from the front of tensors of `rank` axes, in order.

Result<Ints> AxesOf(const AtenOp& op, std::int64_t rank) {
  DRAGOMAN_ASSIGN(Ints axes, op.KnownInts(1));
  for (std::int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  std::ranges::sort(axes);
  return axes;
}

Emitted EmitSqueeze(AtenOp& op) {
  Term x = op.arg(0);
  Ints axes;
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(axes, AxesOf(op, x.rank()));
  } else {
    for (std::int64_t i = 0; i < x.rank(); ++i) {
      const Dim& size = x.shape[static_cast<std::size_t>(i)];
      if (size.known() && size.value() == 1) axes.push_back(i);
    }
    if (x.rank() - static_cast<std::int64_t>(axes.size()) != op.result_rank())
      return op.Refuse("axes that only run time knows");
  }
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) x = op.Squeeze(x, *axis);
  return One(std::move(x));
}

Emitted EmitUnsqueeze(AtenOp& op) {
  Term x = op.arg(0);
  DRAGOMAN_ASSIGN(const Ints axes, AxesOf(op, op.result_rank()));
  for (std::int64_t axis : axes) x = op.Unsqueeze(x, axis);
  return One(std::move(x));
}

Emitted EmitTranspose(AtenOp& op) {
  const Term x = op.arg(0);
  Ints order = op.IntList("perm");
  if (order.empty()) {
    order = AxesFrom(0, x.rank());
    std::ranges::reverse(order);
  }
  return One(op.Permute(x, order));
}

Emitted EmitConcat(AtenOp& op) {
  Terms parts;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i) parts.push_back(op.arg(i));
  return One(op.Concat(parts, op.Axis()));
}

Emitted EmitSplit(AtenOp& op) {
  const Term x = op.arg(0);
  const std::int64_t axis = op.Axis();
  Shape sizes;
  std::vector<TermType> types;
  for (std::size_t i = 0; i < op.node.num_results(); ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a part that is left out");
    types.push_back(op.result(i));
    sizes.push_back(types.back().shape[static_cast<std::size_t>(axis)]);
  }
  std::optional<Sizes> parts = op.graph.SizesOf(sizes);
  if (!parts) {
    if (!op.has(1)) return op.Refuse("a size is known at run time only");
    parts = Sizes();
    for (std::size_t i = 0; i < types.size(); ++i) {
      const Item item = op.ItemAt(op.arg(1), static_cast<std::int64_t>(i));
      parts->push_back(item.size);
      types[i].shape[static_cast<std::size_t>(axis)] = item.dim;
    }
  }
  return op.graph.CallMany("aten.split_with_sizes.default",
                           {{"self", x}, {"split_sizes", *parts}, {"dim", axis}}, types, true);
}

struct Cut {
  std::int64_t axis = 0;
  Size begin = 0;
  Size end = 0;
  std::int64_t step = 1;
};

// Where a bound of a negative step is counted from the end, of an axis of `size` elements. Bounds
// in front of the axis are those of its first element, where `is_begin`, or of none.
Dim FromEnd(std::int64_t bound, const Dim& size, bool is_begin) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
  if (bound >= kFar) return 0;
  if (bound >= 0) return Max(size - Dim(bound + 1), 0);
  const Dim place = -1 - std::max(bound, -kFar);
  return is_begin && bound != -1 ? Min(place, size - Dim(1)) : place;
}

// Elements in steps to the front, `count` of them: the axis flipped, then cut.
Result<Term> CutBackwards(const AtenOp& op, const Term& x, const Cut& cut, const Dim& count) {
  if (!cut.begin.name.empty() || !cut.end.name.empty())
    return op.Refuse("bounds of a negative step that are known at run time only");
  const auto axis = static_cast<std::size_t>(cut.axis);
  const Dim& size = x.shape[axis];
  DRAGOMAN_ASSIGN(Sizes bounds, op.SizesOf({FromEnd(cut.begin.number, size, true),
                                            FromEnd(cut.end.number, size, false)}));
  const bool is_to_front = cut.end.number <= std::numeric_limits<std::int32_t>::min() ||
                           (size.known() && cut.end.number < -size.value());
  if (is_to_front) bounds[1] = std::numeric_limits<std::int64_t>::max();
  const Term flipped = op.Flip(x, {cut.axis});
  const bool is_whole = is_to_front && bounds[0].name.empty() && bounds[0].number == 0;
  if (is_whole && cut.step == -1) return flipped;
  Shape shape = x.shape;
  shape[axis] = count;
  return op.Call("aten.slice.Tensor",
                 {{"self", flipped},
                  {"dim", cut.axis},
                  {"start", bounds[0]},
                  {"end", bounds[1]},
                  {"step", -cut.step}},
                 {x.dtype, std::move(shape)});
}

Emitted EmitSlice(AtenOp& op) {
  Term x = op.arg(0);
  const Shape result = op.result().shape;
  const bool has_axes = op.has(3);
  Ints axes = AxesFrom(0, x.rank());
  if (has_axes) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  Ints steps(axes.size(), 1);
  if (op.has(4)) {
    DRAGOMAN_ASSIGN(steps, op.KnownInts(4));
  }
  const Dim& count = op.shape(1).at(0);
  if (!count.known()) return op.Refuse("a number of axes known at run time only");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count.value()); ++i) {
    const std::int64_t axis = axes.at(i) < 0 ? axes[i] + x.rank() : axes[i];
    const auto at = static_cast<std::size_t>(axis);
    const Cut cut = {axis, SizeElement(op, 1, i), SizeElement(op, 2, i), steps.at(i)};
    if (cut.step < 0) {
      DRAGOMAN_ASSIGN(x, CutBackwards(op, x, cut, result[at]));
      continue;
    }
    Shape shape = x.shape;
    shape[at] = result[at];
    Arguments arguments = {{"self", x}, {"dim", axis}, {"start", cut.begin}, {"end", cut.end}};
    if (cut.step != 1) arguments.push_back({"step", cut.step});
    x = op.Call("aten.slice.Tensor", arguments, {x.dtype, std::move(shape)});
  }
  return One(std::move(x));
}

Emitted EmitExpand(AtenOp& op) {
  const Term x = op.arg(0);
  const Shape shape = op.result().shape;
  const std::optional<Sizes> sizes = op.graph.SizesOf(shape);
  if (sizes)
    return One(op.Call("aten.expand.default", {{"self", x}, {"size", *sizes}}, {x.dtype, shape}));
  const Dim& count = op.shape(1).at(0);
  if (!count.known()) return op.Refuse("a rank known at run time only");
  Sizes wanted;
  Shape filled;
  for (std::int64_t i = 0; i < count.value(); ++i) {
    wanted.push_back(SizeElement(op, 1, static_cast<std::size_t>(i)));
    filled.emplace_back(Dim::Unknown());
  }
  const Term like = op.Call("aten.full.default",
                            {{"size", wanted}, {"fill_value", false}, Kw("dtype", DType::kBool)},
                            {DType::kBool, filled});
  const Terms both =
      op.graph.CallMany("aten.broadcast_tensors.default", {{"tensors", Terms{x, like}}},
                        {{x.dtype, shape}, {DType::kBool, shape}}, true);
  return One(both.front());
}

Emitted EmitTile(AtenOp& op) {
  const Term x = op.arg(0);
  Sizes repeats;
  for (std::int64_t i = 0; i < x.rank(); ++i)
    repeats.push_back(SizeElement(op, 1, static_cast<std::size_t>(i)));
  return One(op.Call("aten.repeat.default", {{"self", x}, {"repeats", repeats}}, op.result()));
}

// Blocks of channels as rows and columns, and back.
Emitted EmitDepthToSpace(AtenOp& op) {
  const Term x = op.arg(0);
  const std::int64_t block = op.Int("blocksize");
  const bool by_rows = op.String("mode", "DCR") == "DCR";
  const TermType result = op.result();
  if (!by_rows) {
    return One(
        op.Call("aten.pixel_shuffle.default", {{"self", x}, {"upscale_factor", block}}, result));
  }
  const Dim b = block;
  const Shape parts = {x.shape[0], b, b, result.shape[1], x.shape[2], x.shape[3]};
  DRAGOMAN_ASSIGN(const Term split, op.Reshape(x, parts));
  DRAGOMAN_ASSIGN(Term y, op.Reshape(op.Permute(split, {0, 3, 4, 1, 5, 2}), result.shape));
  return One(std::move(y));
}

Emitted EmitSpaceToDepth(AtenOp& op) {
  const Term x = op.arg(0);
  const Dim b = op.Int("blocksize");
  const TermType result = op.result();
  const Shape parts = {x.shape[0], x.shape[1], result.shape[2], b, result.shape[3], b};
  DRAGOMAN_ASSIGN(const Term split, op.Reshape(x, parts));
  DRAGOMAN_ASSIGN(Term y, op.Reshape(op.Permute(split, {0, 3, 5, 1, 2, 4}), result.shape));
  return One(std::move(y));
}

Emitted EmitTrilu(AtenOp& op) {
  const Term x = op.arg(0);
  const Size diagonal = op.has(1) ? SizeElement(op, 1, 0) : Size(0);
  return One(op.Call(op.Int("upper") != 0 ? "aten.triu.default" : "aten.tril.default",
                     {{"self", x}, {"diagonal", diagonal}}, {x.dtype, x.shape}));
}

// 1 where the column is `k` ahead of the row.
Emitted EmitEyeLike(AtenOp& op) {
  const TermType result = op.result();
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf(result.shape));
  const Term rows = op.Arange(sizes.at(0), result.shape[0], DType::kI64);
  const Term columns = op.Arange(sizes.at(1), result.shape[1], DType::kI64);
  const Term shifted = op.WithNumber("aten.add.Scalar", rows, static_cast<double>(op.Int("k")));
  return One(
      op.Cast(op.Compare("aten.eq.Tensor", op.Unsqueeze(shifted, 1), columns), result.dtype));
}

Emitted EmitConstantOfShape(AtenOp& op) {
  const TermType result = op.result();
  double value = 0;
  if (const Attribute* stated = op.node.attribute("value");
      stated != nullptr && stated->tensor() != nullptr) {
    const dragoman::Tensor& tensor = *stated->tensor();
    if (IsInteger(result.dtype) || result.dtype == DType::kBool) {
      value = static_cast<double>(tensor.IntAt(0));
    } else {
      value = tensor.FloatAt(0);
    }
  }
  Sizes sizes;
  for (std::size_t i = 0; i < result.shape.size(); ++i) {
    const std::optional<Size> size = op.graph.SizeOf(result.shape[i]);
    sizes.push_back(size ? *size : SizeElement(op, 0, i));
  }
  return One(op.Call(
      "aten.full.default",
      {{"size", sizes}, {"fill_value", NumberFor(value, result.dtype)}, Kw("dtype", result.dtype)},
      result));
}

// start + i * delta.
Emitted EmitRange(AtenOp& op) {
  const TermType result = op.result();
  const DType dtype = result.dtype;
  const std::optional<double> start = op.KnownNumber(0, 0);
  const std::optional<double> delta = op.KnownNumber(2, 0);
  if (op.KnownNumber(1, 0) && start && delta) {
    return One(op.Call("aten.arange.start_step",
                       {{"start", NumberFor(*start, dtype)},
                        {"end", NumberFor(*op.KnownNumber(1, 0), dtype)},
                        {"step", NumberFor(*delta, dtype)},
                        Kw("dtype", dtype)},
                       result));
  }
  Dim count = result.shape.at(0);
  std::optional<Size> size = op.graph.SizeOf(count);
  if (!size) {
    const DType exact = IsFloating(dtype) ? DType::kF64 : dtype;
    const Term span =
        op.Binary("aten.sub.Tensor", op.Cast(op.arg(1), exact), op.Cast(op.arg(0), exact));
    const Term quotient =
        op.Binary("aten.div.Tensor", op.Cast(span, DType::kF64), op.Cast(op.arg(2), DType::kF64));
    const Term steps = op.Clamp(op.Unary("aten.ceil.default", quotient), 0, std::nullopt);
    const Item item = op.graph.ItemOf(op.Cast(steps, DType::kI64));
    size = item.size;
    count = item.dim;
  }
  Term x = op.Arange(*size, count, dtype);
  if (delta != 1) {
    x = delta ? op.WithNumber("aten.mul.Scalar", x, *delta)
              : op.Binary("aten.mul.Tensor", x, op.arg(2));
  }
  if (start != 0) {
    x = start ? op.WithNumber("aten.add.Scalar", x, *start)
              : op.Binary("aten.add.Tensor", x, op.arg(0));
  }
  return One(std::move(x));
}

Emitted EmitShape(AtenOp& op) {
  const Term x = op.arg(0);
  std::int64_t begin = op.Int("start");
  begin = std::clamp<std::int64_t>(begin < 0 ? begin + x.rank() : begin, 0, x.rank());
  const std::int64_t* given = FindAs<std::int64_t>(op.node.attributes(), "end");
  std::int64_t end = given != nullptr ? *given : x.rank();
  end = std::clamp<std::int64_t>(end < 0 ? end + x.rank() : end, begin, x.rank());
  return TensorOfSizes(op, Shape(x.shape.begin() + begin, x.shape.begin() + end));
}

Emitted EmitSize(AtenOp& op) {
  DRAGOMAN_ASSIGN(Terms sizes, TensorOfSizes(op, {NumElements(op.arg(0).shape)}));
  return One(op.Squeeze(sizes.front(), 0));
}

struct Pads {
  Sizes begins;
  Sizes ends;
};

Result<Pads> PadsOf(const AtenOp& op, std::int64_t rank) {
  Ints axes = AxesFrom(0, rank);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  Pads pads = {Sizes(static_cast<std::size_t>(rank), Size(0)),
               Sizes(static_cast<std::size_t>(rank), Size(0))};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    pads.begins.at(axis) = SizeElement(op, 1, i);
    pads.ends.at(axis) = SizeElement(op, 1, i + axes.size());
  }
  return pads;
}

// The pads of the last `axes` axes, the last one first.
Sizes PadList(const Pads& pads, std::size_t axes) {
  Sizes list;
  for (std::size_t i = pads.begins.size(); i-- > pads.begins.size() - axes;) {
    list.push_back(pads.begins[i]);
    list.push_back(pads.ends[i]);
  }
  return list;
}

Emitted PadConstant(const AtenOp& op, const Term& x, const Pads& pads) {
  const Sizes list = PadList(pads, pads.begins.size());
  const TermType result = op.result();
  const auto padded = [&](const Term& of, double value) {
    return op.Call("aten.constant_pad_nd.default",
                   {{"self", of}, {"pad", list}, {"value", NumberFor(value, of.dtype)}},
                   {of.dtype, result.shape});
  };
  const std::optional<double> value = op.has(2) ? op.KnownNumber(2, 1) : std::optional<double>(0);
  if (value) return One(padded(x, *value));
  DRAGOMAN_ASSIGN(const Term inside, op.Full(x.shape, 1, DType::kBool));
  return One(op.Where(padded(inside, 0), padded(x, 0), op.arg(2)));
}

// The mode of torch's own operator, where that does the same for any sizes: it takes the last one
// to three axes, all but one or two, and no more elements than there are.
std::optional<std::string_view> ModeInTorch(const AtenOp& op, const std::string& mode,
                                            const Pads& pads, std::size_t axes) {
  const Shape& shape = op.shape();
  if (!IsFloating(op.dtype()) || axes + 1 > shape.size() || axes + 2 < shape.size() || axes > 3)
    return std::nullopt;
  for (std::size_t i = shape.size() - axes; i < shape.size(); ++i) {
    const std::int64_t most = std::max(pads.begins[i].number, pads.ends[i].number);
    const bool is_known = pads.begins[i].name.empty() && pads.ends[i].name.empty();
    if (!is_known || std::min(pads.begins[i].number, pads.ends[i].number) < 0) return std::nullopt;
    if (most == 0 || mode == "edge") continue;
    if (!shape[i].known() || most > shape[i].value() - (mode == "reflect" ? 1 : 0))
      return std::nullopt;
  }
  return mode == "edge" ? "replicate" : mode == "wrap" ? "circular" : "reflect";
}

// The element that stands at each of `count` places of an axis, the first of which is `begin` in
// front of it.
Result<Term> PaddedPlaces(const AtenOp& op, const std::string& mode, const Dim& size,
                          std::int64_t begin, const Dim& count) {
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf({count, size - Dim(1), size}));
  const Term at = op.WithNumber("aten.add.Scalar", op.Arange(sizes[0], count, DType::kI64),
                                static_cast<double>(-begin));
  const TermType type = {DType::kI64, {count}};
  if (mode == "edge")
    return op.Call("aten.clamp.default", {{"self", at}, {"min", 0}, {"max", sizes[1]}}, type);
  const auto in_period = [&](const Size& period) {
    return op.Call("aten.remainder.Scalar", {{"self", at}, {"other", period}}, type);
  };
  if (mode == "wrap") return in_period(sizes[2]);
  DRAGOMAN_ASSIGN(const Sizes period, op.SizesOf({Max((size - Dim(1)) * Dim(2), Dim(1))}));
  // As far from the end on the other side of it.
  const auto from_end = [&](const Term& x) {
    return op.Call("aten.rsub.Scalar", {{"self", x}, {"other", sizes[1]}}, type);
  };
  return from_end(op.Unary("aten.abs.default", from_end(in_period(period[0]))));
}

// `x` without the elements that negative pads of an axis cut off.
Term Cropped(const AtenOp& op, const Term& x, std::size_t axis, std::int64_t begin,
             std::int64_t end) {
  if (begin >= 0 && end >= 0) return x;
  const std::int64_t first = std::max<std::int64_t>(-begin, 0);
  const std::int64_t last = end < 0 ? end : std::numeric_limits<std::int64_t>::max();
  const Dim size = x.shape[axis] + Dim(std::min<std::int64_t>(end, 0) - first);
  return op.Slice(x, static_cast<std::int64_t>(axis), first, last, size);
}

Emitted PadByPlaces(const AtenOp& op, const std::string& mode, const Pads& pads) {
  Term x = op.arg(0);
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (!pads.begins[i].name.empty() || !pads.ends[i].name.empty())
      return op.Refuse("padding by a number of elements that is known at run time only");
    x = Cropped(op, x, i, pads.begins[i].number, pads.ends[i].number);
    const std::int64_t begin = std::max<std::int64_t>(pads.begins[i].number, 0);
    const std::int64_t end = std::max<std::int64_t>(pads.ends[i].number, 0);
    if (begin == 0 && end == 0) continue;
    const Dim count = x.shape[i] + Dim(begin + end);
    if (x.shape[i].known() && x.shape[i].value() == 0)
      return op.Refuse("padding of an axis without elements");
    DRAGOMAN_ASSIGN(const Term places, PaddedPlaces(op, mode, x.shape[i], begin, count));
    Shape shape = x.shape;
    shape[i] = count;
    x = op.Call("aten.index_select.default",
                {{"self", x}, {"dim", static_cast<std::int64_t>(i)}, {"index", places}},
                {x.dtype, std::move(shape)});
  }
  return One(std::move(x));
}

Emitted EmitPad(AtenOp& op) {
  const Term x = op.arg(0);
  const std::string mode = op.String("mode", "constant");
  DRAGOMAN_ASSIGN(const Pads pads, PadsOf(op, x.rank()));
  if (mode == "constant") return PadConstant(op, x, pads);
  const auto is_padded = [&](std::size_t i) {
    return pads.begins[i].number != 0 || pads.ends[i].number != 0 || !pads.begins[i].name.empty() ||
           !pads.ends[i].name.empty();
  };
  const std::size_t rank = x.shape.size();
  std::size_t first = 0;
  while (first < rank && !is_padded(first)) ++first;
  if (first == rank) return One(x);
  const std::size_t axes = std::max(rank - first, rank - std::min<std::size_t>(rank, 2));
  const auto torch_mode = ModeInTorch(op, mode, pads, axes);
  if (!torch_mode) return PadByPlaces(op, mode, pads);
  return One(
      op.Call("aten.pad.default",
              {{"self", x}, {"pad", PadList(pads, axes)}, {"mode", std::string(*torch_mode)}},
              {x.dtype, op.result().shape}));
}

}  // namespace

std::span<const Row> MovementRows() {
  static constexpr Row kRows[] = {
      {"Concat", EmitConcat},
      {"ConstantOfShape", EmitConstantOfShape},
      {"DepthToSpace", EmitDepthToSpace},
      {"Expand", EmitExpand},
      {"EyeLike", EmitEyeLike},
      {"Flatten", EmitFlatten},
      {"Pad", EmitPad},
      {"Range", EmitRange},
      {"Reshape", EmitReshape},
      {"Shape", EmitShape},
      {"Size", EmitSize},
      {"Slice", EmitSlice},
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

}  // namespace dragoman::pt2
