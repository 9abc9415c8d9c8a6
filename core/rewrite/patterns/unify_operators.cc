// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/zeros.h"
#include "runtime/params/resize.h"

namespace dragoman {
namespace {

bool HasMainDiagonal(const Node& node) {
  const Tensor* diagonal = ConstantOf(node.operand(1));
  return diagonal != nullptr && IsZeroTensor(*diagonal);
}

bool CutsNoRegion(const Node& node) {
  const Result<Params> filled = FindOp(node)->fill_params(node);
  return filled.ok() && filled->As<rt::ResizeParams>().coordinate_transformation_mode !=
                            rt::CoordinateTransformation::kTfCropAndResize;
}

bool TakesEach(const Node& node) {
  const Tensor* steps = ConstantOf(node.operand(4));
  return steps != nullptr && HasOnly(*steps, 1);
}

// An operand that changes nothing where `is_idle` holds.
struct IdleOperand {
  std::string_view op;
  std::size_t operand;
  bool (*is_idle)(const Node& node);
};

constexpr IdleOperand kIdleOperands[] = {
    {"Resize", 1, CutsNoRegion}, {"Slice", 4, TakesEach}, {"Trilu", 1, HasMainDiagonal}};

// An operand that changes nothing is left out.
Result<bool> OmitIdleOperand(Node& node, PassContext& context) {
  for (const auto& [op, operand, is_idle] : kIdleOperands) {
    if (!node.Is(op) || node.num_operands() <= operand || node.operand(operand) == nullptr ||
        !is_idle(node))
      continue;
    std::vector<Value*> operands;
    for (const Use& use : node.operands()) operands.push_back(use.value());
    operands[operand] = nullptr;
    while (operands.back() == nullptr) operands.pop_back();
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, node.op().type, operands, node.attributes()));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// Slice of as many axes as there are bounds, which only run time knows, states them; it counts in
// int64
Result<bool> StateCutAxes(Node& node, PassContext& context) {
  if (!node.Is("Slice")) return false;
  const bool is_narrow = node.operand(1)->type().dtype() == DType::kI32;
  const bool is_open = node.operand(3) == nullptr;
  const std::int64_t count = is_open ? SizeAlong(*node.operand(1), 0).value_or(0) : 0;
  if (!is_narrow && count == 0) return false;
  std::vector<Value*> operands = {node.operand(0)};
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    operands.push_back(node.operand(i));
    if (!is_narrow || operands.back() == nullptr) continue;
    DRAGOMAN_ASSIGN(operands.back(), context.Insert(node, "Cast", {{operands.back()}},
                                                    {{"to", static_cast<int>(DType::kI64)}}));
  }
  if (count > 0) {
    std::vector<std::int64_t> axes(static_cast<std::size_t>(count));
    std::iota(axes.begin(), axes.end(), 0);
    operands.resize(std::max<std::size_t>(operands.size(), 4));
    operands[3] = context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin());
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Slice", operands));
  return context.ReplaceIfAllowed(node, y);
}

// CumSum and DFT along an axis that is counted from the front, as int64
Result<bool> CountSummedAxis(Node& node, PassContext& context) {
  constexpr std::size_t kAxisOfSum = 1, kAxisOfTransform = 2;
  if (!node.Is("CumSum") && !node.Is("DFT")) return false;
  const std::size_t operand = node.Is("DFT") ? kAxisOfTransform : kAxisOfSum;
  const Tensor* said = ConstantOf(node.operand(operand));
  const std::optional<int> rank = said != nullptr ? node.operand(0)->type().rank() : std::nullopt;
  if (!rank || said->size() != 1) return false;
  const std::int64_t axis = FromFront(said->IntAt(0), *node.operand(0));
  if (said->dtype() == DType::kI64 && said->rank() == 0 && axis == said->IntAt(0)) return false;
  node.set_operand(operand, context.AddConstant(*node.graph(), Tensor::Int(axis), "axis",
                                                node.operand(operand)->origin()));
  return true;
}

// Expand(c, sizes) = ConstantOfShape(sizes) of the value c, for a number c
Result<bool> SpellFill(Node& node, PassContext& context) {
  const Tensor* number = node.Is("Expand") ? ConstantOf(node.operand(0)) : nullptr;
  if (number == nullptr || number->rank() != 0 || IsComplex(number->dtype()) ||
      number->dtype() == DType::kString || Info(number->dtype()).bits < 8)
    return false;
  const Tensor value = number->Reshaped({1});
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "ConstantOfShape", {{node.operand(1)}},
                                            {{"value", Attribute(value)}}));
  return context.ReplaceIfAllowed(node, y);
}

// Tile(x, repeats) = Expand(x, repeats), where only axes of size 1 are repeated
Result<bool> SpellTile(Node& node, PassContext& context) {
  const Shape* shape = node.Is("Tile") ? node.operand(0)->type().shape() : nullptr;
  if (shape == nullptr || shape->empty()) return false;
  const bool all_ones = std::ranges::all_of(*shape, [](const Dim& size) { return size == Dim(1); });
  const auto repeats = IntsOf(context, node.operand(1));
  if (!all_ones && (!repeats || repeats->size() != shape->size())) return false;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i] != Dim(1) && (*repeats)[i] != 1) return false;
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Expand", {{node.operand(0), node.operand(1)}}));
  return context.ReplaceIfAllowed(node, y);
}

