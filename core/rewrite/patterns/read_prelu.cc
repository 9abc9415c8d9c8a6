// SPDX-License-Identifier: Apache-2.0
#include "core/ir/finite.h"
#include "core/ir/producer.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"

namespace dragoman {
namespace {

// `slope` without the first axis if that is of one element and x has as many axes, as an operator
// of channels has it.
Result<Value*> SlopeOfChannels(Value& slope, const Value& x, Node& node, PassContext& context) {
  const Tensor& tensor = *ConstantOf(&slope);
  if (tensor.rank() == 0 || tensor.rank() != x.type().rank() || tensor.sizes()[0] != 1)
    return &slope;
  Value* first = context.AddConstant(*node.graph(), Tensor::Ints({{0}}), "axes", node.origin());
  return context.Insert(node, "Squeeze", {{&slope, first}});
}

// Where(x > 0, x, x · slope) = PRelu(x, slope)
Result<bool> ReadPRelu(Node& node, PassContext& context) {
  const Node* condition = node.Is("Where") ? ProducerOf(node.operand(0), "Greater") : nullptr;
  if (condition == nullptr || FormulaNumber(condition->operand(1)) != 0.0f) return false;
  Value* x = condition->operand(0);
  const Node* product = node.operand(1) == x ? ProducerOf(node.operand(2), "Mul") : nullptr;
  if (product == nullptr || !SameShape(*node.result(), *x)) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    Value* slope = product->operand(1 - i);
    // A product of 0 and an infinite slope would not be 0.
    const Tensor* tensor = ConstantOf(slope);
    if (product->operand(i) != x || tensor == nullptr || !AllFinite(*tensor)) continue;
    DRAGOMAN_ASSIGN(slope, SlopeOfChannels(*slope, *x, node, context));
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "PRelu", {{x, slope}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// PRelu(x, slope) with a slope of one axis less, if it has a first axis of one element
Result<bool> NarrowSlope(Node& node, PassContext& context) {
  if (!node.Is("PRelu") || ConstantOf(node.operand(1)) == nullptr) return false;
  const Value& x = *node.operand(0);
  if (x.type().rank().value_or(0) < 2) return false;
  DRAGOMAN_ASSIGN(Value * slope, SlopeOfChannels(*node.operand(1), x, node, context));
  if (slope == node.operand(1)) return false;
  node.set_operand(1, slope);
  return true;
}

}  // namespace

std::span<const Pattern> PReluPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-prelu", ReadPRelu}, {"narrow-slope", NarrowSlope}};
  return kPatterns;
}

}  // namespace dragoman
