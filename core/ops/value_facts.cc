// SPDX-License-Identifier: Apache-2.0
#include "core/ops/value_facts.h"

#include <string>
#include <string_view>

#include "core/ops/op_def.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

struct Row {
  std::string_view label;
  ValueFacts facts;
};

// By name: only the formula of each says so. Sorted.
constexpr Row kRows[] = {
    {"Abs", {.ends_zeros = true, .has_least = true}},
    {"Add", {.ends_zeros = true}},
    {"BatchNormalization", {.ends_zeros = true}},
    {"Ceil", {.ends_zeros = true}},
    {"Celu", {.has_least = true}},
    {"Clip", {.ends_zeros = true}},
    {"Cos", {.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false}},
    {"Elu", {.ends_zeros = true, .has_least = true}},
    {"Equal", {.ends_zeros = true}},
    {"Erf", {.ends_zeros = true, .low = -1, .high = 1}},
    {"Exp", {.ends_zeros = true, .has_least = true}},
    {"Floor", {.ends_zeros = true}},
    {"Gelu", {.ends_zeros = true, .has_least = true, .stays_near = true}},
    {"Greater", {.ends_zeros = true}},
    {"GreaterOrEqual", {.ends_zeros = true}},
    {"GroupNormalization", {.ends_zeros = true}},
    {"HardSigmoid", {.ends_zeros = true, .low = 0, .high = 1}},
    {"HardSwish", {.ends_zeros = true, .has_least = true, .stays_near = true}},
    {"Identity", {.ends_zeros = true}},
    {"InstanceNormalization", {.ends_zeros = true}},
    {"LayerNormalization", {.ends_zeros = true}},
    {"LeakyRelu", {.ends_zeros = true}},
    {"Less", {.ends_zeros = true}},
    {"LessOrEqual", {.ends_zeros = true}},
    {"Log", {.ends_zeros = true}},
    {"Max", {.ends_zeros = true}},
    {"Mean", {.ends_zeros = true}},
    {"Min", {.ends_zeros = true}},
    {"Mish", {.has_least = true, .stays_near = true}},
    {"Mul", {.ends_zeros = true}},
    {"Neg", {.ends_zeros = true}},
    {"Not", {.ends_zeros = true}},
    {"RMSNormalization", {.ends_zeros = true}},
    {"ReduceL1", {.has_least = true}},
    {"ReduceL2", {.has_least = true}},
    {"Relu", {.ends_zeros = true, .has_least = true}},
    {"Round", {.ends_zeros = true}},
    {"Selu", {.ends_zeros = true, .has_least = true}},
    {"Sigmoid", {.ends_zeros = true, .low = 0, .high = 1}},
    {"Sign", {.ends_zeros = true}},
    {"Sin", {.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false}},
    {"Softmax", {.has_least = true}},
    {"Softplus", {.ends_zeros = true, .has_least = true}},
    {"Softsign", {.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false}},
    {"Sqrt", {.ends_zeros = true, .has_least = true}},
    {"Sub", {.ends_zeros = true}},
    {"Sum", {.ends_zeros = true}},
    {"Swish", {.ends_zeros = true, .has_least = true, .stays_near = true}},
    {"Tanh", {.ends_zeros = true, .low = -1, .high = 1}},
    {"ThresholdedRelu", {.has_least = true}},
    {"Where", {.ends_zeros = true}},
};
static_assert(IsSortedBy(kRows, &Row::label));

}  // namespace

const ValueFacts& ValueFactsOf(std::string_view label) {
  static constexpr ValueFacts kNone;
  const Row* row = FindByKey(kRows, label, &Row::label);
  return row != nullptr ? row->facts : kNone;
}

const ValueFacts& ValueFactsOf(const Node& node) {
  const OpDef* def = FindOp(node);
  return ValueFactsOf(def != nullptr ? def->Label() : "");
}

}  // namespace dragoman
