// SPDX-License-Identifier: Apache-2.0
// Operators on quantised tensors: what they compute on real numbers, between DequantizeLinear and
// QuantizeLinear; and products, in integers.
#include "importers/onnx/ops/contrib_quantized.h"

#include <string>
#include <utility>

#include "core/ir/find_as.h"

namespace dragoman {

Value* OneNumber(Composer& f, Value* x) {
  if (x == nullptr || x->type().rank() == 0) return x;
  return f.Op("Reshape", {x, f.Ints({})});
}

Value* NumberOrVector(Composer& f, Value* x) {
  if (x == nullptr) return x;
  const Shape* shape = x->type().shape();
  const bool one = shape != nullptr && shape->size() == 1 && shape->front().known() &&
                   shape->front().value() == 1;
  return one ? OneNumber(f, x) : x;
}

Value* Dequantized(OpComposer& f, const OpLowering& op, std::size_t first) {
  return f.Op("DequantizeLinear", {op.operand(first), OneNumber(f, op.operand(first + 1)),
                                   OneNumber(f, op.operand(first + 2))});
}

Value* Quantized(OpComposer& f, const OpLowering& op, Value* real, std::size_t scale, DType dtype) {
  Value* zero = OneNumber(f, op.operand(scale + 1));
  if (zero == nullptr) zero = f.Cast(f.Int(0), dtype);
  return f.Op("QuantizeLinear", {real, OneNumber(f, op.operand(scale)), zero}, {},
              op.ResultName(0));
}

Value* ScaledProduct(Composer& f, const QuantizedFactor& a, const QuantizedFactor& b) {
  Value* sums = f.Op("MatMulInteger", {a.values, b.values, NumberOrVector(f, a.zero_point),
                                       NumberOrVector(f, b.zero_point)});
  return f.Op("Mul", {f.Cast(sums, DType::kF32), f.Op("Mul", {a.scale, b.scale})});
}

namespace {

DType DTypeOf(const OpLowering& op, std::size_t i) { return op.operand(i)->type().dtype(); }

// The operator of ai.onnx whose quantised form the source is.
std::string PlainType(const OpLowering& op) {
  return op.source.op().type.substr(std::string_view("QLinear").size());
}

Value* PlusBias(OpComposer& f, Value* product, Value* bias, std::string_view name) {
  if (bias == nullptr) return f.Op("Identity", {product}, {}, name);
  return f.Op("Add", {product, bias}, {}, name);
}

// Operands of one input: it, its scale and zero point; scale and zero point of the result.
constexpr std::size_t kResultScale = 3;

// `type` on channels first, wherever the channels lie.
Result<Value*> Pooled(OpLowering& op, OpComposer& f, std::string_view type, bool channels_last) {
  DRAGOMAN_ASSIGN(const int rank, ImageRank(op));
  Value* x = Dequantized(f, op, 0);
  if (channels_last) x = ChannelsFirst(f, x, rank);
  Value* y = f.Op(type, {x}, std::exchange(op.attributes, {}));
  return channels_last ? ChannelsLast(f, y, rank, "") : y;
}

}  // namespace

// QLinearAdd and QLinearMul.
LoweredResults LowerQLinearBinary(OpLowering& op) {
  constexpr std::size_t kSecond = 3, kScale = 6;
  DRAGOMAN_TRY(op.Require({0, 1, kSecond, kSecond + 1, kScale}));
  OpComposer f(op);
  Value* y = f.Op(PlainType(op), {Dequantized(f, op, 0), Dequantized(f, op, kSecond)});
  return f.Finish({Quantized(f, op, y, kScale, DTypeOf(op, 0))});
}

// QLinearLeakyRelu and QLinearSigmoid.
LoweredResults LowerQLinearUnary(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, kResultScale}));
  OpComposer f(op);
  Value* y = f.Op(PlainType(op), {Dequantized(f, op, 0)}, std::exchange(op.attributes, {}));
  return f.Finish({Quantized(f, op, y, kResultScale, DTypeOf(op, 0))});
}

