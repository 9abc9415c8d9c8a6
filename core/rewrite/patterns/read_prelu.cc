// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

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
  const std::vector<std::int64_t> sizes(tensor.sizes().begin() + 1, tensor.sizes().end());
  Value* wanted = context.AddConstant(*node.graph(), Tensor::Ints(sizes), "sizes", node.origin());
  return context.Insert(node, "Reshape", {{&slope, wanted}});
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

}  // namespace

std::span<const Pattern> PReluPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-prelu", ReadPRelu}};
  return kPatterns;
}

}  // namespace dragoman
