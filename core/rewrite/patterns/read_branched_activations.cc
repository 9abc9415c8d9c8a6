// SPDX-License-Identifier: Apache-2.0
// Activations that choose one of two formulas for each element, as decomposed programs of torch
// spell them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/finite.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"

namespace dragoman {
namespace {

// The other operand of a node of operator `type` that also reads `number`; nullptr: no such node.
Value* Beside(float number, const Value* value, std::string_view type) {
  const Node* node = ProducerOf(value, type);
  for (std::size_t i = 0; node != nullptr && i < 2; ++i) {
    if (FormulaNumber(node->operand(i)) == number) return node->operand(1 - i);
  }
  return nullptr;
}

// `above` where x > bound, else `below`.
struct Branches {
  Value* x = nullptr;
  float bound = 0;
  Value* above = nullptr;
  Value* below = nullptr;
};

std::optional<Branches> ReadBranches(const Node& node) {
  if (!node.Is("Where") || node.result() == nullptr) return std::nullopt;
  const Node* condition = ProducerOf(node.operand(0), "Greater");
  const auto bound = condition != nullptr ? FormulaNumber(condition->operand(1)) : std::nullopt;
  if (!bound) return std::nullopt;
  return Branches{condition->operand(0), *bound, node.operand(1), node.operand(2)};
}

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
  const auto branches = ReadBranches(node);
  if (!branches || branches->bound != 0 || branches->above != branches->x) return false;
  Value* x = branches->x;
  const Node* product = ProducerOf(branches->below, "Mul");
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

// x of exp(x) - 1 as tanh(x / 2) · (exp(x) + 1), or nullptr.
Value* OperandOfExpMinusOne(const Value* value) {
  const Node* product = ProducerOf(value, "Mul");
  for (std::size_t i = 0; product != nullptr && i < 2; ++i) {
    const Node* tanh = ProducerOf(product->operand(i), "Tanh");
    const Node* exp = ProducerOf(Beside(1, product->operand(1 - i), "Add"), "Exp");
    if (tanh == nullptr || exp == nullptr) continue;
    if (Beside(0.5f, tanh->operand(0), "Mul") == exp->operand(0)) return exp->operand(0);
  }
  return nullptr;
}

// A product of a number, which need not be there, and exp(x) - 1.
struct Curve {
  float factor = 1;
  Value* x = nullptr;
};

std::optional<Curve> ReadCurve(const Value* value) {
  if (Value* x = OperandOfExpMinusOne(value)) return Curve{1, x};
  const Node* product = ProducerOf(value, "Mul");
  for (std::size_t i = 0; product != nullptr && i < 2; ++i) {
    const auto factor = FormulaNumber(product->operand(i));
    Value* x = factor ? OperandOfExpMinusOne(product->operand(1 - i)) : nullptr;
    if (x != nullptr) return Curve{*factor, x};
  }
  return std::nullopt;
}

// Where(x > 0, x, a · (exp(x) - 1)) = Elu(x; a), and with exp(x / a) in place of exp(x) Celu(x; a)
Result<bool> ReadElu(Node& node, PassContext& context) {
  const auto branches = ReadBranches(node);
  if (!branches || branches->bound != 0 || branches->above != branches->x) return false;
  Value* x = branches->x;
  const auto curve = ReadCurve(branches->below);
  if (!curve || !SameShape(*node.result(), *x)) return false;
  const Node* quotient = ProducerOf(curve->x, "Div");
  const bool is_scaled = quotient != nullptr && quotient->operand(0) == x &&
                         FormulaNumber(quotient->operand(1)) == curve->factor && curve->factor > 0;
  const char* const type = is_scaled ? "Celu" : "Elu";
  if ((!is_scaled && curve->x != x) || !IsReadAs(type, x)) return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, type, {{x}}, {{"alpha", curve->factor}}));
  return context.ReplaceIfAllowed(node, y);
}

// Celu(x; 1) = Elu(x; 1)
Result<bool> SpellCelu(Node& node, PassContext& context) {
  if (!node.Is("Celu") || FloatAttribute(node, "alpha") != 1) return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Elu", {{node.operand(0)}}, {{"alpha", 1.0f}}));
  return context.ReplaceIfAllowed(node, y);
}

// Whether `value` is log(sum) · (e / (sum - 1)).
bool IsCorrectedLogarithm(const Value* value, const Value* sum, const Value* e) {
  const Node* product = ProducerOf(value, "Mul");
  const Node* log = product != nullptr ? ProducerOf(product->operand(0), "Log") : nullptr;
  const Node* quotient = product != nullptr ? ProducerOf(product->operand(1), "Div") : nullptr;
  const Node* rest = quotient != nullptr ? ProducerOf(quotient->operand(1), "Sub") : nullptr;
  return log != nullptr && rest != nullptr && log->operand(0) == sum && quotient->operand(0) == e &&
         rest->operand(0) == sum && FormulaNumber(rest->operand(1)) == 1.0f;
}

