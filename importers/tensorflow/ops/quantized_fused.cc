// SPDX-License-Identifier: Apache-2.0
// Products of bytes as oneDNN computes them for TensorFlow, with what follows in the same operator:
// a bias, a tensor that is added, Relu, and bytes again. Zero is stored as 0 (but where a product
// is asked for MIN_FIRST), and an integer of n bits stands for its share of the larger of both
// ends.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/convolution.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

// What the operator does besides the product.
struct Steps {
  bool depthwise = false;  // of a convolution
  bool bias = false;
  bool summand = false;  // another tensor
  bool relu = false;
  bool bytes = false;   // rounds to bytes again
  bool floats = false;  // gives floating numbers again
};

// The larger of two ends, of each channel of a filter.
Value* Reach(Call& c, std::size_t min) {
  return c.Max(c.Abs(c.Tensor(min)), c.Abs(c.Tensor(min + 1)));
}

// How many integers there are on one side of 0.
double Side(DType type) { return type == DType::kI8 ? 127 : 255; }

// What a step of integers is, if those of a signed type are as many on both sides of 0.
Value* StepOf(Call& c, std::size_t min, DType type) {
  const double steps = type == DType::kI8 ? 254 : 255;
  return c.Div(c.Sub(c.Tensor(min + 1), c.Tensor(min)), steps);
}

Value* ZeroOf(Call& c, Value* x) { return c.Number(0, x); }

// Pads that attributes of their own state.
void CheckPads(Call& c) {
  if (c.TextAttribute("padding") == "EXPLICIT") c.Fail("padding EXPLICIT is not supported");
  const Ints pads = c.Has("padding_list") ? c.IntsAttribute("padding_list") : Ints();
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; }))
    c.Fail("padding_list is not supported");
}

void CheckBytes(Call& c, Value* x, Value* y) {
  if (c.failed()) return;
  for (const DType type : {c.dtype(x), c.dtype(y)}) {
    if (type != DType::kI8 && type != DType::kU8) c.Fail("products of " + std::string(Name(type)));
  }
}

// The integers of `type` that are nearest to float32 numbers.
Value* Stored(Call& c, Value* numbers, DType type) {
  const Integers integers = TakeIntegers(c, type);
  numbers = c.Op("Round", {numbers});
  if (type != DType::kI32) numbers = c.Min(c.Max(numbers, integers.least), integers.most);
  return c.Cast(numbers, type);
}

// 32-bit integers, whose ends are where the product of both steps would have them.
std::vector<Value*> WideResults(Call& c, Value* stored, Value* step) {
  const Integers wide = TakeIntegers(c, DType::kI32);
  return {stored, c.Mul(step, wide.least), c.Mul(step, wide.most)};
}

std::vector<Value*> LowerQuantizedFusedConv2D(Call& c, Steps steps) {
  const std::size_t ends = steps.bias ? 3 : 2;
  const std::size_t filter_ends = ends + 2;
  const std::size_t frozen_ends = ends + 4;
  const std::size_t summand = frozen_ends + (steps.bytes ? 2 : 0);
  Value* x = c.Tensor(0);
  Value* filter = c.Tensor(1);
  CheckBytes(c, x, filter);
  CheckPads(c);
  if (c.failed()) return {};
  Value* sums =
      Convolution2D(c, {2, true}, x, filter, {ZeroOf(c, x), ZeroOf(c, filter)}, steps.depthwise);
  const DType type = c.dtype(x);
  Value* unit = c.Div(c.Mul(Reach(c, ends), Reach(c, filter_ends)), Side(type) * 127);
  Value* numbers = c.Cast(sums, DType::kF32);
  if (steps.bias) {
    Value* bias = c.Tensor(2);
    numbers =
        c.Add(numbers, IsInteger(c.dtype(bias)) ? c.Cast(bias, DType::kF32) : c.Div(bias, unit));
  }
  if (steps.bytes) {
    const DType stored = StoredTypeAttribute(c, "out_type");
    Value* out_reach = Reach(c, frozen_ends);
    numbers = c.Mul(numbers, c.Div(c.Mul(unit, Side(stored)), out_reach));
    if (steps.summand) {
      Value* more = c.Tensor(summand);
      const double sides = c.failed() ? 1 : Side(stored) / Side(c.dtype(more));
      Value* scale = c.Div(c.Mul(Reach(c, summand + 1), sides), out_reach);
      numbers = c.Add(numbers, c.Mul(c.Cast(more, DType::kF32), scale));
    }
    if (steps.relu) numbers = c.Max(numbers, 0);
    return {Stored(c, numbers, stored), c.Tensor(frozen_ends), c.Tensor(frozen_ends + 1)};
  }
  if (steps.summand) numbers = c.Add(numbers, c.Op("Round", {c.Div(c.Tensor(summand), unit)}));
  Value* whole = steps.bias || steps.summand ? Stored(c, numbers, DType::kI32) : sums;
  if (steps.relu) whole = c.Max(whole, 0);
  Value* step = c.Mul(StepOf(c, ends, type), StepOf(c, filter_ends, c.dtype(filter)));
  return WideResults(c, whole, step);
}

