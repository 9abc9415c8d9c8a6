// SPDX-License-Identifier: Apache-2.0
// Numbers that are stored as steps of a range.
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "core/lowering/rounding.h"
#include "importers/tensorflow/graph/stored_type.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

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

// Bytes and words only: float32 holds no more steps.
Integers TakeNarrow(Call& c, DType type) {
  if (!c.failed() && type == DType::kI32) c.Fail("steps of i32");
  return TakeIntegers(c, type);
}

}  // namespace

Integers TakeIntegers(Call& c, DType type) {
  const bool is_signed = type == DType::kI8 || type == DType::kI16 || type == DType::kI32;
  if (!is_signed && type != DType::kU8 && type != DType::kU16) {
    if (!c.failed()) c.Fail("steps of " + std::string(Name(type)));
    return {};
  }
  const int bits = Info(type).bits;
  if (!is_signed) return {0, std::ldexp(1.0, bits) - 1};
  return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
}

DType StoredTypeAttribute(Call& c, std::string_view name) {
  const Attribute* attribute = c.attribute(name);
  const DType type = attribute != nullptr ? StoredType(*attribute) : DType::kUnknown;
  if (type == DType::kUnknown && !c.failed())
    c.Fail(InvalidInput("attribute " + std::string(name) + " is not an element type"));
  return type;
}

Value* StepsPerUnit(Call& c, double integer, Value* end) {
  Value* counts = c.Greater(c.Mul(end, integer), 0);
  const double none = std::numeric_limits<float>::max();
  return c.Where(counts, c.Div(integer, c.Where(counts, end, 1)), none);
}

namespace {

Value* LowerDequantize(Call& c) {
  Value* stored = c.Tensor(0);
  const std::string mode = c.TextAttribute("mode");
  const std::int64_t axis = c.IntAttribute("axis");
  const DType to = c.TypeAttribute("dtype");
  const Integers integers = TakeNarrow(c, c.dtype(stored));
  if (c.failed()) return nullptr;
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

// The ends, moved so that 0 lies between them and they are not too close.
Quantized TakeEnds(Call& c, std::int64_t axis, Value* x) {
  Value* low = End(c, 1, axis, x);
  Value* high = End(c, 2, axis, x);
  Value* min = c.Min(low, 0);
  Value* size = c.Max(c.Max(c.Abs(low), c.Abs(high)), 1);
  Value* apart = c.Mul(size, c.FloatAttribute("ensure_minimum_range"));
  return {nullptr, min, c.Max(c.Max(high, c.Add(min, apart)), 0)};
}

Value* Between(Call& c, Value* x, const Quantized& ends) {
  return c.Max(c.Min(x, ends.max), ends.min);
}

// 0 is 0 in both: the end that needs the larger steps gives their size.
Quantized Scaled(Call& c, Value* x, const Quantized& ends, const Integers& integers) {
  const double least = integers.least + (c.BoolAttribute("narrow_range") ? 1 : 0);
  Value* scale = c.Min(StepsPerUnit(c, least, ends.min), StepsPerUnit(c, integers.most, ends.max));
  const Quantized moved{nullptr, c.Div(least, scale), c.Div(integers.most, scale)};
  Value* place = c.Mul(Between(c, x, moved), scale);
  const bool even = c.TextAttribute("round_mode") == "HALF_TO_EVEN";
  return {even ? c.Op("Round", {place}) : RoundHalvesAway(c, place), moved.min, moved.max};
}

std::vector<Value*> LowerQuantize(Call& c) {
  Value* x = c.Tensor(0);
  const std::string mode = c.TextAttribute("mode");
  const std::int64_t axis = c.IntAttribute("axis");
  const DType type = StoredTypeAttribute(c, "T");
  const Integers integers = TakeNarrow(c, type);
  Quantized result = TakeEnds(c, axis, x);
  if (c.failed()) return {};
  Value* steps = c.Div(integers.steps(), c.Sub(result.max, result.min));
  if (mode == "SCALED") {
    result = Scaled(c, x, result, integers);
  } else if (mode == "MIN_COMBINED") {
    Value* place = c.Mul(c.Sub(Between(c, x, result), result.min), steps);
    result.stored = integers.is_signed() ? RoundHalvesAway(c, c.Add(place, integers.least))
                                         : c.Floor(c.Add(place, 0.5));
  } else if (mode == "MIN_FIRST") {
    Value* place =
        c.Sub(RoundHalvesAway(c, c.Mul(x, steps)), RoundHalvesAway(c, c.Mul(result.min, steps)));
    place = c.Add(place, integers.least);
    result.stored = c.Min(c.Max(place, integers.least), integers.most);
  } else {
    c.Fail("mode " + mode + " is not supported");
  }
  const auto end = [&](Value* value) {
    return axis < 0 ? c.Reshape(value, Ints()) : c.Flatten(value);
  };
  return {c.Cast(result.stored, type), end(result.min), end(result.max)};
}

}  // namespace

std::span<const OpRow> QuantizedRows() {
  static constexpr OpRow kRows[] = {
      {"Dequantize", LowerDequantize},
      {"QuantizeV2", LowerQuantize},
  };
  return kRows;
}

}  // namespace dragoman::tf
