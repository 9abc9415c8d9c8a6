// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers that stand for numbers between two ends, as graph transforms of TensorFlow
// 1 wrote it: each tensor comes with its ends, and each result has its own.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include "core/lowering/rounding.h"
#include "importers/tensorflow/ops/quantized_form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

Value* Wide(Call& c, Value* x) { return c.Cast(x, DType::kF64); }
Value* Narrow(Call& c, Value* x) { return c.Cast(x, DType::kF32); }

// An end as one float32.
Value* EndOperand(Call& c, std::size_t i) { return c.Reshape(c.Tensor(i), Ints()); }

Quantized TakeQuantized(Call& c, std::size_t stored, std::size_t min) {
  return {c.Tensor(stored), EndOperand(c, min), EndOperand(c, min + 1)};
}

// How much a step of integers of `type` is, float64.
Value* StepOf(Call& c, const Quantized& x, DType type) {
  const Integers integers = TakeIntegers(c, type);
  return c.Div(Wide(c, c.Sub(x.max, x.min)), integers.steps());
}

// The integer that stands for 0, float64; it may lie outside of what the type holds.
Value* ZeroOf(Call& c, const Quantized& x, DType type) {
  const Integers integers = TakeIntegers(c, type);
  Value* step = StepOf(c, x, type);
  Value* empty = c.Equal(step, 0);
  Value* below = RoundHalvesAway(c, c.Div(Wide(c, x.min), c.Where(empty, 1, step)));
  return c.Where(empty, 0, c.Sub(c.Number(integers.least, below), below));
}

// The numbers that are stored, float64.
Value* NumbersOf(Call& c, const Quantized& x) {
  const DType type = c.dtype(x.stored);
  const Integers integers = TakeIntegers(c, type);
  Value* step = StepOf(c, x, type);
  Value* narrow_step = Wide(c, Narrow(c, step));
  Value* empty = c.Equal(step, 0);
  Value* lowest =
      c.Mul(RoundHalvesAway(c, c.Div(Wide(c, x.min), c.Where(empty, 1, narrow_step))), narrow_step);
  Value* numbers = c.Add(c.Mul(c.Sub(Wide(c, x.stored), integers.least), step), lowest);
  return c.Where(empty, Wide(c, x.min), numbers);
}

// The integers of `type` between these ends that are nearest to numbers of float64.
Value* StoredOf(Call& c, Value* numbers, Value* min, Value* max, DType type) {
  const Integers integers = TakeIntegers(c, type);
  Value* range = Wide(c, c.Sub(max, min));
  Value* empty = c.Equal(range, 0);
  Value* steps = c.Div(integers.steps(), c.Where(empty, 1, range));
  Value* place = c.Sub(RoundHalvesAway(c, c.Mul(numbers, steps)),
                       RoundHalvesAway(c, c.Mul(Wide(c, min), steps)));
  place = c.Min(c.Max(c.Add(place, integers.least), integers.least), integers.most);
  return c.Cast(c.Where(empty, integers.least, place), type);
}

// The ends of 32-bit integers whose step is the product of both operands' steps.
Quantized ProductEnds(Call& c, const Quantized& a, const Quantized& b) {
  const Integers wide = TakeIntegers(c, DType::kI32);
  Value* step =
      c.Mul(Narrow(c, StepOf(c, a, c.dtype(a.stored))), Narrow(c, StepOf(c, b, c.dtype(b.stored))));
  return {nullptr, c.Mul(step, wide.least), c.Mul(step, wide.most)};
}

std::vector<Value*> QuantizedResults(const Quantized& x) { return {x.stored, x.min, x.max}; }

// The zero point of `x` in the type of its integers; a run in which it does not lie within fails.
Value* ZeroPoint(Call& c, const Quantized& x) {
  const DType type = c.dtype(x.stored);
  const Integers integers = TakeIntegers(c, type);
  Value* zero = ZeroOf(c, x, type);
  Value* within = c.Min(c.Max(zero, integers.least), integers.most);
  c.Assert(c.Equal(zero, within), "the range of '" + c.node().name() + "' does not contain 0");
  return c.Cast(within, type);
}

// The integers less what stands for 0, int32.
Value* FromZero(Call& c, const Quantized& x) {
  return c.Sub(c.Cast(x.stored, DType::kI32), c.Cast(ZeroOf(c, x, c.dtype(x.stored)), DType::kI32));
}

bool IsByte(Call& c, const Quantized& x) {
  const DType type = c.dtype(x.stored);
  if (c.failed() || type == DType::kU8 || type == DType::kI8) return true;
  c.Fail("products of " + std::string(Name(type)));
  return false;
}

