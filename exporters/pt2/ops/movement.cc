// SPDX-License-Identifier: Apache-2.0
// Operators that move or repeat elements.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "exporters/pt2/ops/sizes.h"

namespace dragoman::pt2 {
namespace {

// Sizes that no tensor tells stand for themselves where the operand states -1; one alone torch
// finds, of several the operand tells at run time.
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

// Elements from the last one on, in steps to the front: the elements at listed places.
Result<Term> CutBackwards(const AtenOp& op, const Term& x, const Cut& cut) {
  const Dim& size = x.shape[static_cast<std::size_t>(cut.axis)];
  if (!cut.begin.name.empty() || !cut.end.name.empty())
    return op.Refuse("bounds of a negative step that are known at run time only");
  const bool is_whole =
      cut.begin.number >= (size.known() ? size.value() - 1 : 0) || cut.begin.number == -1;
  const bool to_front = cut.end.number <= std::numeric_limits<std::int32_t>::min() ||
                        (size.known() && cut.end.number < -size.value());
  if (cut.step == -1 && is_whole && to_front &&
      (size.known() || cut.begin.number == -1 ||
       cut.begin.number >= std::numeric_limits<std::int32_t>::max()))
    return op.Flip(x, {cut.axis});
  if (!size.known()) return op.Refuse("a negative step along a size known at run time only");
  const std::int64_t n = size.value();
  const auto clamped = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + n : at, -1, n - 1);
  };
  Ints places;
  const std::int64_t stop = cut.end.number < -n ? -1 : clamped(cut.end.number);
  for (std::int64_t at = clamped(cut.begin.number); at > stop; at += cut.step) places.push_back(at);
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(cut.axis)] = static_cast<std::int64_t>(places.size());
  return op.Call("aten.index_select.default",
                 {{"self", x}, {"dim", cut.axis}, {"index", op.Constant(places)}},
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
      DRAGOMAN_ASSIGN(x, CutBackwards(op, x, cut));
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
  const Attribute* stated = op.node.attribute("end");
  const std::int64_t* given = stated != nullptr ? stated->As<std::int64_t>() : nullptr;
  std::int64_t end = given != nullptr ? *given : x.rank();
  end = std::clamp<std::int64_t>(end < 0 ? end + x.rank() : end, begin, x.rank());
  return TensorOfSizes(op, Shape(x.shape.begin() + begin, x.shape.begin() + end));
}

Emitted EmitSize(AtenOp& op) {
  DRAGOMAN_ASSIGN(Terms sizes, TensorOfSizes(op, {NumElements(op.arg(0).shape)}));
  return One(op.Squeeze(sizes.front(), 0));
}

// The places that an axis of `size` elements reads with `begin` more in front and `end` after.
Result<Ints> PaddedPlaces(const AtenOp& op, const std::string& mode, std::int64_t size,
                          std::int64_t begin, std::int64_t end) {
  Ints places;
  for (std::int64_t i = -begin; i < size + end; ++i) {
    std::int64_t at = i;
    if (mode == "edge") {
      at = std::clamp<std::int64_t>(i, 0, size - 1);
    } else if (mode == "wrap") {
      at = ((i % size) + size) % size;
    } else {
      const std::int64_t period = std::max<std::int64_t>(2 * (size - 1), 1);
      at = ((i % period) + period) % period;
      if (at >= size) at = period - at;
    }
    places.push_back(at);
  }
  if (size == 0 && !places.empty()) return op.Refuse("padding of an axis without elements");
  return places;
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

Emitted PadConstant(const AtenOp& op, const Term& x, const Pads& pads) {
  Sizes list;
  for (std::size_t i = pads.begins.size(); i-- > 0;) {
    list.push_back(pads.begins[i]);
    list.push_back(pads.ends[i]);
  }
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

Emitted EmitPad(AtenOp& op) {
  Term x = op.arg(0);
  const std::string mode = op.String("mode", "constant");
  DRAGOMAN_ASSIGN(const Pads pads, PadsOf(op, x.rank()));
  if (mode == "constant") return PadConstant(op, x, pads);
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const Size& begin = pads.begins[at];
    const Size& end = pads.ends[at];
    const bool is_known = begin.name.empty() && end.name.empty();
    if (is_known && begin.number == 0 && end.number == 0) continue;
    if (!is_known || !x.shape[at].known())
      return op.Refuse("padding by elements of an axis that is known at run time only");
    DRAGOMAN_ASSIGN(const Ints places,
                    PaddedPlaces(op, mode, x.shape[at].value(), begin.number, end.number));
    Shape shape = x.shape;
    shape[at] = static_cast<std::int64_t>(places.size());
    x = op.Call("aten.index_select.default",
                {{"self", x}, {"dim", axis}, {"index", op.Constant(places)}},
                {x.dtype, std::move(shape)});
  }
  return One(std::move(x));
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
