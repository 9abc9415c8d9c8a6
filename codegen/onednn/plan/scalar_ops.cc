// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/scalar_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_def.h"
#include "core/support/find_by_key.h"
#include "runtime/kernels/float16.h"
#include "runtime/params/activation.h"

namespace dragoman::onednn {
namespace {

double SigmoidOf(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double ClipTo(double x, double low, double high) { return std::min(std::max(x, low), high); }

// Sorted by name.
constexpr ScalarOp kScalarOps[] = {
    {"Abs", "std::fabs({0})", [](const double* a) { return std::fabs(a[0]); }},
    {"Acos", "rt::fast::Acos({0})", [](const double* a) { return std::acos(a[0]); }},
    {"Add", "{0} + {1}", [](const double* a) { return a[0] + a[1]; }},
    {"Asin", "rt::fast::Asin({0})", [](const double* a) { return std::asin(a[0]); }},
    {"Atan", "rt::fast::Atan({0})", [](const double* a) { return std::atan(a[0]); }},
    {"Ceil", "std::ceil({0})", [](const double* a) { return std::ceil(a[0]); }},
    {"Celu", "rt::fast::Celu({0}, {1})",
     [](const double* a) {
       return std::max(a[0], 0.0) + std::min(a[1] * std::expm1(a[0] / a[1]), 0.0);
     }},
    {"Clip", "rt::fast::Clip({0}, {1}, {2})",
     [](const double* a) { return ClipTo(a[0], a[1], a[2]); }},
    {"Cos", "rt::fast::Cos({0})", [](const double* a) { return std::cos(a[0]); }},
    {"Cube", "{0} * {0} * {0}", [](const double* a) { return a[0] * a[0] * a[0]; }},
    {"Div", "{0} / {1}", [](const double* a) { return a[0] / a[1]; }},
    {"Elu", "rt::fast::Elu({0}, {1})",
     [](const double* a) { return a[0] < 0 ? a[1] * std::expm1(a[0]) : a[0]; }},
    {"Erf", "rt::fast::Erf({0})", [](const double* a) { return std::erf(a[0]); }},
    {"Exp", "rt::fast::Exp({0})", [](const double* a) { return std::exp(a[0]); }},
    {"Floor", "std::floor({0})", [](const double* a) { return std::floor(a[0]); }},
    {"Gelu", "rt::fast::Gelu({0})",
     [](const double* a) { return 0.5 * a[0] * (1.0 + std::erf(a[0] * std::sqrt(0.5))); }},
    {"GeluTanh", "rt::fast::GeluTanh({0})",
     [](const double* a) {
       const double inner = a[0] + 0.044715 * a[0] * a[0] * a[0];
       return 0.5 * a[0] * (1.0 + std::tanh(0.79788456080286535588 * inner));
     }},
    {"HardSigmoid", "rt::fast::HardSigmoid({0}, {1}, {2})",
     [](const double* a) { return ClipTo(a[1] * a[0] + a[2], 0.0, 1.0); }},
    {"HardSwish", "rt::fast::HardSwish({0})",
     [](const double* a) { return a[0] * ClipTo(a[0] / 6.0 + 0.5, 0.0, 1.0); }},
    {"Identity", "{0}", [](const double* a) { return a[0]; }},
    {"LeakyRelu", "rt::fast::LeakyRelu({0}, {1})",
     [](const double* a) { return a[0] < 0 ? a[1] * a[0] : a[0]; }},
    {"Log", "rt::fast::Log({0})", [](const double* a) { return std::log(a[0]); }},
    {"Max", "rt::fast::Max({0}, {1})", [](const double* a) { return std::max(a[0], a[1]); }},
    {"Min", "rt::fast::Min({0}, {1})", [](const double* a) { return std::min(a[0], a[1]); }},
    {"Mish", "rt::fast::Mish({0})",
     [](const double* a) { return a[0] * std::tanh(std::log1p(std::exp(a[0]))); }},
    {"Mul", "{0} * {1}", [](const double* a) { return a[0] * a[1]; }},
    {"Neg", "-{0}", [](const double* a) { return -a[0]; }},
    {"PRelu", "rt::fast::LeakyRelu({0}, {1})",
     [](const double* a) { return a[0] < 0 ? a[1] * a[0] : a[0]; }},
    {"Pow", "rt::fast::Pow({0}, {1})", [](const double* a) { return std::pow(a[0], a[1]); }},
    {"Reciprocal", "1.0f / {0}", [](const double* a) { return 1.0 / a[0]; }},
    {"Relu", "rt::fast::Relu({0})", [](const double* a) { return a[0] < 0 ? 0.0 : a[0]; }},
    {"Round", "std::nearbyint({0})", [](const double* a) { return std::nearbyint(a[0]); }},
    {"RoundToBFloat16", "rt::fast::RoundToBFloat16({0})",
     [](const double* a) { return static_cast<double>(rt::BFloat16(a[0])); }},
    {"RoundToHalf", "rt::fast::RoundToHalf({0})",
     [](const double* a) { return static_cast<double>(rt::Half(a[0])); }},
    {"Selu", "{2} * rt::fast::Elu({0}, {1})",
     [](const double* a) { return a[2] * (a[0] < 0 ? a[1] * std::expm1(a[0]) : a[0]); }},
    {"Sigmoid", "rt::fast::Sigmoid({0})", [](const double* a) { return SigmoidOf(a[0]); }},
    {"Sin", "rt::fast::Sin({0})", [](const double* a) { return std::sin(a[0]); }},
    {"Softplus", "rt::fast::Softplus({0})",
     [](const double* a) { return std::log1p(std::exp(-std::fabs(a[0]))) + std::max(a[0], 0.0); }},
    {"Softsign", "{0} / (1.0f + std::fabs({0}))",
     [](const double* a) { return a[0] / (1.0 + std::fabs(a[0])); }},
    {"Sqrt", "std::sqrt({0})", [](const double* a) { return std::sqrt(a[0]); }},
    {"Square", "{0} * {0}", [](const double* a) { return a[0] * a[0]; }},
    {"Sub", "{0} - {1}", [](const double* a) { return a[0] - a[1]; }},
    {"Swish", "rt::fast::Swish({0}, {1})",
     [](const double* a) { return a[0] * SigmoidOf(a[1] * a[0]); }},
    {"Tanh", "rt::fast::Tanh({0})", [](const double* a) { return std::tanh(a[0]); }},
};
static_assert(IsSortedBy(kScalarOps, &ScalarOp::name));

bool IsRankedF32(const Value* value) { return IsF32(value) && value->type().shape() != nullptr; }

using Call = std::optional<ScalarCall>;

ScalarCall WithNumbers(std::string_view op, std::vector<float> numbers) {
  ScalarCall call{FindScalarOp(op), {{0, 0.0f}}};
  for (float number : numbers) call.arguments.push_back({-1, number});
  return call;
}

Call ClipCall(const Node& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::optional<float> low =
      node.operand(1) == nullptr ? std::optional(-kInfinity) : ScalarOf(node.operand(1));
  const std::optional<float> high =
      node.operand(2) == nullptr ? std::optional(kInfinity) : ScalarOf(node.operand(2));
  if (!low || !high || std::isnan(*low) || std::isnan(*high) || *low > *high) return std::nullopt;
  return WithNumbers("Clip", {*low, *high});
}

// Powers that are products.
Call PowCall(const Node& node) {
  const std::optional<float> exponent = ScalarOf(node.operand(1));
  if (exponent == 2.0f) return WithNumbers("Square", {});
  if (exponent == 3.0f) return WithNumbers("Cube", {});
  return std::nullopt;
}

// Operators whose attributes become numbers, in the order in which they are declared.
Call CallWithAttributes(const Node& node, const OpDef& def) {
  if (!def.fill_params(node).ok()) return std::nullopt;
  if (node.Is("Gelu"))
    return WithNumbers(TextAttribute(node, "approximate") == "tanh" ? "GeluTanh" : "Gelu", {});
  if (FindScalarOp(node.op().type) == nullptr) return std::nullopt;
  std::vector<float> numbers;
  for (const AttributeDef& attribute : def.attributes)
    numbers.push_back(FloatAttribute(node, attribute.name));
  return WithNumbers(node.op().type, numbers);
}

}  // namespace

const ScalarOp* FindScalarOp(std::string_view name) {
  return FindByKey(kScalarOps, name, &ScalarOp::name);
}

// FusedActivation::kName names the operator Name.
std::string_view ScalarNameOf(rt::FusedActivation activation) {
  return std::string_view(rt::Name(activation)).substr(1);
}

Call ToScalarCall(const Node& node) {
  if (node.op().dialect != "onnx" || !node.op().domain.empty() || !IsRankedF32(node.result()))
    return std::nullopt;
  for (const Use& use : node.operands()) {
    if (use.value() != nullptr && !IsRankedF32(use.value())) return std::nullopt;
  }
  const OpDef* def = FindOp(node);
  if (def == nullptr) return std::nullopt;
  if (node.Is("Clip")) return ClipCall(node);
  if (node.Is("Pow")) {
    if (Call call = PowCall(node)) return call;
  }
  if (def->fill_params) return CallWithAttributes(node, *def);
  ScalarCall call{FindScalarOp(node.op().type), {}};
  if (node.Is("Sum")) call.op = FindScalarOp("Add");
  const bool takes_two = call.op != nullptr && call.op->text.find("{1}") != std::string_view::npos;
  if (call.op == nullptr || node.num_operands() != (takes_two ? 2u : 1u)) return std::nullopt;
  for (int i = 0; i < static_cast<int>(node.num_operands()); ++i) {
    const std::optional<float> number = ScalarOf(node.operand(static_cast<std::size_t>(i)));
    call.arguments.push_back(number && std::isfinite(*number) ? ScalarCall::Argument{-1, *number}
                                                              : ScalarCall::Argument{i, 0.0f});
  }
  return call;
}

double Evaluate(std::span<const MapTerm> terms, std::span<const BufferId> operands,
                std::span<const double> inputs) {
  std::map<BufferId, double> values;
  for (std::size_t i = 0; i < operands.size(); ++i) values[operands[i]] = inputs[i];
  double value = 0.0;
  for (const MapTerm& term : terms) {
    double arguments[kMaxScalarArguments] = {};
    for (std::size_t i = 0; i < term.arguments.size(); ++i) {
      const MapArgument& argument = term.arguments[i];
      arguments[i] = argument.buffer == kAbsent ? argument.number : values[argument.buffer];
    }
    value = values[term.result] = term.op->compute(arguments);
  }
  return value;
}

}  // namespace dragoman::onednn
