// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using IntList = std::vector<std::int64_t>;

// What a Slice takes along one axis.
struct Bound {
  int axis = 0;
  std::int64_t begin = 0, end = 0, step = 1;

  friend bool operator==(const Bound&, const Bound&) = default;
};

constexpr std::size_t kBegin = 1, kEnd = 2, kAxes = 3, kStep = 4;  // operands of Slice

std::optional<IntList> ConstantInts(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr ? std::optional(tensor->ToInts()) : std::nullopt;
}

// What a Slice with constant bounds says; nullopt for any other.
std::optional<std::vector<Bound>> ReadBounds(const Node& slice) {
  const auto begins = ConstantInts(slice.operand(kBegin)), ends = ConstantInts(slice.operand(kEnd));
  if (!begins || !ends || begins->size() != ends->size()) return std::nullopt;
  std::vector<Bound> bounds;
  for (std::size_t i = 0; i < begins->size(); ++i)
    bounds.push_back({static_cast<int>(i), (*begins)[i], (*ends)[i]});
  if (slice.operand(kAxes) != nullptr) {
    const auto axes = ConstantInts(slice.operand(kAxes));
    if (!axes || axes->size() != bounds.size()) return std::nullopt;
    for (std::size_t i = 0; i < bounds.size(); ++i)
      bounds[i].axis = FromFront((*axes)[i], *slice.operand(0));
  }
  if (slice.operand(kStep) != nullptr) {
    const auto steps = ConstantInts(slice.operand(kStep));
    if (!steps || steps->size() != bounds.size()) return std::nullopt;
    for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i].step = (*steps)[i];
  }
  return bounds;
}

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

// The same elements, of an axis of known size, counted from the front; backwards, all of them are
// those from -1 to kFirst.
Bound CountFromFront(Bound bound, std::optional<std::int64_t> size) {
  if (!size || *size == 0 || bound.step == 0) return bound;
  const bool forwards = bound.step > 0;
  const auto place = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
    return std::clamp<std::int64_t>(at < 0 && at >= -*size ? at + *size : at, least, most);
  };
  if (forwards) {
    bound.begin = place(bound.begin, 0, *size);
    bound.end = std::max(place(bound.end, 0, *size), bound.begin);
  } else {
    bound.begin = place(bound.begin, 0, *size - 1);
    bound.end = std::min(place(bound.end, -1, *size - 1), bound.begin);
    if (bound.begin == *size - 1 && bound.end < bound.begin) bound.begin = -1;
    if (bound.end == -1) bound.end = kFirst;
  }
  return bound;
}

// An axis whose size is not known has an end that no size reaches, in files with 32-bit bounds too.
bool TakesAll(const Bound& bound, std::optional<std::int64_t> size) {
  const bool to_end =
      size ? bound.end >= *size : bound.end >= std::numeric_limits<std::int32_t>::max();
  return bound.step == 1 && bound.begin == 0 && to_end;
}

// Slice(x, …) = Slice(x, begins, ends, axes) with bounds counted from the front, of those axes of
// which it takes a part, in their order; steps are stated where one is not 1
Result<bool> UnifyBounds(Node& node, PassContext& context) {
  const auto said = node.Is("Slice") ? ReadBounds(node) : std::nullopt;
  if (!said || !node.operand(0)->type().rank()) return false;
  std::vector<Bound> bounds;
  for (const Bound& bound : *said) {
    const auto size = SizeAlong(*node.operand(0), bound.axis);
    const Bound counted = CountFromFront(bound, size);
    if (!TakesAll(counted, size)) bounds.push_back(counted);
  }
  if (bounds.empty()) return false;  // what takes all is not a Slice
  std::ranges::sort(bounds, {}, &Bound::axis);
  const bool strides = std::ranges::any_of(bounds, [](const Bound& b) { return b.step != 1; });
  IntList axes;
  for (const Bound& bound : bounds) axes.push_back(bound.axis);
  const bool is_same = bounds == *said && ConstantInts(node.operand(kAxes)) == axes &&
                       (node.operand(kStep) != nullptr) == strides;
  if (is_same) return false;
  const auto constant = [&](auto member, const char* name) {
    IntList numbers;
    for (const Bound& bound : bounds) numbers.push_back(bound.*member);
    return context.AddConstant(*node.graph(), Tensor::Ints(numbers), name, node.origin());
  };
  std::vector<Value*> operands = {node.operand(0), constant(&Bound::begin, "begin"),
                                  constant(&Bound::end, "end")};
  operands.push_back(context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin()));
  if (strides) operands.push_back(constant(&Bound::step, "step"));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Slice", operands));
  return context.ReplaceIfAllowed(node, y);
}

bool IsNumber(const Tensor* tensor) {
  return tensor != nullptr && tensor->size() == 1 && tensor->dtype() != DType::kString;
}

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A value that is kept within bounds: min(max(x, low), high), with low ≤ high.
struct BoundedValue {
  Value* x = nullptr;
  double low = -kUnbounded;
  double high = kUnbounded;
};