// Expand(x, sizes) = Expand(x, the sizes of its result), where these are known: 1 keeps any size
Result<bool> StateExpandedSizes(Node& node, PassContext& context) {
  const Tensor* sizes = node.Is("Expand") ? ConstantOf(node.operand(1)) : nullptr;
  const Shape* shape = sizes != nullptr ? node.result()->type().shape() : nullptr;
  if (shape == nullptr) return false;
  std::vector<std::int64_t> all;
  for (const Dim& size : *shape) all.push_back(size.known() ? size.value() : 1);
  if (all == sizes->ToInts()) return false;
  Value* stated =
      context.AddConstant(*node.graph(), Tensor::Ints(all), "sizes", node.operand(1)->origin());
  node.set_operand(1, stated);
  return true;
}

// The axes that a reduction of known rank takes, counted from the front and sorted.
std::optional<std::vector<std::int64_t>> ReducedAxes(const Node& reduction,
                                                     const PassContext& context) {
  const std::optional<int> rank = reduction.operand(0)->type().rank();
  if (!rank) return std::nullopt;
  std::vector<std::int64_t> axes;
  if (reduction.operand(1) == nullptr) {
    if (IntAttribute(reduction, "noop_with_empty_axes") != 0) return std::nullopt;
    axes.resize(static_cast<std::size_t>(*rank));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  }
  const auto stated = IntsOf(context, reduction.operand(1));
  if (!stated || stated->empty()) return std::nullopt;
  for (const std::int64_t axis : *stated) axes.push_back(FromFront(axis, *reduction.operand(0)));
  std::ranges::sort(axes);
  return axes;
}

// ReduceSum(x, axes) / n = ReduceMean(x, axes) and ReduceMean(x, axes) · n = ReduceSum(x, axes),
// for the number n of elements that are summed
Result<bool> SpellMean(Node& node, PassContext& context) {
  const bool divides = node.Is("Div");
  if (!divides && !node.Is("Mul")) return false;
  const Node* reduction = ProducerOf(node.operand(0), divides ? "ReduceSum" : "ReduceMean");
  const Tensor* count = reduction != nullptr ? ConstantOf(node.operand(1)) : nullptr;
  const auto axes = count != nullptr ? ReducedAxes(*reduction, context) : std::nullopt;
  if (!axes || count->size() != 1 || !IsFloating(count->dtype()) ||
      !SameShape(*reduction->result(), *node.result()))
    return false;
  std::int64_t elements = 1;
  for (const std::int64_t axis : *axes) {
    const auto size = SizeAlong(*reduction->operand(0), static_cast<int>(axis));
    if (!size || *size <= 0 || *size > (std::int64_t{1} << 31)) return false;
    elements *= *size;
    if (elements > (std::int64_t{1} << 24)) return false;
  }
  if (count->FloatAt(0) != static_cast<double>(elements)) return false;
  std::vector<Value*> operands = {reduction->operand(0)};
  if (reduction->operand(1) != nullptr) operands.push_back(reduction->operand(1));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, divides ? "ReduceMean" : "ReduceSum", operands,
                                            reduction->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// Unsqueeze(ReduceMean(x, axes), axes) = ReduceMean(x, axes) that keeps them; other reductions
// likewise
Result<bool> KeepReducedAxes(Node& node, PassContext& context) {
  const Node* reduction = node.Is("Unsqueeze") ? node.operand(0)->producer() : nullptr;
  if (reduction == nullptr || reduction->op().dialect != "onnx" ||
      !reduction->op().type.starts_with("Reduce") || !reduction->result()->HasOneUse() ||
      IntAttribute(*reduction, "keepdims") != 0)
    return false;
  const auto axes = ReducedAxes(*reduction, context);
  auto added = IntsOf(context, node.operand(1));
  if (!axes || !added) return false;
  for (std::int64_t& axis : *added) axis = FromFront(axis, *node.result());
  std::ranges::sort(*added);
  if (*added != *axes) return false;
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : reduction->attributes()) {
    if (attribute.name != "keepdims") attributes.push_back(attribute);
  }
  attributes.emplace_back("keepdims", std::int64_t{1});
  std::vector<Value*> operands = {reduction->operand(0)};
  if (reduction->operand(1) != nullptr) operands.push_back(reduction->operand(1));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, reduction->op().type, operands, std::move(attributes)));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> OperatorPatterns() {
  static constexpr Pattern kPatterns[] = {{"omit-idle-operand", OmitIdleOperand},
                                          {"state-cut-axes", StateCutAxes},
                                          {"count-summed-axis", CountSummedAxis},
                                          {"spell-fill", SpellFill},
                                          {"spell-tile", SpellTile},
                                          {"state-expanded-sizes", StateExpandedSizes},
                                          {"spell-mean", SpellMean},
                                          {"keep-reduced-axes", KeepReducedAxes}};
  return kPatterns;
}

}  // namespace dragoman