// x of log(1 + e), e = exp(x), as it is spelled without a loss of digits where e is small, or
// nullptr.
Value* OperandOfSoftLogarithm(const Value* value) {
  const Node* outer = ProducerOf(value, "Where");
  const Node* inner = outer != nullptr ? ProducerOf(outer->operand(2), "Where") : nullptr;
  const Node* exp = outer != nullptr ? ProducerOf(outer->operand(1), "Exp") : nullptr;
  if (inner == nullptr || exp == nullptr) return nullptr;
  const Value* sum = inner->operand(1);
  const bool fits = Beside(1, sum, "Add") == exp->result() &&
                    Beside(1, outer->operand(0), "Equal") == sum &&
                    Beside(INFINITY, inner->operand(0), "Equal") == sum &&
                    IsCorrectedLogarithm(inner->operand(2), sum, exp->result());
  return fits ? exp->operand(0) : nullptr;
}

// A number whose exponential the element type has.
float MostExponent(DType dtype) {
  if (dtype == DType::kF16) return 11;
  return dtype == DType::kF64 ? 709 : 88;
}

// Where(x > bound, y, log(1 + exp(x))) = Where(x > bound, y, Softplus(x)) where exp(bound) is
// finite, also with a quotient of the logarithm and a number
Result<bool> ReadSoftLogarithm(Node& node, PassContext& context) {
  const auto branches = ReadBranches(node);
  if (!branches || !branches->below->HasOneUse() || !IsReadAs("Softplus", branches->x))
    return false;
  Value* x = branches->x;
  if (branches->bound > MostExponent(x->type().dtype())) return false;
  const Node* quotient = ProducerOf(branches->below, "Div");
  const bool divides = quotient != nullptr && FormulaNumber(quotient->operand(1)) &&
                       quotient->operand(0)->HasOneUse();
  const Value* log = divides ? quotient->operand(0) : branches->below;
  if (OperandOfSoftLogarithm(log) != x || !SameShape(*log, *x)) return false;
  DRAGOMAN_ASSIGN(Value * below, context.Insert(node, "Softplus", {{x}}));
  if (divides) {
    DRAGOMAN_ASSIGN(below, context.Insert(node, "Div", {{below, quotient->operand(1)}}));
  }
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Where", {{node.operand(0), branches->above, below}}));
  return context.ReplaceIfAllowed(node, y);
}

// Where(x > 20, x, Softplus(x)) = Softplus(x): above, both are x to all digits, in f64 from 37 on
Result<bool> DropSoftplusBranch(Node& node, PassContext& context) {
  const auto branches = ReadBranches(node);
  if (!branches || branches->above != branches->x) return false;
  const float same = branches->x->type().dtype() == DType::kF64 ? 37 : 17;
  if (branches->bound < same) return false;
  const Node* softplus = ProducerOf(branches->below, "Softplus");
  const bool fits = softplus != nullptr && softplus->operand(0) == branches->x &&
                    SameShape(*node.result(), *branches->below);
  return fits && context.ReplaceIfAllowed(node, branches->below);
}

// Whether `value` is x + 3 between 0 and 6.
bool IsHardRamp(const Value* value, const Value* x) {
  const Node* clip = ProducerOf(value, "Clip");
  return clip != nullptr && FormulaNumber(clip->operand(1)) == 0.0f &&
         FormulaNumber(clip->operand(2)) == 6.0f && Beside(3, clip->operand(0), "Add") == x;
}

// What is divided by 6, or multiplied by its inverse; else nullptr.
Value* DividedBySix(const Node& node) {
  if (node.Is("Div") && FormulaNumber(node.operand(1)) == 6.0f) return node.operand(0);
  return node.Is("Mul") ? OtherThan(1.0 / 6, node.result(), "Mul") : nullptr;
}

// Clip(x + 3, 0, 6) / 6 = HardSigmoid(x; 1/6, 1/2), and x · Clip(x + 3, 0, 6) / 6 = HardSwish(x)
Result<bool> ReadHardRamp(Node& node, PassContext& context) {
  const Value* dividend = node.result() != nullptr ? DividedBySix(node) : nullptr;
  if (dividend == nullptr || !IsReadAs("HardSwish", dividend, true)) return false;
  if (const Node* clip = ProducerOf(dividend, "Clip")) {
    Value* x = Beside(3, clip->operand(0), "Add");
    if (x == nullptr || !IsHardRamp(clip->result(), x) || !SameShape(*node.result(), *x))
      return false;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "HardSigmoid", {{x}}, {{"alpha", 1.0f / 6}}));
    return context.ReplaceIfAllowed(node, y);
  }
  const Node* product = ProducerOf(dividend, "Mul");
  for (std::size_t i = 0; product != nullptr && i < 2; ++i) {
    Value* x = product->operand(i);
    if (!IsHardRamp(product->operand(1 - i), x) || !SameShape(*node.result(), *x)) continue;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "HardSwish", {{x}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

}  // namespace

std::span<const Pattern> BranchedActivationPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-prelu", ReadPRelu},
                                          {"read-elu", ReadElu},
                                          {"spell-celu", SpellCelu},
                                          {"read-soft-logarithm", ReadSoftLogarithm},
                                          {"drop-softplus-branch", DropSoftplusBranch},
                                          {"read-hard-ramp", ReadHardRamp}};
  return kPatterns;
}

}  // namespace dragoman
