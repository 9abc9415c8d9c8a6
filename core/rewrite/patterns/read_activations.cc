// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"

namespace dragoman {
namespace {

constexpr int kMostProducts = 3;  // one in another, of a formula

// The factors of a product of products, from left to right.
void AddFactors(const Value* value, std::vector<Value*>& factors, int depth = 0) {
  const Node* product = ProducerOf(value, "Mul");
  if (product == nullptr || depth == kMostProducts) {
    factors.push_back(const_cast<Value*>(value));
    return;
  }
  AddFactors(product->operand(0), factors, depth + 1);
  AddFactors(product->operand(1), factors, depth + 1);
}

// x of x / (sign · sqrt(2)), or nullptr.
Value* OverRootOfTwo(const Value* value, double sign) {
  const Node* quotient = ProducerOf(value, "Div");
  if (quotient != nullptr && IsAbout(quotient->operand(1), sign * std::numbers::sqrt2))
    return quotient->operand(0);
  return OtherThan(sign / std::numbers::sqrt2, value, "Mul");
}

// x of erf(x / sqrt(2)), or nullptr.
Value* ErrorFunctionOperand(const Value* value) {
  const Node* erf = ProducerOf(value, "Erf");
  return erf != nullptr ? OverRootOfTwo(erf->operand(0), 1) : nullptr;
}

// x of erfc(-x / sqrt(2)), wherever the sign stands; or nullptr.
Value* ComplementOperand(const Value* value) {
  const Node* erfc = value != nullptr ? value->producer() : nullptr;
  if (erfc == nullptr || !erfc->IsDragoman("Erfc")) return nullptr;
  const Node* outer = ProducerOf(erfc->operand(0), "Neg");
  if (outer != nullptr) return OverRootOfTwo(outer->operand(0), 1);
  if (Value* x = OverRootOfTwo(erfc->operand(0), -1)) return x;
  const Value* negated = OverRootOfTwo(erfc->operand(0), 1);
  const Node* inner = negated != nullptr ? ProducerOf(negated, "Neg") : nullptr;
  return inner != nullptr ? inner->operand(0) : nullptr;
}

// Whether `value` is x³.
bool IsCube(const Value* value, const Value* x) {
  if (const Node* power = ProducerOf(value, "Pow"))
    return power->operand(0) == x && FormulaNumber(power->operand(1)) == 3.0f;
  std::vector<Value*> factors;
  AddFactors(value, factors);
  return factors == std::vector<Value*>(3, const_cast<Value*>(x));
}

// x of factor · (x + 0.044715 x³), or of the sum of both products, or nullptr.
Value* CubicOperand(const Value* value, double factor) {
  const Node* sum = ProducerOf(value, "Add");
  const bool is_product = sum == nullptr;
  if (is_product) sum = ProducerOf(OtherThan(factor, value, "Mul"), "Add");
  for (std::size_t i = 0; sum != nullptr && i < 2; ++i) {
    Value* x = is_product ? sum->operand(i) : OtherThan(factor, sum->operand(i), "Mul");
    const double share = is_product ? 0.044715 : 0.044715 * factor;
    const Value* cube = OtherThan(share, sum->operand(1 - i), "Mul");
    if (x != nullptr && cube != nullptr && IsCube(cube, x)) return x;
  }
  return nullptr;
}

// x of tanh(sqrt(2 / π) · (x + 0.044715 x³)), or nullptr.
Value* TanhOperand(const Value* value) {
  const Node* tanh = ProducerOf(value, "Tanh");
  return tanh != nullptr ? CubicOperand(tanh->operand(0), std::sqrt(2 / std::numbers::pi))
                         : nullptr;
}

// Whether `by` may stand for the result of `node`: numbers of more axes add some to a result.
bool HasShapeOfResult(const Node& node, const Value& by) { return SameShape(*node.result(), by); }

// The function of 0.5 · x · (1 + function), or of x · (0.5 + 0.5 · function): factor `i` of a
// product, behind those x and perhaps 0.5. Else nullptr.
Value* GeluFunction(const std::vector<Value*>& factors, std::size_t i) {
  if (factors.size() == 3) return OtherThan(1, factors[i], "Add");
  return OtherThan(0.5, OtherThan(0.5, factors[i], "Add"), "Mul");
}

// 0.5 · x · (1 + erf(x / sqrt(2))) = Gelu(x), and with tanh in the place of erf its approximation;
// 0.5 · x · erfc(-x / sqrt(2)) = Gelu(x)
Result<bool> ReadGelu(Node& node, PassContext& context) {
  if (!node.Is("Mul") || !IsReadAs("Gelu", node.result())) return false;
  std::vector<Value*> factors;
  AddFactors(node.result(), factors);
  if (factors.size() != 2 && factors.size() != 3) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    Value* function = GeluFunction(factors, i);
    Value* x = ErrorFunctionOperand(function);
    if (x == nullptr && factors.size() == 3) x = ComplementOperand(factors[i]);
    const bool is_exact = x != nullptr;
    if (!is_exact) x = TanhOperand(function);
    Value* const a = factors[(i + 1) % factors.size()];
    Value* const b = factors[(i + factors.size() - 1) % factors.size()];
    const bool has_half =
        factors.size() == 2 || (a == x && IsAbout(b, 0.5)) || (b == x && IsAbout(a, 0.5));
    const bool fits = x != nullptr && has_half && (a == x || b == x);
    if (!fits || !HasShapeOfResult(node, *x)) continue;
    DRAGOMAN_ASSIGN(Value * y,
                    context.Insert(node, "Gelu", {{x}},
                                   {{"approximate", std::string(is_exact ? "none" : "tanh")}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// Inserts TYPE(x) for x · gate, if both have the shape of the product.
Result<bool> ReplaceGated(Node& node, Value& x, std::string_view type, PassContext& context) {
  if (!HasShapeOfResult(node, x)) return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, type, {{&x}}));
  return context.ReplaceIfAllowed(node, y);
}

// x · HardSigmoid(x; 1/6, 1/2) = HardSwish(x)
Result<bool> ReadHardSwish(Node& node, PassContext& context) {
  if (!node.Is("Mul") || !IsReadAs("HardSwish", node.result(), true)) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* gate = ProducerOf(node.operand(i), "HardSigmoid");
    Value* x = node.operand(1 - i);
    const bool fits = gate != nullptr && gate->operand(0) == x &&
                      IsAbout(FloatAttribute(*gate, "alpha"), 1.0 / 6) &&
                      FloatAttribute(*gate, "beta") == 0.5f;
    if (fits) return ReplaceGated(node, *x, "HardSwish", context);
  }
  return false;
}

// x of Softplus(x), or of log(1 + exp(x)), which is infinite where exp(x) is; or nullptr.
Value* SoftOperand(const Value* value) {
  if (const Node* softplus = ProducerOf(value, "Softplus")) return softplus->operand(0);
  const Node* log = ProducerOf(value, "Log");
  const Node* exp =
      log != nullptr ? ProducerOf(OtherThan(1, log->operand(0), "Add"), "Exp") : nullptr;
  return exp != nullptr ? exp->operand(0) : nullptr;
}

// x · Tanh(Softplus(x)) = Mish(x)
Result<bool> ReadMish(Node& node, PassContext& context) {
  if (!node.Is("Mul") || !IsReadAs("Mish", node.result())) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* gate = ProducerOf(node.operand(i), "Tanh");
    Value* x = node.operand(1 - i);
    if (gate != nullptr && SoftOperand(gate->operand(0)) == x)
      return ReplaceGated(node, *x, "Mish", context);
  }
  return false;
}

}  // namespace

std::span<const Pattern> ActivationPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"read-gelu", ReadGelu}, {"read-hard-swish", ReadHardSwish}, {"read-mish", ReadMish}};
  return kPatterns;
}

}  // namespace dragoman
