// SPDX-License-Identifier: Apache-2.0
// Random tensors, whose sizes are an operand.
#include "importers/tensorflow/ops/op_rows.h"

#include <numbers>

#include "core/lowering/special_functions.h"

namespace dragoman::tf {
namespace {

// Wraps.
std::int64_t Mixed(std::int64_t seed, std::int64_t second) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) * 7919 +
                                   static_cast<std::uint64_t>(second));
}

std::vector<NamedAttribute> SeedOf(Call& c) {
  const std::int64_t seed = c.IntAttribute("seed");
  const std::int64_t second = c.IntAttribute("seed2");
  if (seed == 0 && second == 0) return {};
  return {{"seed", static_cast<float>(Mixed(seed, second))}};
}

// Of the sizes that operand 0 gives, by operator `type`.
Value* Draw(Call& c, std::string_view type, DType dtype) {
  return c.Op(type, {c.Full(c.Index(0), 0, dtype)}, SeedOf(c));
}

Value* LowerRandom(Call& c) { return Draw(c, c.target(), c.TypeAttribute("dtype")); }

// Integers of [least, most).
Value* LowerRandomUniformInt(Call& c) {
  Value* least = c.Tensor(1);
  Value* most = c.Tensor(2);
  Value* drawn = Draw(c, "RandomUniformLike", DType::kF64);
  Value* range = c.Cast(c.Sub(most, least), DType::kF64);
  // A product that is rounded up is out of range.
  Value* offset = c.Min(c.Floor(c.Mul(drawn, range)), c.Sub(range, 1));
  return c.Add(least, c.CastLike(offset, least));
}

// Of the normal distribution, what lies within two standard deviations.
Value* LowerTruncatedNormal(Call& c) {
  constexpr double kInside = 0.95449973610364158;  // the share of it: erf(√2)
  Value* share = c.Sub(Draw(c, "RandomUniformLike", DType::kF64), 0.5);
  Value* drawn = c.Mul(ErfInverse(c, c.Mul(share, 2 * kInside)), std::numbers::sqrt2);
  return c.Cast(drawn, c.TypeAttribute("dtype"));
}

// Numbers of classes, by the logarithms of their shares.
Value* LowerMultinomial(Call& c) {
  Value* logits = c.Tensor(0);
  const std::int64_t count = c.KnownInt(1, "the number of samples");
  const DType type = c.TypeAttribute("output_dtype");
  std::vector<NamedAttribute> attributes = SeedOf(c);
  attributes.push_back({"sample_size", count});
  return c.Cast(c.Op("Multinomial", {c.Widen(logits)}, std::move(attributes)), type);
}

// The rows in another order.
Value* LowerRandomShuffle(Call& c) {
  Value* x = c.Tensor(0);
  Value* count = c.SizeVector(x, 0, 1);
  Value* keys = c.Op("RandomUniformLike", {c.Full(count, 0, DType::kF32)}, SeedOf(c));
  Value* order = c.Ops("TopK", {keys, count}, {{"axis", std::int64_t{0}}}, 2)[1];
  return c.Gather(x, order, 0);
}

}  // namespace

std::span<const OpRow> RandomRows() {
  static constexpr OpRow kRows[] = {
      {"Multinomial", LowerMultinomial},
      {"RandomShuffle", LowerRandomShuffle},
      {"RandomStandardNormal", LowerRandom, "RandomNormalLike"},
      {"RandomUniform", LowerRandom, "RandomUniformLike"},
      {"RandomUniformInt", LowerRandomUniformInt},
      {"TruncatedNormal", LowerTruncatedNormal},
  };
  return kRows;
}

}  // namespace dragoman::tf
