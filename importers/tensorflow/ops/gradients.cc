// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise functions, which models that differentiate themselves contain.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <string>

#include "core/ir/dim.h"
#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// Of what was computed, operand 0, and the gradient of it, operand 1.
Value* LowerGradientOfResult(Call& c) {
  Value* y = c.Tensor(0);
  Value* dy = c.Tensor(1);
  if (c.failed()) return nullptr;
  if (IsComplex(c.dtype(y))) return c.Fail("complex gradients");
  if (c.target() == "tanh") return c.Mul(dy, c.Sub(1, c.Mul(y, y)));
  if (c.target() == "sigmoid") return c.Mul(dy, c.Mul(y, c.Sub(1, y)));
  if (c.target() == "sqrt") return c.Div(c.Mul(dy, 0.5), y);
  if (c.target() == "rsqrt") return c.Mul(dy, c.Mul(c.Mul(y, c.Mul(y, y)), -0.5));
  return c.Neg(c.Mul(dy, c.Mul(y, y)));  // of the reciprocal
}

// Of the gradient, operand 0, and what was computed from, or its result, operand 1.
Value* LowerGradientOfActivation(Call& c) {
  constexpr double kSeluScale = 1.0507009873554804934193349852946;
  constexpr double kSeluAlpha = 1.7580993408473768599402175208123;  // scaled
  Value* dy = c.Tensor(0);
  Value* x = c.Tensor(1);
  if (c.failed()) return nullptr;
  Value* positive = c.Greater(x, 0);
  if (c.target() == "relu") return c.Where(positive, dy, 0);
  if (c.target() == "relu6") return c.Where(c.And(positive, c.Less(x, 6)), dy, 0);
  if (c.target() == "leaky") return c.Where(positive, dy, c.Mul(dy, c.FloatAttribute("alpha")));
  if (c.target() == "softplus") return c.Mul(dy, c.Sigmoid(x));
  if (c.target() == "softsign") {
    Value* reach = c.Add(c.Abs(x), 1);
    return c.Div(dy, c.Mul(reach, reach));
  }
  Value* negative = c.Less(x, 0);
  if (c.target() == "elu") return c.Where(negative, c.Mul(dy, c.Add(x, 1)), dy);
  return c.Where(negative, c.Mul(dy, c.Add(x, kSeluAlpha)), c.Mul(dy, kSeluScale));
}

// The sum over all axes but the channels'.
Value* LowerBiasAddGrad(Call& c) {
  Value* dy = c.Tensor(0);
  const int rank = c.Rank(dy);
  const std::string format = c.TextAttribute("data_format");
  if (c.failed()) return nullptr;
  if (rank < 2) return c.Fail(InvalidInput("a gradient of rank " + std::to_string(rank)));
  Ints axes = AllAxes(rank);
  axes.erase(format == "NCHW" ? axes.begin() + 1 : axes.end() - 1);
  return c.ReduceSum(dy, axes);
}

// Operand i, a list of sizes, each of which may be a number, a symbol or unknown. Fails where its
// length is not known.
std::vector<Dim> SizesOf(Call& c, std::size_t i) {
  Value* list = c.Index(i);
  if (c.failed()) return {};
  const Knowledge knowledge = c.builder().inference().Know(list);
  if (knowledge.elements) return *knowledge.elements;
  c.Fail("the length of a list of sizes is not known");
  return {};
}

// The axes along which each of two shapes was broadcast to the other. TensorFlow sums over them and
// reshapes the sum to the operand's shape, so that an axis of size 1 may be among them or not.
std::vector<Value*> LowerBroadcastGradientArgs(Call& c) {
  const std::vector<Dim> shapes[] = {SizesOf(c, 0), SizesOf(c, 1)};
  if (c.failed()) return {};
  const std::size_t rank = std::max(shapes[0].size(), shapes[1].size());
  Ints axes[2];
  bool differ = shapes[0].size() != shapes[1].size();
  for (std::size_t i = 0; i < rank; ++i) {
    Dim sizes[2] = {1, 1};
    for (int k : {0, 1}) {
      const std::size_t missing = rank - shapes[k].size();
      if (i >= missing) sizes[k] = shapes[k][i - missing];
    }
    const bool equal = Equal(sizes[0], sizes[1]) == Truth::kYes;
    differ = differ || !equal;
    const bool is_one[] = {sizes[0] == Dim(1), sizes[1] == Dim(1)};
    if (!equal && !is_one[0] && !is_one[1] &&
        (RangeOf(sizes[0]).lower < 2 || RangeOf(sizes[1]).lower < 2)) {
      c.Fail("which of sizes " + sizes[0].ToString() + " and " + sizes[1].ToString() +
             " is broadcast is not known; state sizes with --shape");
      return {};
    }
    for (int k : {0, 1}) {
      if (is_one[k]) axes[k].push_back(static_cast<std::int64_t>(i));
    }
  }
  // Equal shapes are broadcast along none, not even along axes of size 1.
  if (!differ) axes[0] = axes[1] = {};
  return {c.CastLike(c.Ints(axes[0]), c.Tensor(0)), c.CastLike(c.Ints(axes[1]), c.Tensor(1))};
}

}  // namespace

std::span<const OpRow> GradientsRows() {
  static constexpr OpRow kRows[] = {
      {"BiasAddGrad", LowerBiasAddGrad},
      {"BroadcastGradientArgs", LowerBroadcastGradientArgs},
      {"EluGrad", LowerGradientOfActivation, "elu"},
      {"InvGrad", LowerGradientOfResult, "reciprocal"},
      {"LeakyReluGrad", LowerGradientOfActivation, "leaky"},
      {"ReciprocalGrad", LowerGradientOfResult, "reciprocal"},
      {"Relu6Grad", LowerGradientOfActivation, "relu6"},
      {"ReluGrad", LowerGradientOfActivation, "relu"},
      {"RsqrtGrad", LowerGradientOfResult, "rsqrt"},
      {"SeluGrad", LowerGradientOfActivation, "selu"},
      {"SigmoidGrad", LowerGradientOfResult, "sigmoid"},
      {"SoftplusGrad", LowerGradientOfActivation, "softplus"},
      {"SoftsignGrad", LowerGradientOfActivation, "softsign"},
      {"SqrtGrad", LowerGradientOfResult, "sqrt"},
      {"TanhGrad", LowerGradientOfResult, "tanh"},
  };
  return kRows;
}

}  // namespace dragoman::tf
