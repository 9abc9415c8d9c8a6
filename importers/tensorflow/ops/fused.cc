// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/fused.h"

#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

std::vector<std::string> FusedNames(Call& c) {
  const Attribute* attribute = c.attribute("fused_ops");
  const std::optional<Attribute::Strings> names =
      attribute != nullptr ? AsStrings(*attribute) : std::nullopt;
  if (names && !names->empty()) return *names;
  c.Fail(InvalidInput("attribute fused_ops is missing or empty"));
  return {};
}

// The four vectors of a batch normalisation, from operand `first` on.
Value* Normalize(Call& c, Value* x, std::size_t first, int channel_axis) {
  const double epsilon = c.FloatAttribute("epsilon");
  const int rank = c.Rank(x);
  const auto along = [&](std::size_t i) {
    return AlongAxis(c, c.Tensor(first + i), channel_axis, rank);
  };
  Value* factor = c.Div(along(0), c.Sqrt(c.Add(along(3), epsilon)));
  return c.Add(c.Mul(c.Sub(x, along(2)), factor), along(1));
}

}  // namespace

Value* AddBias(Call& c, Value* value, Value* bias, int channel_axis) {
  const int rank = c.Rank(value);
  if (c.failed()) return nullptr;
  return c.Add(value, channel_axis + 1 == rank ? bias : AlongAxis(c, bias, channel_axis, rank));
}

Value* Activate(Call& c, std::string_view activation, Value* value) {
  if (activation == "Identity" || activation.empty()) return value;
  if (activation == "Relu6") return c.Op("Clip", {value, c.Number(0, value), c.Number(6, value)});
  if (activation == "LeakyRelu") {
    const auto alpha = static_cast<float>(c.FloatAttribute("leakyrelu_alpha"));
    return c.Op("LeakyRelu", {value}, {{"alpha", alpha}});
  }
  if (activation == "GeluApproximate") return c.Op("Gelu", {value}, {{"approximate", "tanh"}});
  if (activation == "GeluExact") return c.Op("Gelu", {value});
  // By name: activations that have the name of an operator.
  for (const char* plain : {"Relu", "Elu", "Tanh", "Sigmoid"}) {
    if (activation == plain) return c.Op(plain, {value});
  }
  if (activation == "_FusedHardSwish") return c.Op("HardSwish", {value});
  return c.Fail("the fused operator " + std::string(activation) + " is not supported");
}

namespace {

// As TensorFlow's first Inception networks have it: operands x, mean, variance, beta, gamma.
Value* LowerBatchNormWithGlobalNormalization(Call& c) {
  const Layout layout{2, true};
  const auto epsilon = static_cast<float>(c.FloatAttribute("variance_epsilon"));
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* gamma = c.Tensor(4);
  if (!c.BoolAttribute("scale_after_normalization"))
    gamma = c.Full(c.Shape(gamma), 1, c.dtype(gamma));
  Value* y = c.Op("BatchNormalization", {x, gamma, c.Tensor(3), c.Tensor(1), c.Tensor(2)},
                  {{"epsilon", epsilon}});
  return FromChannelsFirst(c, layout, y);
}

}  // namespace

Value* ApplyFused(Call& c, Value* value, const FusedOps& fused) {
  std::size_t next = fused.first_argument;
  for (const std::string& name : FusedNames(c)) {
    if (name == "BiasAdd") {
      value = AddBias(c, value, c.Tensor(next++), fused.channel_axis);
    } else if (name == "Add") {
      value = c.Add(value, c.Tensor(next++));
    } else if (name == "FusedBatchNorm") {
      value = Normalize(c, value, next, fused.channel_axis);
      next += 4;
    } else if (name == "Prelu") {
      value = c.Op("PRelu", {value, c.Tensor(next++)});
    } else {
      value = Activate(c, name, value);
    }
  }
  return value;
}

std::span<const OpRow> FusedRows() {
  static constexpr OpRow kRows[] = {
      {"BatchNormWithGlobalNormalization", LowerBatchNormWithGlobalNormalization},
  };
  return kRows;
}

}  // namespace dragoman::tf
