// SPDX-License-Identifier: Apache-2.0
// Operators that change sizes and move elements.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>
#include <numeric>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/tvm/prepare.h"
#include "core/ir/node_attributes.h"

namespace dragoman::relay::emit {
namespace {

bool IsScalarOfRunTime(const RelayOp& op) {
  return op.type().rank() == 0 && !op.node.operand(0)->is_constant();
}

// Whether operand 0 is a scalar that what has open sizes reads, with axes.
bool IsReadInOpenSizes(const RelayOp& op) {
  if (!IsScalarOfRunTime(op)) return false;
  for (const Use* use = op.node.result()->first_use(); use != nullptr; use = use->next()) {
    if (use->user() != nullptr && HasOpenSizes(*use->user())) return true;
  }
  return false;
}

// Reshape, Flatten and Squeeze: to the sizes that inference gives, else to those of operand 1.
Emitted EmitReshape(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  if (op.node.Is("Squeeze") && op.has(1)) {
    DRAGOMAN_ASSIGN(Ints axes, op.KnownInts(1));
    return One(op.Do("squeeze", {op.arg(0)}, {{"axis", std::move(axes)}}));
  }
  Value* x = IsReadInOpenSizes(op) ? ScalarAsVector(op.builder, op.arg(0)) : op.arg(0);
  Result<Value*> reshaped = ReshapeTo(op, x, from, to);
  if (reshaped.ok()) return One(*reshaped);
  const bool has_zero = op.Int("allowzero") != 0 && std::ranges::find(to, Dim(0)) != to.end();
  if (!op.node.Is("Reshape") || has_zero) return std::move(reshaped).error();
  Value* by_sizes = ReshapeBy(op, op.arg(0), op.arg(1));
  const Result<Value*> stated = ReshapeTo(op, by_sizes, to, to);
  return One(stated.ok() ? *stated : by_sizes);
}

Emitted EmitUnsqueeze(RelayOp& op) {
  DRAGOMAN_ASSIGN(Ints axes, op.KnownInts(1));
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  for (std::int64_t& axis : axes) axis += axis < 0 ? static_cast<std::int64_t>(to.size()) : 0;
  std::ranges::sort(axes);
  Value* x = op.arg(0);
  if (IsReadInOpenSizes(op)) {
    x = ScalarAsVector(op.builder, x);
    axes.pop_back();
  }
  for (std::size_t i = 0; i < axes.size();) {
    std::size_t end = i + 1;
    while (end < axes.size() && axes[end] == axes[end - 1] + 1) ++end;
    Attribute::Dict attributes = {{"axis", axes[i]}};
    if (end - i > 1) attributes.emplace_back("num_newaxis", static_cast<std::int64_t>(end - i));
    x = op.Do("expand_dims", {x}, std::move(attributes));
    i = end;
  }
  return One(x);
}

// At run time: a size of 1 that is asked for gives way to the operand's own.
Emitted EmitExpand(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  if (const auto sizes = KnownShape(to))
    return One(op.Do("broadcast_to", {op.arg(0)}, {{"shape", *sizes}}));
  DRAGOMAN_ASSIGN(const Shape asked, op.shape(1));
  if (asked.size() != 1 || !asked[0].known()) return op.Refuse("sizes of an unknown number");
  Value* x = IsScalarOfRunTime(op) ? ScalarAsVector(op.builder, op.arg(0)) : op.arg(0);
  Value* sizes =
      WithOnesBefore(op, op.arg(1), static_cast<std::size_t>(asked[0].value()), to.size());
  if (!from.empty()) {
    Value* own = WithOnesBefore(op, SizesOf(op, x), from.size(), to.size());
    sizes = op.Do("where", {op.Do("equal", {sizes, op.Int64(1)}), own, sizes});
  }
  return One(op.Do("dyn.broadcast_to", {x, sizes}, {{"shape", Attribute()}}));
}

Emitted EmitTranspose(RelayOp& op) {
  Ints order = op.Ints("perm");
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (rank == 0) return One(op.arg(0));
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(rank));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return One(Transpose(op, op.arg(0), std::move(order)));
}

Emitted EmitConcat(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  Values parts;
  const bool is_open = HasOpenSizes(op.node);
  // In a function that joins bfloat16 numbers that it reads with some that it computes, TVM 0.19
  // takes the bits of the former for numbers: all are made float32 in functions of their own.
  const bool is_widened = op.dtype() == DType::kBF16;
  const DType joined = is_widened ? DType::kF32 : op.dtype();
  for (const std::size_t i : tvm::JoinedOperands(op.node, static_cast<std::size_t>(axis))) {
    Value* part = is_widened ? Alone(op.builder, op.ArgAs(i, joined)) : op.arg(i);
    parts.push_back(is_open && !is_widened ? ApartFromScalars(op.builder, part) : part);
  }
  Value* y = op.Do("concatenate", {op.builder.Tuple(parts)}, {{"axis", op.Int("axis")}});
  return One(op.Cast(y, joined, op.dtype()));
}

Emitted EmitSplit(RelayOp& op) {
  const std::size_t count = op.node.num_results();
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  if (count == 1) return One(op.arg(0));
  Ints cuts = {0};
  bool equal = true, has_empty = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a part is omitted");
    DRAGOMAN_ASSIGN(const Shape part, op.result_shape(i));
    const Dim& size = part[static_cast<std::size_t>(axis)];
    if (!size.known()) return op.Refuse("parts of a size that is known at run time only");
    cuts.push_back(cuts.back() + size.value());
    equal = equal && size.value() == cuts[1];
    has_empty = has_empty || size.value() == 0;
  }
  Values results;
  if (has_empty) {  // split takes ascending places only
    for (std::size_t i = 0; i < count; ++i) {
      results.push_back(op.Do("strided_slice", {op.arg(0)},
                              {{"begin", Ints{cuts[i]}},
                               {"end", Ints{cuts[i + 1]}},
                               {"strides", Ints{1}},
                               {"axes", Ints{axis}}}));
    }
    return results;
  }
  const Attribute places = equal ? Attribute(static_cast<std::int64_t>(count))
                                 : Attribute(Ints(cuts.begin() + 1, cuts.end() - 1));
  Value* parts = op.Do("split", {op.arg(0)}, {{"indices_or_sections", places}, {"axis", axis}});
  for (std::size_t i = 0; i < count; ++i) results.push_back(op.builder.Element(parts, i));
  return results;
}

