// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers of other distributions than creation.cc, and masks. With a
// generator of one's own they are refused: only torch gives the numbers of its seeds.
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

Value* Draw(CallComposer& c, std::string_view type, Value* shape, DType dtype) {
  if (c.Has("generator")) return c.Fail("random numbers of a generator that has a seed");
  return c.Op(type, {c.Full(shape, 0, dtype)}, {{"dtype", static_cast<std::int64_t>(dtype)}});
}

// uniform_: from `from` up to, not including, `to`.
Value* LowerUniform(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double from = c.FloatOr("from", 0);
  const double range = c.FloatOr("to", 1) - from;
  Value* drawn = Draw(c, "RandomUniformLike", c.Shape(x), c.dtype(x));
  return c.Add(c.Mul(drawn, range), from);
}

// normal of numbers or tensors, normal_
Value* LowerNormal(CallComposer& c) {
  Value* mean = c.Take(c.call().Tensor("mean"));
  Value* std = c.Take(c.call().Tensor("std"));
  DType dtype = IsFloating(c.dtype(mean)) && c.Rank(mean) > 0 ? c.dtype(mean) : kDefaultFloat;
  Value* shape = nullptr;
  if (c.call().Declares("self")) {
    dtype = c.dtype(c.Tensor("self"));
    shape = c.Shape(c.Tensor("self"));
  } else if (c.call().Declares("size")) {
    dtype = c.DTypeOr("dtype", kDefaultFloat);
    shape = c.Take(c.call().IntListValue("size"));
  } else {
    shape = c.Shape(c.Add(c.Cast(mean, dtype), c.Cast(std, dtype)));
  }
  Value* drawn = Draw(c, "RandomNormalLike", shape, dtype);
  return c.Add(c.Mul(drawn, c.Cast(std, dtype)), c.Cast(mean, dtype));
}

// exponential_: of rate `lambd`.
Value* LowerExponential(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* drawn = Draw(c, "RandomUniformLike", c.Shape(x), c.dtype(x));
  return c.Div(c.Neg(Log1p(c, c.Neg(drawn))), c.FloatOr("lambd", 1));
}

// multinomial: classes of each row, by their weights. Without replacement they are those of the
// largest logarithms of weights with noise of Gumbel's distribution added, in this order.
Value* LowerMultinomial(CallComposer& c) {
  if (c.Has("generator")) return c.Refuse("random numbers of a generator that has a seed");
  Value* weights = c.Tensor("self");
  const bool is_row = c.Rank(weights) == 1;
  const std::int64_t samples = c.Int("num_samples");
  Value* logs = c.Log(c.Cast(is_row ? c.Unsqueeze(weights, {0}) : weights, DType::kF32));
  Value* drawn = nullptr;
  if (c.BoolOr("replacement", false)) {
    drawn = c.Op("Multinomial", {logs},
                 {{"dtype", static_cast<std::int64_t>(DType::kI64)}, {"sample_size", samples}});
  } else {
    logs = c.Cast(logs, DType::kF64);
    Value* noise = c.Neg(c.Log(c.Neg(c.Log(c.Op("RandomUniformLike", {logs})))));
    drawn =
        c.Ops("TopK", {c.Add(logs, noise), c.Ints({samples})}, {{"axis", std::int64_t{1}}}, 2)[1];
  }
  return is_row ? c.Squeeze(drawn, {0}) : drawn;
}

// The order of as many random numbers.
Value* LowerRandperm(CallComposer& c) {
  Value* count = c.Vector(c.Take(c.call().IntValue("n")));
  Value* drawn = Draw(c, "RandomUniformLike", count, DType::kF32);
  Value* order = c.Ops("TopK", {drawn, count}, {}, 2)[1];
  return c.Cast(order, c.DTypeOr("dtype", DType::kI64));
}

}  // namespace

std::span<const OpRow> RandomRows() {
  static constexpr OpRow kRows[] = {
      {"aten.exponential", LowerExponential}, {"aten.multinomial", LowerMultinomial},
      {"aten.normal", LowerNormal},           {"aten.normal_functional", LowerNormal},
      {"aten.randperm", LowerRandperm},       {"aten.uniform", LowerUniform},
  };
  return kRows;
}

}  // namespace dragoman::torch
