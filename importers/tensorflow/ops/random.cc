// Random tensors, whose sizes are an operand.
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// Wraps.
std::int64_t Mixed(std::int64_t seed, std::int64_t second) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) * 7919 +
                                   static_cast<std::uint64_t>(second));
}

// Of the sizes that operand 0 tells, by operator `type`.
Value* Draw(Call& c, std::string_view type, DType dtype) {
  const std::int64_t seed = c.IntAttribute("seed");
  const std::int64_t second = c.IntAttribute("seed2");
  Value* like = c.Full(c.Index(0), 0, dtype);
  std::vector<NamedAttribute> attributes;
  if (seed != 0 || second != 0)
    attributes.push_back({"seed", static_cast<float>(Mixed(seed, second))});
  return c.Op(type, {like}, std::move(attributes));
}

}  // namespace

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

}  // namespace dragoman::tf