// Below opset 13 of the softmax it stands for, it is along all axes from `axis` on.
LoweredResults LowerQLinearSoftmax(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, kResultScale}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt("axis"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> opset, op.TakeInt("opset"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (!opset) return op.Invalid("attribute 'opset' is missing");
  std::int64_t axis = given.value_or(*opset < 13 ? 1 : -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return op.Invalid("axis is out of range");
  OpComposer f(op);
  Value* x = Dequantized(f, op, 0);
  Value* y = *opset >= 13 ? f.Op("Softmax", {x}, {{"axis", axis}}) : SoftmaxFrom(f, x, axis, rank);
  return f.Finish({Quantized(f, op, y, kResultScale, DTypeOf(op, 0))});
}

// QLinearAveragePool and QLinearGlobalAveragePool.
LoweredResults LowerQLinearPool(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, kResultScale}));
  DRAGOMAN_ASSIGN(const bool channels_last, TakeFlag(op, "channels_last"));
  const auto given = [&](std::string_view name) {
    const auto* number = FindAs<std::int64_t>(op.attributes, name);
    return number != nullptr && *number != 0;
  };
  if (given("ceil_mode") && given("count_include_pad"))
    return op.Unsupported(
        "ceil_mode with count_include_pad: ONNX Runtime counts what lies beyond the padding");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * y, Pooled(op, f, PlainType(op), channels_last));
  return f.Finish({Quantized(f, op, y, kResultScale, DTypeOf(op, 0))});
}

LoweredResults LowerQLinearReduceMean(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, kResultScale}));
  DRAGOMAN_ASSIGN(const std::optional<std::vector<std::int64_t>> axes, op.TakeInts("axes"));
  OpComposer f(op);
  Value* along = axes && !axes->empty() ? f.Ints(*axes) : nullptr;
  Value* y = f.Op("ReduceMean", {Dequantized(f, op, 0), along}, std::exchange(op.attributes, {}));
  return f.Finish({Quantized(f, op, y, kResultScale, DTypeOf(op, 0))});
}

// Scale and zero point of the result come first, then those of each part after it.
LoweredResults LowerQLinearConcat(OpLowering& op) {
  constexpr std::size_t kFirst = 2;
  if (op.operands.size() < kFirst + 3 || (op.operands.size() - kFirst) % 3 != 0)
    return op.Invalid("the operands are not two and then three a part");
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  std::vector<Value*> parts;
  for (std::size_t i = kFirst; i < op.operands.size(); i += 3) {
    DRAGOMAN_TRY(op.Require({i, i + 1}));
    parts.push_back(Dequantized(f, op, i));
  }
  Value* y = f.Op("Concat", std::move(parts), std::exchange(op.attributes, {}));
  return f.Finish({Quantized(f, op, y, 0, DTypeOf(op, 1))});
}

LoweredResults LowerQLinearWhere(OpLowering& op) {
  constexpr std::size_t kTrue = 1, kFalse = 4, kScale = 7;
  DRAGOMAN_TRY(op.Require({0, kTrue, kTrue + 1, kFalse, kFalse + 1, kScale}));
  OpComposer f(op);
  Value* y = f.Op("Where", {op.operand(0), Dequantized(f, op, kTrue), Dequantized(f, op, kFalse)});
  return f.Finish({Quantized(f, op, y, kScale, DTypeOf(op, kTrue))});
}

// That of ai.onnx, or with channels last; weights lie as for Conv.
LoweredResults LowerContribQLinearConv(OpLowering& op) {
  DRAGOMAN_ASSIGN(const bool channels_last, TakeFlag(op, "channels_last"));
  DRAGOMAN_ASSIGN(const int rank, ImageRank(op));
  OpComposer f(op);
  std::vector<Value*> operands = op.operands;
  for (const std::size_t i : {1, 2, 6, 7}) {
    if (i < operands.size()) operands[i] = OneNumber(f, operands[i]);
  }
  if (!channels_last)
    return f.Finish(
        {f.Op("QLinearConv", operands, std::exchange(op.attributes, {}), op.ResultName(0))});
  operands[0] = ChannelsFirst(f, operands[0], rank);
  Value* y = f.Op("QLinearConv", operands, std::exchange(op.attributes, {}));
  return f.Finish({ChannelsLast(f, y, rank, op.ResultName(0))});
}

LoweredResults LowerNhwcMaxPool(OpLowering& op) {
  DRAGOMAN_ASSIGN(const int rank, ImageRank(op));
  OpComposer f(op);
  Value* x = ChannelsFirst(f, op.operand(0), rank);
  Value* y = f.Op("MaxPool", {x}, std::exchange(op.attributes, {}));
  return f.Finish({ChannelsLast(f, y, rank, op.ResultName(0))});
}