// The least and the largest that is stored, as numbers; 0 lies between them.
Quantized UsedEnds(Call& c, const Quantized& x) {
  const auto end = [&](std::string_view reduction) {
    Quantized one{c.ReduceAll(reduction, x.stored), x.min, x.max};
    return Narrow(c, NumbersOf(c, one));
  };
  return {x.stored, c.Min(end("ReduceMin"), 0), end("ReduceMax")};
}

// 32-bit integers as those of bytes with other ends, by the fixed-point arithmetic of TensorFlow's
// kernel.
Value* RequantizedToBytes(Call& c, const Quantized& x, Value* min, Value* max) {
  constexpr double kOne = 1 << 16;
  Value* range = c.Sub(max, min);
  Value* empty = c.Equal(range, 0);
  Value* divisor = Wide(c, c.Where(empty, 1, range));
  const auto whole = [&](Value* value) { return c.Cast(c.Where(empty, 0, value), DType::kI64); };
  Value* input_range = Wide(c, c.Sub(x.max, x.min));
  Value* scale = whole(c.Div(c.Mul(input_range, 255 * kOne), divisor));
  Value* middle = Wide(c, c.Div(c.Add(x.min, x.max), 2));
  Value* reciprocal = Wide(c, Narrow(c, c.Div(255, divisor)));
  Value* offset = whole(c.Mul(c.Mul(middle, reciprocal), kOne));
  Value* least = whole(c.Div(c.Mul(Wide(c, min), 255 * kOne), divisor));
  Value* product = c.Mul(c.Cast(x.stored, DType::kI64), scale);
  Value* scaled = FloorQuotient(c, product, c.Int(std::int64_t{1} << 32));
  Value* steps = c.Add(c.Sub(c.Add(scaled, offset), least), c.Int(1 << 15));
  Value* bytes = FloorQuotient(c, steps, c.Int(1 << 16));
  return c.Cast(c.Min(c.Max(bytes, 0), 255), DType::kU8);
}

Quantized Requantized(Call& c, const Quantized& x, Value* min, Value* max, DType type) {
  const bool to_bytes = c.dtype(x.stored) == DType::kI32 && type == DType::kU8;
  Value* stored =
      to_bytes ? RequantizedToBytes(c, x, min, max) : StoredOf(c, NumbersOf(c, x), min, max, type);
  return {stored, min, max};
}

std::vector<Value*> LowerQuantizedMatMul(Call& c) {
  const Quantized a = TakeQuantized(c, 0, 2);
  const Quantized b = TakeQuantized(c, 1, 4);
  if (!IsByte(c, a) || !IsByte(c, b)) return {};
  const auto matrix = [&](const Quantized& x, std::string_view transposed) {
    return c.BoolAttribute(transposed) ? c.Transpose(x.stored, {1, 0}) : x.stored;
  };
  Quantized product = ProductEnds(c, a, b);
  product.stored = c.Op("MatMulInteger", {matrix(a, "transpose_a"), matrix(b, "transpose_b"),
                                          ZeroPoint(c, a), ZeroPoint(c, b)});
  return QuantizedResults(product);
}

std::vector<Value*> LowerQuantizedConv2D(Call& c) {
  const Quantized x = TakeQuantized(c, 0, 2);
  const Quantized filter = TakeQuantized(c, 1, 4);
  if (!IsByte(c, x) || !IsByte(c, filter)) return {};
  Quantized product = ProductEnds(c, x, filter);
  const IntegerZeros zeros{ZeroPoint(c, x), ZeroPoint(c, filter)};
  product.stored = Convolution2D(c, {2, true}, x.stored, filter.stored, zeros);
  return QuantizedResults(product);
}

std::vector<Value*> LowerQuantizedMul(Call& c) {
  const Quantized a = TakeQuantized(c, 0, 2);
  const Quantized b = TakeQuantized(c, 1, 4);
  Quantized product = ProductEnds(c, a, b);
  product.stored = c.Mul(FromZero(c, a), FromZero(c, b));
  return QuantizedResults(product);
}

// Sums with ends far out, symmetric about 0; of a bias, too.
std::vector<Value*> LowerQuantizedAdd(Call& c) {
  const Quantized a = TakeQuantized(c, 0, 2);
  const Quantized b = TakeQuantized(c, 1, 4);
  Value* max = c.Max(c.Max(a.max, c.Neg(a.min)), c.Max(b.max, c.Neg(b.min)));
  max = c.Mul(max, 1 << 17);
  Value* sum = c.Add(NumbersOf(c, a), NumbersOf(c, b));
  return QuantizedResults({StoredOf(c, sum, c.Neg(max), max, DType::kI32), c.Neg(max), max});
}