Emitted EmitTile(RelayOp& op) {
  const std::optional<Ints> repeats = op.MaybeInts(1);
  if (repeats) {
    if (repeats->empty()) return One(op.arg(0));
    return One(op.Do("tile", {op.arg(0)}, {{"reps", *repeats}}));
  }
  return One(op.Do("dyn.tile", {op.arg(0), op.arg(1)}, {{"reps", Ints()}}));
}

Emitted EmitShape(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  const auto place = [&](std::string_view name, std::int64_t otherwise, std::int64_t least) {
    const std::int64_t at = IntAttribute(op.node, name, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, least, rank);
  };
  const std::int64_t start = place("start", 0, 0);
  const std::int64_t end = place("end", rank, start);
  Value* sizes = SizesOf(op, op.arg(0));
  return One(start == 0 && end == rank ? sizes : Part(op, sizes, start, end));
}

Emitted EmitSize(RelayOp& op) {
  return One(op.Do("prod", {SizesOf(op, op.arg(0))}, {{"axis", Ints{0}}}));
}

Emitted EmitConstantOfShape(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  const Attribute* given = op.node.attribute("value");
  const Tensor* tensor = given != nullptr ? given->tensor() : nullptr;
  const DType dtype = tensor != nullptr ? tensor->dtype() : DType::kF32;
  if (RelayDType(dtype).empty()) return op.Refuse("a constant of that element type");
  Value* value =
      tensor != nullptr ? op.builder.Constant(tensor->Reshaped({})) : op.Number(0, dtype);
  const NamedAttribute type = {"dtype", std::string(RelayDType(dtype))};
  if (const auto sizes = KnownShape(to))
    return One(op.Do("full", {value}, {{"shape", *sizes}, type}));
  return One(op.Do("dyn.full", {value, op.arg(0)}, {{"shape", Attribute()}, type}));
}

Emitted EmitDropout(RelayOp& op) {
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(const Ints training, op.KnownInts(2));
    const Tensor* ratio = op.has(1) ? op.node.operand(1)->tensor() : nullptr;
    if (training.front() != 0 && (ratio == nullptr || ratio->FloatAt(0) != 0))
      return op.Refuse("training mode");
  }
  if (op.node.result(1) == nullptr) return One(op.arg(0));
  Value* ones = op.Do("ones_like", {op.arg(0)});
  return Values{op.arg(0), op.Do("not_equal", {ones, op.Number(0)})};
}

Emitted EmitRange(RelayOp& op) { return One(Arange(op, op.args(), op.dtype())); }

// By index, over both axes as one.
Emitted ReverseByIndex(RelayOp& op, bool time_first) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const std::size_t time = time_first ? 0 : 1, batch = 1 - time;
  const auto size = [&](std::size_t axis) {
    return SizeOf(op, op.arg(0), shape[axis], static_cast<std::int64_t>(axis));
  };
  const auto column = [&](Value* x) { return WithAxesBehind(op, x, 1); };
  const auto along = [&](std::size_t axis, Value* x) { return axis == 0 ? column(x) : x; };
  Value* steps = along(time, Places(op, size(time)));
  Value* rows = along(batch, Places(op, size(batch)));
  Value* lengths = along(batch, op.ArgAs(1, DType::kI64));
  Value* last = op.Do("subtract", {lengths, op.Int64(1)});
  Value* from = op.Do("where", {op.Do("less", {steps, lengths}), op.Do("subtract", {last, steps}),
                                op.Do("add", {steps, op.Do("zeros_like", {lengths})})});
  Value* starts = op.Do("multiply", {time_first ? from : rows, size(1)});
  Value* merged = op.Do("reshape", {op.arg(0)}, {{"newshape", Ints{-3, -2}}});
  return One(op.Do("take", {merged, op.Do("add", {starts, time_first ? rows : from})},
                   {{"axis", std::int64_t{0}}, {"mode", "fast"}}));
}

Emitted EmitReverseSequence(RelayOp& op) {
  if (HasOpenSizes(op.node)) return ReverseByIndex(op, op.Int("time_axis") == 0);
  return One(op.Do("reverse_sequence", op.args(),
                   {{"seq_axis", op.Int("time_axis")}, {"batch_axis", op.Int("batch_axis")}}));
}

}  // namespace

std::span<const Row> ShapeRows() {
  static constexpr Row kRows[] = {
      {"Concat", EmitConcat},
      {"ConstantOfShape", EmitConstantOfShape},
      {"Dropout", EmitDropout, "", true},
      {"Expand", EmitExpand},
      {"Flatten", EmitReshape},
      {"Range", EmitRange},
      {"Reshape", EmitReshape},
      {"ReverseSequence", EmitReverseSequence},
      {"Shape", EmitShape},
      {"Size", EmitSize},
      {"Split", EmitSplit},
      {"Squeeze", EmitReshape},
      {"Tile", EmitTile},
      {"Transpose", EmitTranspose},
      {"Unsqueeze", EmitUnsqueeze},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