// MIN_FIRST: the least of the range of `a` is stored as 0, so that each sum lacks as often the
// column of `b`, which counts with a bias of floating numbers only; one of integers has it already.
Value* BiasOf(Call& c, Value* b) {
  Value* bias = c.Tensor(2);
  if (c.failed()) return nullptr;
  if (IsInteger(c.dtype(bias))) return c.Cast(bias, DType::kF32);
  if (c.TextAttribute("input_quant_mode") != "MIN_FIRST")
    return c.Fail("a bias of floating numbers beside input_quant_mode other than MIN_FIRST");
  Value* range = c.Sub(c.Tensor(4), c.Tensor(3));
  Value* unit = c.Div(c.Mul(range, Reach(c, 5)), 255 * 127);
  Value* columns = c.ReduceSum(c.Cast(b, DType::kF32), {0});
  Value* lowest = c.Div(c.Mul(c.Tensor(3), 255), range);
  return c.Add(c.Div(bias, unit), c.Mul(columns, lowest));
}

std::vector<Value*> LowerQuantizedFusedMatMul(Call& c, Steps steps) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  CheckBytes(c, a, b);
  if (c.BoolAttribute("transpose_a")) a = c.Transpose(a, {1, 0});
  if (c.BoolAttribute("transpose_b")) b = c.Transpose(b, {1, 0});
  if (c.failed()) return {};
  if (c.dtype(a) != DType::kU8 || c.dtype(b) != DType::kI8) {
    c.Fail("products other than those of uint8 and int8");
    return {};
  }
  Value* sums = c.Op("MatMulInteger", {a, b, ZeroOf(c, a), ZeroOf(c, b)});
  Value* numbers = c.Add(c.Cast(sums, DType::kF32), BiasOf(c, b));
  Value* step = c.Mul(StepOf(c, 3, DType::kU8), StepOf(c, 5, DType::kI8));
  if (steps.relu) numbers = c.Max(numbers, 0);
  if (steps.floats) return {c.Mul(numbers, step)};
  if (!steps.bytes) return WideResults(c, Stored(c, numbers, DType::kI32), step);
  const DType stored = StoredTypeAttribute(c, "Toutput");
  // The range of 32-bit integers over that of the result's, both of a power of 2.
  const double sides = stored == DType::kI8 ? 128 : 256;
  numbers = c.Mul(numbers, c.Div(c.Mul(step, sides), Reach(c, 7)));
  return {Stored(c, numbers, stored), c.Tensor(7), c.Tensor(8)};
}

}  // namespace

std::span<const OpRow> QuantizedFusedRows() {
  static constexpr OpRow kRows[] = {
      {"QuantizedConv2DAndRelu", With<LowerQuantizedFusedConv2D, Steps{.relu = true}>},
      {"QuantizedConv2DAndReluAndRequantize",
       With<LowerQuantizedFusedConv2D, Steps{.relu = true, .bytes = true}>},
      {"QuantizedConv2DAndRequantize", With<LowerQuantizedFusedConv2D, Steps{.bytes = true}>},
      {"QuantizedConv2DPerChannel", With<LowerQuantizedFusedConv2D, Steps{}>},
      {"QuantizedConv2DWithBias", With<LowerQuantizedFusedConv2D, Steps{.bias = true}>},
      {"QuantizedConv2DWithBiasAndRelu",
       With<LowerQuantizedFusedConv2D, Steps{.bias = true, .relu = true}>},
      {"QuantizedConv2DWithBiasAndReluAndRequantize",
       With<LowerQuantizedFusedConv2D, Steps{.bias = true, .relu = true, .bytes = true}>},
      {"QuantizedConv2DWithBiasAndRequantize",
       With<LowerQuantizedFusedConv2D, Steps{.bias = true, .bytes = true}>},
      {"QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
       With<LowerQuantizedFusedConv2D,
            Steps{.bias = true, .summand = true, .relu = true, .bytes = true}>},
      {"QuantizedConv2DWithBiasSumAndRelu",
       With<LowerQuantizedFusedConv2D, Steps{.bias = true, .summand = true, .relu = true}>},
      {"QuantizedConv2DWithBiasSumAndReluAndRequantize",
       With<LowerQuantizedFusedConv2D,
            Steps{.bias = true, .summand = true, .relu = true, .bytes = true}>},
      {"QuantizedDepthwiseConv2D", With<LowerQuantizedFusedConv2D, Steps{.depthwise = true}>},
      {"QuantizedDepthwiseConv2DWithBias",
       With<LowerQuantizedFusedConv2D, Steps{.depthwise = true, .bias = true}>},
      {"QuantizedDepthwiseConv2DWithBiasAndRelu",
       With<LowerQuantizedFusedConv2D, Steps{.depthwise = true, .bias = true, .relu = true}>},
      {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
       With<LowerQuantizedFusedConv2D,
            Steps{.depthwise = true, .bias = true, .relu = true, .bytes = true}>},
      {"QuantizedMatMulWithBias", With<LowerQuantizedFusedMatMul, Steps{}>},
      {"QuantizedMatMulWithBiasAndDequantize",
       With<LowerQuantizedFusedMatMul, Steps{.floats = true}>},
      {"QuantizedMatMulWithBiasAndRelu", With<LowerQuantizedFusedMatMul, Steps{.relu = true}>},
      {"QuantizedMatMulWithBiasAndReluAndRequantize",
       With<LowerQuantizedFusedMatMul, Steps{.relu = true, .bytes = true}>},
      {"QuantizedMatMulWithBiasAndRequantize",
       With<LowerQuantizedFusedMatMul, Steps{.bytes = true}>},
  };
  return kRows;
}

}  // namespace dragoman::tf