// What a constant of one number holds, an infinity without it; NaN for any other value.
double NumberIn(const Value* value, double absent) {
  if (value == nullptr) return absent;
  const Tensor* number = ConstantOf(value);
  return IsNumber(number) ? number->FloatAt(0) : std::numeric_limits<double>::quiet_NaN();
}

// That of one Clip, Relu, or Max or Min with a number; nullopt: `node` is none, or of integers.
std::optional<BoundedValue> ReadBounded(const Node& node) {
  if (node.num_results() != 1 || !IsFloating(node.result()->type().dtype())) return std::nullopt;
  BoundedValue bounded{node.num_operands() > 0 ? node.operand(0) : nullptr};
  if (node.Is("Relu")) {
    bounded.low = 0;
  } else if (node.Is("Clip")) {
    bounded.low = NumberIn(node.operand(1), bounded.low);
    bounded.high = NumberIn(node.operand(2), bounded.high);
  } else if ((node.Is("Max") || node.Is("Min")) && node.num_operands() == 2) {
    const bool is_first = ConstantOf(node.operand(0)) != nullptr;
    bounded.x = node.operand(is_first ? 1 : 0);
    double& bound = node.Is("Max") ? bounded.low : bounded.high;
    bound = NumberIn(node.operand(is_first ? 0 : 1), bound);
    if (!SameShape(*bounded.x, *node.result())) return std::nullopt;
  } else {
    return std::nullopt;
  }
  // A bound that no number is within, as Min with -inf has, is not an infinity that bounds nothing.
  const bool is_bound =
      bounded.low <= bounded.high && bounded.low < kUnbounded && bounded.high > -kUnbounded;
  return is_bound ? std::optional(bounded) : std::nullopt;
}

// `outer` of `inner` as one, if one of them is a lower and the other an upper bound. A state that
// is kept within bounds on both sides, and then goes through Relu, stays what it is.
std::optional<BoundedValue> Joined(const BoundedValue& outer, const BoundedValue& inner) {
  const bool fits = outer.x->HasOneUse() && std::isinf(outer.low) != std::isinf(outer.high) &&
                    std::isinf(inner.low) == std::isinf(outer.high) &&
                    std::isinf(inner.high) == std::isinf(outer.low);
  const BoundedValue both{inner.x, std::max(outer.low, inner.low),
                          std::min(outer.high, inner.high)};
  return fits && both.low <= both.high ? std::optional(both) : std::nullopt;
}

// Max(x, c) = Clip(x, c) and Min(x, c) = Clip(x, _, c) for one number c, of both in a row one Clip,
// and Clip(x, 0) = Relu(x)
Result<bool> SpellBounds(Node& node, PassContext& context) {
  const auto own = ReadBounded(node);
  if (!own) return false;
  const auto inner =
      own->x->producer() != nullptr ? ReadBounded(*own->x->producer()) : std::nullopt;
  const BoundedValue whole = inner ? Joined(*own, *inner).value_or(*own) : *own;
  const bool is_relu = whole.low == 0 && std::isinf(whole.high);
  if (whole.x == own->x && node.Is(is_relu ? "Relu" : "Clip")) return false;
  std::vector<Value*> operands = {whole.x};
  for (const double number : {whole.low, whole.high}) {
    operands.push_back(nullptr);
    if (is_relu || std::isinf(number)) continue;
    DRAGOMAN_ASSIGN(Tensor bound, Tensor::Full(node.result()->type().dtype(), {}, number));
    operands.back() = context.AddConstant(*node.graph(), std::move(bound), "bound", node.origin());
  }
  while (operands.back() == nullptr) operands.pop_back();
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, is_relu ? "Relu" : "Clip", operands));
  return context.ReplaceIfAllowed(node, y);
}

// Add(c, x) = Add(x, c) for a constant c; other commutative operators likewise
Result<bool> PutConstantLast(Node& node, PassContext&) {
  const OpDef* def = FindOp(node);
  const bool swaps = def != nullptr && def->commutative && node.num_operands() >= 2 &&
                     ConstantOf(node.operand(0)) != nullptr && node.operand(1) != nullptr &&
                     ConstantOf(node.operand(1)) == nullptr;
  if (!swaps) return false;
  Value* constant = node.operand(0);
  node.set_operand(0, node.operand(1));
  node.set_operand(1, constant);
  return true;
}

// ReduceSum(x, axes) = ReduceSum(x, axes) with these counted from the front and in order, or
// without where all are reduced; ReduceMean and its like likewise
Result<bool> UnifyReducedAxes(Node& node, PassContext& context) {
  if (node.op().dialect != "onnx" || !node.op().type.starts_with("Reduce")) return false;
  const auto said = node.num_operands() == 2 ? ConstantInts(node.operand(1)) : std::nullopt;
  const std::optional<int> rank = node.operand(0)->type().rank();
  if (!said || said->empty() || !rank) return false;
  IntList axes;
  for (std::int64_t axis : *said) axes.push_back(FromFront(axis, *node.operand(0)));
  std::ranges::sort(axes);
  const bool all = std::ssize(axes) == *rank;
  if (!all && axes == *said) return false;
  std::vector<Value*> operands = {node.operand(0)};
  if (!all)
    operands.push_back(
        context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin()));
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.name != "noop_with_empty_axes") attributes.push_back(attribute);
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, node.op().type, operands, std::move(attributes)));
  return context.ReplaceIfAllowed(node, y);
}