// QuantizeLinear and DequantizeLinear: without `axis`, one scale serves the whole tensor.
LoweredResults LowerContribQuantization(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  if (!op.Has("axis")) {
    for (std::size_t i = 1; i < op.operands.size(); ++i)
      op.operands[i] = NumberOrVector(f, op.operands[i]);
  }
  return f.Finish(
      {f.Op(op.source.op().type, op.operands, std::exchange(op.attributes, {}), op.ResultName(0))});
}

LoweredResults LowerDynamicQuantizeMatMul(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  OpComposer f(op);
  const std::vector<Value*> a =
      f.Ops("DynamicQuantizeLinear", {op.operand(0)}, {}, {"quantized", "scale", "zero_point"});
  Value* y = ScaledProduct(f, {a[0], a[1], a[2]}, {op.operand(1), op.operand(2), op.operand(3)});
  return f.Finish({PlusBias(f, y, op.operand(4), op.ResultName(0))});
}

LoweredResults LowerMatMulIntegerToFloat(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2, 3}));
  if (DTypeOf(op, 2) != DType::kF32) return op.Unsupported("scales that are not float");
  OpComposer f(op);
  Value* y = ScaledProduct(f, {op.operand(0), OneNumber(f, op.operand(2)), op.operand(4)},
                           {op.operand(1), op.operand(3), op.operand(5)});
  return f.Finish({PlusBias(f, y, op.operand(6), op.ResultName(0))});
}

// alpha * (a - a0) (b - b0) * scales + c * scales, quantised if it has a scale.
LoweredResults LowerQGemm(OpLowering& op) {
  enum : std::size_t { kA = 0, kB = 3, kC = 6, kScale = 7 };
  DRAGOMAN_TRY(op.Require({kA, kA + 1, kA + 2, kB, kB + 1, kB + 2}));
  DRAGOMAN_ASSIGN(const std::optional<float> alpha, op.TakeFloat("alpha"));
  DRAGOMAN_ASSIGN(const bool turn_a, TakeFlag(op, "transA"));
  DRAGOMAN_ASSIGN(const bool turn_b, TakeFlag(op, "transB"));
  OpComposer f(op);
  const auto factor = [&](std::size_t i, bool turned) {
    return turned ? f.Transpose(op.operand(i), {1, 0}) : op.operand(i);
  };
  Value* sums = f.Op("MatMulInteger",
                     {factor(kA, turn_a), factor(kB, turn_b), OneNumber(f, op.operand(kA + 2)),
                      NumberOrVector(f, op.operand(kB + 2))});
  if (op.operand(kC) != nullptr) sums = f.Op("Add", {sums, op.operand(kC)});
  Value* scale =
      f.Op("Mul", {OneNumber(f, op.operand(kA + 1)), NumberOrVector(f, op.operand(kB + 1))});
  if (alpha.value_or(1) != 1) scale = f.Op("Mul", {scale, op.builder.Float(*alpha)});
  const bool real = op.operand(kScale) == nullptr;
  Value* y = f.Op("Mul", {f.Cast(sums, DType::kF32), scale}, {}, real ? op.ResultName(0) : "");
  return f.Finish({real ? y : Quantized(f, op, y, kScale, DTypeOf(op, kA))});
}

LoweredResults LowerMulInteger(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 2}));
  OpComposer f(op);
  const auto centred = [&](std::size_t i) {
    Value* wide = f.Cast(op.operand(i), DType::kI32);
    if (op.operand(i + 1) == nullptr) return wide;
    return f.Op("Sub", {wide, f.Cast(OneNumber(f, op.operand(i + 1)), DType::kI32)});
  };
  return f.Finish({f.Op("Mul", {centred(0), centred(2)}, {}, op.ResultName(0))});
}

// MatMulInteger16 of signed factors.
LoweredResults LowerMatMulInteger16(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  const bool is_signed = DTypeOf(op, 0) == DType::kI16 || DTypeOf(op, 1) == DType::kI16;
  const DType dtype = is_signed ? DType::kI32 : DType::kU32;
  OpComposer f(op);
  return f.Finish({f.Op("MatMul", {f.Cast(op.operand(0), dtype), f.Cast(op.operand(1), dtype)}, {},
                        op.ResultName(0))});
}

}  // namespace dragoman