// From above; operand 1 may give it.
enum class Bound { kNone, kSix, kOperand };

std::vector<Value*> LowerQuantizedRelu(Call& c, Bound bound) {
  const bool bounded = bound == Bound::kOperand;
  const Quantized x = TakeQuantized(c, 0, bounded ? 2 : 1);
  const DType type = c.dtype(x.stored);
  const auto stored = [&](Value* number) {
    return StoredOf(c, Wide(c, number), x.min, x.max, type);
  };
  Value* y = c.Max(x.stored, stored(c.Number(0, DType::kF32)));
  if (bound == Bound::kSix) y = c.Min(y, stored(c.Number(6, DType::kF32)));
  if (bounded) y = c.Min(y, stored(EndOperand(c, 1)));
  return QuantizedResults({y, x.min, x.max});
}

std::vector<Value*> LowerQuantizedReshape(Call& c) {
  return {c.Reshape(c.Tensor(0), c.Index(1)), EndOperand(c, 2), EndOperand(c, 3)};
}

// All are brought to the ends of all.
std::vector<Value*> LowerQuantizedConcat(Call& c) {
  const std::int64_t stated = c.KnownInt(0, "the axis");
  const std::size_t count = c.num_operands() / 3;
  if (count == 0) c.Fail(InvalidInput("there is nothing to join"));
  if (c.failed()) return {};
  std::vector<Quantized> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(
        {c.Tensor(1 + i), EndOperand(c, 1 + count + i), EndOperand(c, 1 + 2 * count + i)});
  Value* min = c.Min(parts[0].min, 0);
  Value* max = parts[0].max;
  for (const Quantized& part : parts) {
    min = c.Min(min, part.min);
    max = c.Max(max, part.max);
  }
  const DType type = c.dtype(parts[0].stored);
  if (type == DType::kI8 || type == DType::kI32) {
    max = c.Max(c.Abs(min), c.Abs(max));
    min = c.Neg(max);
  }
  std::vector<Value*> stored;
  for (const Quantized& part : parts) {
    Value* same = c.And(c.Equal(part.min, min), c.Equal(part.max, max));
    Value* moved = StoredOf(c, NumbersOf(c, part), min, max, type);
    stored.push_back(c.Where(same, part.stored, moved));
  }
  const int axis = c.AxisOf(stated, parts[0].stored);
  return QuantizedResults({c.Concat(std::move(stored), axis), min, max});
}

std::vector<Value*> LowerQuantizedPool(Call& c) {
  const Quantized x = TakeQuantized(c, 0, 1);
  return QuantizedResults({LowerPool(c), x.min, x.max});
}

std::vector<Value*> LowerRequantizationRange(Call& c) {
  const Quantized ends = UsedEnds(c, TakeQuantized(c, 0, 1));
  return {ends.min, ends.max};
}

std::vector<Value*> LowerRequantize(Call& c) {
  const Quantized x = TakeQuantized(c, 0, 1);
  return QuantizedResults(
      Requantized(c, x, EndOperand(c, 3), EndOperand(c, 4), StoredTypeAttribute(c, "out_type")));
}

std::vector<Value*> LowerQuantizeDownAndShrinkRange(Call& c) {
  const Quantized x = TakeQuantized(c, 0, 1);
  const Quantized ends = UsedEnds(c, x);
  return QuantizedResults(
      Requantized(c, x, ends.min, ends.max, StoredTypeAttribute(c, "out_type")));
}

}  // namespace

std::span<const OpRow> QuantizedArithmeticRows() {
  static constexpr OpRow kRows[] = {
      {"QuantizeDownAndShrinkRange", LowerQuantizeDownAndShrinkRange},
      {"QuantizedAdd", LowerQuantizedAdd},
      {"QuantizedAvgPool", LowerQuantizedPool, "AveragePool"},
      {"QuantizedBiasAdd", LowerQuantizedAdd},
      {"QuantizedConcat", LowerQuantizedConcat},
      {"QuantizedConv2D", LowerQuantizedConv2D},
      {"QuantizedMatMul", LowerQuantizedMatMul},
      {"QuantizedMaxPool", LowerQuantizedPool, "MaxPool"},
      {"QuantizedMul", LowerQuantizedMul},
      {"QuantizedRelu", With<LowerQuantizedRelu, Bound::kNone>},
      {"QuantizedRelu6", With<LowerQuantizedRelu, Bound::kSix>},
      {"QuantizedReluX", With<LowerQuantizedRelu, Bound::kOperand>},
      {"QuantizedReshape", LowerQuantizedReshape},
      {"RequantizationRange", LowerRequantizationRange},
      {"Requantize", LowerRequantize},
  };
  return kRows;
}

}  // namespace dragoman::tf
