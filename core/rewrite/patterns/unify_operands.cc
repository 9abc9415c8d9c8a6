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

using Numbers = std::vector<std::int64_t>;

// What a Slice takes along one axis.
struct Bound {
  int axis = 0;
  std::int64_t begin = 0, end = 0, step = 1;

  friend bool operator==(const Bound&, const Bound&) = default;
};

constexpr std::size_t kBegin = 1, kEnd = 2, kAxes = 3, kStep = 4;  // operands of Slice

std::optional<Numbers> ConstantInts(const Value* value) {
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

// The same elements in steps of 1, of an axis of known size, counted from the front.
Bound CountFromFront(Bound bound, std::optional<std::int64_t> size) {
  if (bound.step != 1 || !size) return bound;
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + *size : at, 0, *size);
  };
  bound.begin = place(bound.begin);
  bound.end = std::max(place(bound.end), bound.begin);
  return bound;
}

bool TakesAll(const Bound& bound, std::optional<std::int64_t> size) {
  const bool to_end = bound.end == std::numeric_limits<std::int64_t>::max() || bound.end == size;
  return bound.step == 1 && bound.begin == 0 && to_end;
}

// Slice(x, …) = Slice(x, begins, ends, axes) with bounds counted from the front, of those axes of
// which it takes a part, in their order; steps are told where one is not 1
Result<bool> UnifyBounds(Node& node, PassContext& context) {
  const auto said = node.Is("Slice") ? ReadBounds(node) : std::nullopt;
  if (!said || !node.operand(0)->type().rank()) return false;
  std::vector<Bound> bounds;
  for (const Bound& bound : *said) {
    const auto size = SizeAlong(*node.operand(0), bound.axis);
    const Bound counted = CountFromFront(bound, size);
    if (!TakesAll(counted, size)) bounds.push_back(counted);
  }
  if (bounds.empty()) return false;  // what takes all is no Slice
  std::ranges::sort(bounds, {}, &Bound::axis);
  const bool strides = std::ranges::any_of(bounds, [](const Bound& b) { return b.step != 1; });
  if (bounds == *said && node.operand(kAxes) != nullptr &&
      (node.operand(kStep) != nullptr) == strides) {
    return false;
  }
  const auto constant = [&](auto member, const char* name) {
    Numbers numbers;
    for (const Bound& bound : bounds) numbers.push_back(bound.*member);
    return context.AddConstant(*node.graph(), Tensor::Ints(numbers), name, node.origin());
  };
  std::vector<Value*> operands = {node.operand(0), constant(&Bound::begin, "begin"),
                                  constant(&Bound::end, "end")};
  Numbers axes;
  for (const Bound& bound : bounds) axes.push_back(bound.axis);
  operands.push_back(context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin()));
  if (strides) operands.push_back(constant(&Bound::step, "step"));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Slice", operands));
  return context.ReplaceIfAllowed(node, y);
}

bool IsNumber(const Tensor* tensor) {
  return tensor != nullptr && tensor->size() == 1 && tensor->dtype() != DType::kString;
}

// Pad with a stated 0, or with a number that its mode does not read = Pad without
Result<bool> OmitFill(Node& node, PassContext& context) {
  constexpr std::size_t kFill = 2, kPadAxes = 3;
  if (!node.Is("Pad") || node.operand(kFill) == nullptr) return false;
  const bool reads = TextAttribute(node, "mode") == "constant";
  const Tensor* fill = ConstantOf(node.operand(kFill));
  if (reads && (!IsNumber(fill) || !IsZeroTensor(*fill))) return false;
  std::vector<Value*> operands = {node.operand(0), node.operand(1)};
  if (Value* axes = node.operand(kPadAxes)) {
    operands.push_back(nullptr);
    operands.push_back(axes);
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad", operands, node.attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// Max(x, c) = Clip(x, c) and Min(x, c) = Clip(x, _, c) for one number c
Result<bool> SpellBound(Node& node, PassContext& context) {
  const bool is_low = node.Is("Max");
  if ((!is_low && !node.Is("Min")) || node.num_operands() != 2) return false;
  if (!IsFloating(node.result()->type().dtype())) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Tensor* number = ConstantOf(node.operand(side));
    Value* x = node.operand(1 - side);
    if (!IsNumber(number) || std::isnan(number->FloatAt(0)) || !SameShape(*x, *node.result()))
      continue;
    Value* bound = context.AddConstant(*node.graph(), number->Reshaped({}), "bound", node.origin());
    std::vector<Value*> operands = {x, is_low ? bound : nullptr};
    if (!is_low) operands.push_back(bound);
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Clip", operands));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// Clip(x, 0) = Relu(x)
Result<bool> SpellRelu(Node& node, PassContext& context) {
  if (!node.Is("Clip") || node.operand(2) != nullptr) return false;
  const Tensor* low = ConstantOf(node.operand(1));
  if (!IsFloating(node.result()->type().dtype()) || !IsNumber(low) || !IsZeroTensor(*low))
    return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Relu", {{node.operand(0)}}));
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
  Numbers axes;
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
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, node.op().type, operands, std::move(attributes)));
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
  node.set_operand(kBias, context.AddConstant(*node.graph(), SummedBiases(*biases, rows, kept),
                                              "B", node.operand(kBias)->origin()));
  return true;
}

constexpr Pattern kPatterns[] = {{"unify-bounds", UnifyBounds},
                                 {"omit-fill", OmitFill},
                                 {"spell-bound", SpellBound},
                                 {"spell-relu", SpellRelu},
                                 {"put-constant-last", PutConstantLast},
                                 {"unify-reduced-axes", UnifyReducedAxes},
                                 {"sum-biases", SumBiases}};

}  // namespace

std::span<const Pattern> OperandPatterns() { return kPatterns; }

}  // namespace dragoman
