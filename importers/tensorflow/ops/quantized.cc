// Numbers that are stored as steps of a range.
#include <cmath>
#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// The integers that stand for a range.
struct Integers {
  DType type = DType::kU8;
  double least = 0;
  double most = 255;

  double steps() const { return most - least; }
  bool is_signed() const { return least < 0; }
};

bool Take(Call& c, DType type, Integers& integers) {
  if (c.failed()) return false;
  const bool narrow =
      type == DType::kU8 || type == DType::kI8 || type == DType::kU16 || type == DType::kI16;
  if (!narrow) {
    c.Fail("steps of " + std::string(Name(type)));
    return false;
  }
  const int bits = Info(type).bits;
  const bool is_signed = type == DType::kI8 || type == DType::kI16;
  integers.type = type;
  integers.least = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  integers.most = is_signed ? std::ldexp(1.0, bits - 1) - 1 : std::ldexp(1.0, bits) - 1;
  return true;
}

// An end of the range, one number or one for each slice of `axis`, beside `x`.
Value* End(Call& c, std::size_t operand, std::int64_t axis, Value* x) {
  Value* end = c.Tensor(operand);
  const int rank = c.Rank(x);
  if (axis < 0 || c.failed()) return c.Reshape(end, Ints());
  if (axis >= rank)
    return c.Fail(InvalidInput("axis " + std::to_string(axis) + " of a tensor of rank " +
                               std::to_string(rank)));
  return AlongAxis(c, end, static_cast<int>(axis), rank);
}

// The size of a step where 0 is 0 in both; `least` of what stands for the lower end.
Value* ScaledStep(Call& c, const Integers& integers, Value* min, Value* max) {
  Value* up = c.Div(max, integers.most);
  if (!integers.is_signed()) return up;
  return c.Max(c.Div(min, integers.least + (c.BoolAttribute("narrow_range") ? 1 : 0)), up);
}

// Halves away from zero.
Value* RoundHalvesAway(Call& c, Value* x) {
  Value* size = c.Floor(c.Add(c.Abs(x), 0.5));
  return NegateWhere(c, c.Less(x, 0), size);
}

}  // namespace

Value* LowerDequantize(Call& c) {
  Value* stored = c.Tensor(0);
  const std::string mode = c.TextAttribute("mode");
  const std::int64_t axis = c.IntAttribute("axis");
  const DType to = c.TypeAttribute("dtype");
  Integers integers;
  if (!Take(c, c.dtype(stored), integers)) return nullptr;
  Value* x = c.Cast(stored, DType::kF32);
  Value* min = End(c, 1, axis, x);
  Value* max = End(c, 2, axis, x);
  if (mode == "SCALED") return c.Cast(c.Mul(x, ScaledStep(c, integers, min, max)), to);
  Value* step = c.Div(c.Sub(max, min), integers.steps());
  Value* steps = c.Sub(x, integers.least);
  if (mode == "MIN_COMBINED") return c.Cast(c.Add(c.Mul(steps, step), min), to);
  if (mode != "MIN_FIRST" || axis >= 0) return c.Fail("mode " + mode + " is not supported");
  Value* lowest = c.Mul(RoundHalvesAway(c, c.Div(min, step)), step);
  lowest = c.Where(c.Equal(min, max), min, lowest);
  return c.Cast(c.Add(c.Mul(steps, step), lowest), to);
}

}  // namespace dragoman::tf
