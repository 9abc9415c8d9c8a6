// SPDX-License-Identifier: Apache-2.0
// Activations as sums and bounds spell them: importers of Relay, and files that have no operator
// for them.
#include <cmath>
#include <optional>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"

namespace dragoman {
namespace {

// factor · Relu(1 - exp(x)).
struct Bend {
  float factor = 1;
  Value* x = nullptr;
};

std::optional<Bend> ReadBend(const Value* value) {
  Bend bend;
  if (const Node* negative = ProducerOf(value, "Neg")) {
    bend.factor = -1;
    value = negative->operand(0);
  }
  if (const Node* product = ProducerOf(value, "Mul")) {
    const std::size_t at = FormulaNumber(product->operand(0)) ? 0 : 1;
    const std::optional<float> factor = FormulaNumber(product->operand(at));
    if (!factor) return std::nullopt;
    bend.factor *= *factor;
    value = product->operand(1 - at);
  }
  const Node* relu = ProducerOf(value, "Relu");
  const Node* rest = relu != nullptr ? ProducerOf(relu->operand(0), "Sub") : nullptr;
  if (rest == nullptr || FormulaNumber(rest->operand(0)) != 1.0f) return std::nullopt;
  const Node* exp = ProducerOf(rest->operand(1), "Exp");
  if (exp == nullptr || !std::isfinite(bend.factor)) return std::nullopt;
  bend.x = exp->operand(0);
  return bend;
}

// Relu(x) - a · Relu(1 - exp(x)) = Elu(x; a), and with exp(x / a) in place of exp(x) Celu(x; a)
Result<bool> ReadRectifiedElu(Node& node, PassContext& context) {
  if (!node.Is("Add") && !node.Is("Sub")) return false;
  for (std::size_t i = 0; i < (node.Is("Add") ? 2 : 1); ++i) {
    const Node* relu = ProducerOf(node.operand(i), "Relu");
    const std::optional<Bend> bend = relu != nullptr ? ReadBend(node.operand(1 - i)) : std::nullopt;
    if (!bend || !SameShape(*node.result(), *relu->operand(0))) continue;
    Value* x = relu->operand(0);
    const float alpha = node.Is("Add") ? -bend->factor : bend->factor;
    const Node* quotient = ProducerOf(bend->x, "Div");
    const bool is_scaled = quotient != nullptr && quotient->operand(0) == x && alpha > 0 &&
                           FormulaNumber(quotient->operand(1)) == alpha;
    const char* const type = is_scaled ? "Celu" : "Elu";
    if ((!is_scaled && bend->x != x) || !IsReadAs(type, x)) continue;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, type, {{x}}, {{"alpha", alpha}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// gamma · Elu(x; alpha) = Selu(x), for the numbers that it has
Result<bool> ReadSelu(Node& node, PassContext& context) {
  if (!node.Is("Mul") || node.result() == nullptr) return false;
  const Node* elu = ProducerOf(OtherThan(1.0507009873554805, node.result(), "Mul"), "Elu");
  if (elu == nullptr || !IsAbout(FloatAttribute(*elu, "alpha"), 1.6732632423543772)) return false;
  if (!IsReadAs("Selu", elu->operand(0), true) || !SameShape(*node.result(), *elu->operand(0)))
    return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Selu", {{elu->operand(0)}}));
  return context.ReplaceIfAllowed(node, y);
}

// Clip(a · x + 0.5, 0, 1) = HardSigmoid(x; a), for the slopes 1/5 and 1/6 that others call so
Result<bool> ReadHardSigmoid(Node& node, PassContext& context) {
  if (!node.Is("Clip") || FormulaNumber(node.operand(1)) != 0.0f ||
      FormulaNumber(node.operand(2)) != 1.0f)
    return false;
  const Value* product = OtherThan(0.5, node.operand(0), "Add");
  for (const double slope : {0.2, 1.0 / 6}) {
    Value* x = OtherThan(slope, product, "Mul");
    if (x == nullptr || !IsReadAs("HardSigmoid", x, true) || !SameShape(*node.result(), *x))
      continue;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "HardSigmoid", {{x}},
                                              {{"alpha", static_cast<float>(slope)}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// x / (1 + |x|) = Softsign(x)
Result<bool> ReadSoftsign(Node& node, PassContext& context) {
  if (!node.Is("Div")) return false;
  Value* x = node.operand(0);
  const Node* size = ProducerOf(OtherThan(1, node.operand(1), "Add"), "Abs");
  if (size == nullptr || size->operand(0) != x || !IsReadAs("Softsign", x) ||
      !SameShape(*node.result(), *x))
    return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Softsign", {{x}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> RectifiedActivationPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-rectified-elu", ReadRectifiedElu},
                                          {"read-selu", ReadSelu},
                                          {"read-hard-sigmoid", ReadHardSigmoid},
                                          {"read-softsign", ReadSoftsign}};
  return kPatterns;
}

}  // namespace dragoman
