// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/passes.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

// Whether all elements are 1.
bool IsOne(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->size() > 0 && HasOnly(*tensor, 1);
}

// x of 1 + exp(x), or nullptr.
Value* ExponentOf(const Value* sum) {
  const Node* add = sum->producer();
  if (add == nullptr || !add->Is("Add")) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* exp = add->operand(i)->producer();
    const bool fits = exp != nullptr && exp->Is("Exp") && IsOne(add->operand(1 - i)) &&
                      SameShape(*exp->result(), *sum);
    if (fits) return exp->operand(0);
  }
  return nullptr;
}

// a / (1 + exp(-x)) = a * Sigmoid(x), 1 / (1 + exp(-x)) = Sigmoid(x)
Result<bool> ReadSigmoid(Node& node, PassContext& context) {
  const bool divides = node.Is("Div");
  if (!divides && !node.Is("Reciprocal")) return false;
  Value* exponent = ExponentOf(node.operand(divides ? 1 : 0));
  if (exponent == nullptr || exponent->graph() != node.graph()) return false;
  const Node* negation = exponent->producer();
  Value* x = nullptr;
  if (negation != nullptr && negation->Is("Neg")) {
    x = negation->operand(0);
  } else {
    DRAGOMAN_ASSIGN(x, context.Insert(node, "Neg", {{exponent}}));
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Sigmoid", {{x}}));
  const bool is_alone = !divides || (IsOne(node.operand(0)) && SameShape(*y, *node.result()));
  if (!is_alone) {
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Mul", {{node.operand(0), y}}));
  }
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> FunctionPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-sigmoid", ReadSigmoid}};
  return kPatterns;
}

}  // namespace dragoman