// Pad(x, pads, v, axes) = Pad(x, pads of all axes, v), without v where that is 0
Result<bool> UnifyPads(Node& node, PassContext& context) {
  const Tensor* pads = node.Is("Pad") ? ConstantOf(node.operand(1)) : nullptr;
  const std::optional<int> rank = pads != nullptr ? node.operand(0)->type().rank() : std::nullopt;
  if (!rank) return false;
  const Tensor* filler = ConstantOf(node.operand(2));
  const bool is_number = filler != nullptr && filler->size() == 1 &&
                         (IsFloating(filler->dtype()) || IsInteger(filler->dtype()));
  const bool is_zero =
      is_number &&
      (IsFloating(filler->dtype()) ? filler->FloatAt(0) == 0 && !std::signbit(filler->FloatAt(0))
                                   : filler->IntAt(0) == 0);
  const Tensor* axes = ConstantOf(node.operand(3));
  if (!is_zero && axes == nullptr) return false;
  if (node.operand(3) != nullptr && axes == nullptr) return false;
  std::vector<std::int64_t> amounts = pads->ToInts();
  if (axes != nullptr) {
    const std::vector<std::int64_t> stated = axes->ToInts();
    std::vector<std::int64_t> all(static_cast<std::size_t>(2 * *rank), 0);
    if (amounts.size() != 2 * stated.size()) return false;
    for (std::size_t i = 0; i < stated.size(); ++i) {
      const auto axis = static_cast<std::size_t>(stated[i] < 0 ? stated[i] + *rank : stated[i]);
      if (axis >= static_cast<std::size_t>(*rank)) return false;
      all[axis] = amounts[i];
      all[axis + static_cast<std::size_t>(*rank)] = amounts[i + stated.size()];
    }
    amounts = std::move(all);
  }
  std::vector<Value*> operands = {
      node.operand(0), context.AddConstant(*node.graph(), Tensor::Ints(amounts),
                                           node.operand(1)->name(), node.operand(1)->origin())};
  if (node.operand(2) != nullptr && !is_zero) operands.push_back(node.operand(2));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad", operands, node.attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// The biases of an operator that adds those of inputs and of states: the sums, and zeros, for each
// direction. Rows from `kept` on have their own factor.
Tensor SummedBiases(const Tensor& biases, std::int64_t rows, std::int64_t kept) {
  std::vector<double> sums;
  for (std::int64_t i = 0; i < biases.size(); ++i) {
    const std::int64_t row = i % (2 * rows);
    const bool stays = row % rows >= kept;
    const double own = biases.FloatAt(i);
    if (stays) {
      sums.push_back(own);
    } else {
      sums.push_back(row < rows ? own + biases.FloatAt(i + rows) : 0);
    }
  }
  if (biases.dtype() == DType::kF64) return Tensor::Of<double>(biases.sizes(), sums);
  return Tensor::Of<float>(biases.sizes(), std::vector<float>(sums.begin(), sums.end()));
}

// LSTM(…, (b, c)) = LSTM(…, (b + c, 0)); GRU and RNN likewise, but for what a GRU resets
Result<bool> SumBiases(Node& node, PassContext& context) {
  constexpr std::size_t kBias = 3;
  if (!node.Is("LSTM") && !node.Is("GRU") && !node.Is("RNN") && !node.IsDragoman("LSTM"))
    return false;
  const Tensor* biases = ConstantOf(node.operand(kBias));
  const bool is_known = biases != nullptr && biases->rank() == 2 && biases->sizes()[1] % 2 == 0 &&
                        (biases->dtype() == DType::kF32 || biases->dtype() == DType::kF64);
  if (!is_known) return false;
  const std::int64_t rows = biases->sizes()[1] / 2;
  const bool resets = node.Is("GRU") && IntAttribute(node, "linear_before_reset") != 0;
  const std::int64_t kept = resets ? rows / 3 * 2 : rows;
  bool has_two = false;
  for (std::int64_t i = 0; i < biases->size() && !has_two; ++i)
    has_two = i % (2 * rows) >= rows && i % rows < kept && biases->FloatAt(i) != 0;
  if (!has_two) return false;
  node.set_operand(kBias, context.AddConstant(*node.graph(), SummedBiases(*biases, rows, kept), "B",
                                              node.operand(kBias)->origin()));
  return true;
}

}  // namespace

std::span<const Pattern> OperandPatterns() {
  static constexpr Pattern kPatterns[] = {{"unify-bounds", UnifyBounds},
                                          {"spell-bounds", SpellBounds},
                                          {"put-constant-last", PutConstantLast},
                                          {"unify-reduced-axes", UnifyReducedAxes},
                                          {"unify-pads", UnifyPads},
                                          {"sum-biases", SumBiases}};
  return kPatterns;
}

}  // namespace dragoman
