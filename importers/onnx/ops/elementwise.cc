// SPDX-License-Identifier: Apache-2.0
// Elementwise operators: broadcasting by attribute (below opset 7), bounds by attribute (Clip below
// 11), and operators that ai.onnx 1 had as experiments.
#include <string>
#include <string_view>
#include <utility>

#include "core/ops/op_def.h"
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// The second operand's axes meet those of the first from `axis` on; without `axis`, the last ones.
LoweredResults LowerLegacyBroadcast(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> broadcast, op.TakeInt("broadcast"));
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> axis, op.TakeInt("axis"));
  if (broadcast.value_or(0) == 0 || !axis || op.operands.size() != 2)
    return op.Emit(op.source.op().type);
  DRAGOMAN_ASSIGN(int rank, op.Rank(0));
  DRAGOMAN_ASSIGN(int other, op.Rank(1));
  const std::int64_t first = *axis < 0 ? *axis + rank : *axis;
  const std::int64_t trailing = rank - first - other;
  if (first < 0 || trailing < 0)
    return op.Invalid("axis " + std::to_string(*axis) + " is out of range");
  if (trailing > 0) {
    std::vector<std::int64_t> axes;
    for (std::int64_t i = 0; i < trailing; ++i) axes.push_back(other + i);
    DRAGOMAN_ASSIGN(op.operands[1], op.builder.Add("Unsqueeze", {op.operand(1), op.Ints(axes)}));
  }
  return op.Emit(op.source.op().type);
}

LoweredResults LowerPRelu(OpLowering& op) {
  DRAGOMAN_ASSIGN(int rank, op.Rank(0));
  DRAGOMAN_ASSIGN(int slope_rank, op.Rank(1));
  if (slope_rank == 1 && rank > 2) {
    std::vector<std::int64_t> axes;
    for (int i = 1; i < rank - 1; ++i) axes.push_back(i);
    DRAGOMAN_ASSIGN(op.operands[1], op.builder.Add("Unsqueeze", {op.operand(1), op.Ints(axes)}));
  }
  return op.Emit("PRelu");
}

LoweredResults LowerClip(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<float> min, op.TakeFloat("min"));
  DRAGOMAN_ASSIGN(std::optional<float> max, op.TakeFloat("max"));
  if (op.operands.size() != 1 || op.operand(0) == nullptr)
    return op.Invalid("has not exactly one operand");
  op.operands.resize(3, nullptr);
  if (min) {
    DRAGOMAN_ASSIGN(op.operands[1], op.Scalar(*min, op.operand(0)));
  }
  if (max) {
    DRAGOMAN_ASSIGN(op.operands[2], op.Scalar(*max, op.operand(0)));
  }
  return op.Emit("Clip");
}

LoweredResults LowerSelu(OpLowering& op) {
  if (!op.Has("alpha")) op.attributes.emplace_back("alpha", 1.6732f);
  if (!op.Has("gamma")) op.attributes.emplace_back("gamma", 1.0507f);
  return op.Emit("Selu");
}

namespace {

struct AlphaBeta {
  float alpha;
  float beta;
};

Result<AlphaBeta> TakeAlphaBeta(OpLowering& op, float alpha, float beta) {
  DRAGOMAN_ASSIGN(std::optional<float> a, op.TakeFloat("alpha"));
  DRAGOMAN_ASSIGN(std::optional<float> b, op.TakeFloat("beta"));
  DRAGOMAN_TRY(op.Require({0}));
  return AlphaBeta{a.value_or(alpha), b.value_or(beta)};
}

// alpha * function(beta * x)
LoweredResults LowerScaled(OpLowering& op, std::string_view function) {
  DRAGOMAN_ASSIGN(AlphaBeta p, TakeAlphaBeta(op, 1.0f, 1.0f));
  DRAGOMAN_ASSIGN(Value * alpha, op.Scalar(p.alpha, op.operand(0)));
  DRAGOMAN_ASSIGN(Value * beta, op.Scalar(p.beta, op.operand(0)));
  DRAGOMAN_ASSIGN(Value * scaled, op.builder.Add("Mul", {op.operand(0), beta}));
  DRAGOMAN_ASSIGN(Value * y, op.builder.Add(function, {scaled}));
  return op.EmitOne("Mul", {y, alpha});
}

}  // namespace

// alpha * x + beta
LoweredResults LowerAffine(OpLowering& op) {
  DRAGOMAN_ASSIGN(AlphaBeta p, TakeAlphaBeta(op, 1.0f, 0.0f));
  DRAGOMAN_ASSIGN(Value * alpha, op.Scalar(p.alpha, op.operand(0)));
  DRAGOMAN_ASSIGN(Value * beta, op.Scalar(p.beta, op.operand(0)));
  DRAGOMAN_ASSIGN(Value * scaled, op.builder.Add("Mul", {op.operand(0), alpha}));
  return op.EmitOne("Add", {scaled, beta});
}

LoweredResults LowerScaledTanh(OpLowering& op) { return LowerScaled(op, "Tanh"); }

LoweredResults LowerParametricSoftplus(OpLowering& op) { return LowerScaled(op, "Softplus"); }

// scale * x + bias, a bias for each channel of (N, C, H, W)
LoweredResults LowerImageScaler(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<float> scale, op.TakeFloat("scale"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<float>> bias, op.TakeFloats("bias"));
  if (!bias) return op.Invalid("attribute 'bias' is missing");
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(Value * factor, op.Scalar(scale.value_or(1.0f), op.operand(0)));
  DRAGOMAN_ASSIGN(Value * scaled, op.builder.Add("Mul", {op.operand(0), factor}));
  const auto channels = static_cast<std::int64_t>(bias->size());
  Value* offset = op.builder.Constant(Tensor::Of<float>({channels, 1, 1}, *bias));
  return op.EmitOne("Add", {scaled, offset});
}

// Of integers, too: the integer part of the function.
LoweredResults LowerErf(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  const DType dtype = op.builder.dtype(op.operand(0));
  if (!IsInteger(dtype)) return op.Emit("Erf");
  OpComposer formula(op);
  Value* real = formula.Op("Erf", {formula.Cast(op.operand(0), DType::kF64)});
  return formula.Finish({formula.NamedCast(real, dtype, op.ResultName(0))});
}

namespace {

// A cast to float8e8m0, whose numbers are powers of two, rounds up unless `round_mode` says
// otherwise. Cast rounds to the nearest one: what stands here is one already.
LoweredResults CastToPowers(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("round_mode"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> saturate, op.TakeInt("saturate"));
  const std::string mode = given.value_or("up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return op.Invalid("round_mode '" + mode + "' is neither up, down nor nearest");
  constexpr double kMost = 0x1p127;
  constexpr double kLeast = 0x1p-127;
  OpComposer f(op);
  Value* x = op.operand(0);
  const DType dtype = f.dtype(x);
  x = f.Cast(x, IsFloating(dtype) && Info(dtype).bits <= 32 ? DType::kF32 : DType::kF64);
  Value* power = x;
  if (mode != "nearest") power = f.CastLike(f.Cast(x, DType::kF8E8M0), x);
  if (mode == "up") {
    Value* next = f.Mul(power, 2);
    if (saturate.value_or(1) != 0) next = f.Min(next, kMost);
    power = f.Where(f.Less(power, x), next, power);
  } else if (mode == "down") {
    power = f.Where(f.Greater(power, x), f.Max(f.Mul(power, 0.5), kLeast), power);
  }
  return f.Finish(
      {f.Op("Cast", {power},
            {{"saturate", saturate.value_or(1)}, {"to", static_cast<std::int64_t>(DType::kF8E8M0)}},
            op.ResultName(0))});
}

// Other casts have no choice of a rounding.
LoweredResults CastTo(OpLowering& op, std::int64_t to) {
  op.Drop("to");
  if (to == static_cast<std::int64_t>(DType::kF8E8M0)) return CastToPowers(op);
  op.Drop("round_mode");
  op.attributes.emplace_back("to", to);
  return op.Emit("Cast");
}

}  // namespace

LoweredResults LowerCast(OpLowering& op) {
  const Attribute* to = Find(op.attributes, "to");
  if (to != nullptr && to->As<std::int64_t>() != nullptr)
    return CastTo(op, *to->As<std::int64_t>());
  if (to == nullptr || to->As<std::string>() == nullptr) return op.Emit("Cast");
  const std::string word = *to->As<std::string>();
  op.Drop("to");
  std::string name;
  for (char c : word) name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (name == "float") name = "float32";
  if (name == "double") name = "float64";
  const std::optional<DType> dtype = DTypeFromName(name);
  if (!dtype) return op.Invalid("attribute 'to' names the unknown element type '" + word + "'");
  op.attributes.emplace_back("to", static_cast<std::int64_t>(*dtype));
  return op.Emit("Cast");
}

LoweredResults LowerCastLike(OpLowering& op) {
  if (op.operands.size() != 2 || op.operand(0) == nullptr || op.operand(1) == nullptr)
    return op.Invalid("has not exactly two operands");
  const DType dtype = op.builder.dtype(op.operand(1));
  if (dtype == DType::kUnknown)
    return op.Unsupported("the element type of operand 1 must be known");
  op.operands.resize(1);
  return CastTo(op, static_cast<std::int64_t>(dtype));
}

// The bits of integers as those of others are what casts keep.
LoweredResults LowerBitCast(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> to, op.TakeInt("to"));
  if (!to || !IsDTypeNumber(*to)) return op.Invalid("attribute 'to' names no element type");
  const DType from = op.builder.dtype(op.operand(0));
  const auto dtype = static_cast<DType>(*to);
  if (from == DType::kUnknown) return op.Unsupported("the element type of operand 0 must be known");
  if (from == dtype) return op.EmitOne("Identity", {op.operand(0)});
  if (Info(from).bits != Info(dtype).bits)
    return op.Invalid("element types " + std::string(Name(from)) + " and " +
                      std::string(Name(dtype)) + " have different sizes");
  const bool from_integer = IsInteger(from) || from == DType::kBool;
  if (dtype == DType::kBool || IsComplex(from) || IsComplex(dtype) ||
      (from == DType::kBool && !IsInteger(dtype)))
    return op.Unsupported("the bits of " + std::string(Name(from)) + " as " +
                          std::string(Name(dtype)));
  const bool is_cast = from_integer && IsInteger(dtype);
  return op.EmitOne(is_cast ? "Cast" : "BitCast", {op.operand(0)}, {{"to", *to}});
}

// From opset 28 on, of signed integers too. Left, their bits are those of unsigned ones; right, a
// negative number is the complement of its shifted complement.
LoweredResults LowerBitShift(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  const DType dtype = op.builder.dtype(op.operand(0));
  if (!Info(dtype).is_signed || !IsInteger(dtype)) return op.Emit("BitShift");
  DRAGOMAN_ASSIGN(std::optional<std::string> direction, op.TakeString("direction"));
  const bool right = direction == "RIGHT";
  if (!right && direction != "LEFT") return op.Invalid("direction is neither LEFT nor RIGHT");
  const int bits = Info(dtype).bits;
  const DType whole = bits == 8 ? DType::kU8 : bits == 64 ? DType::kU64 : DType::kU32;
  OpComposer f(op);
  Value* x = op.operand(0);
  Value* flipped = right ? f.Where(f.Less(x, 0), f.Number(-1, dtype), f.Number(0, dtype)) : nullptr;
  if (right) x = f.Op("BitwiseXor", {x, flipped});
  Value* shifted = f.Op("BitShift", {f.Cast(x, whole), f.Cast(op.operand(1), whole)},
                        {{"direction", *std::move(direction)}});
  if (!right) return f.Finish({f.NamedCast(shifted, dtype, op.ResultName(0))});
  return f.Finish({f.Op("BitwiseXor", {f.Cast(shifted, dtype), flipped}, {}, op.ResultName(0))});
}

// Operators that take bf16 from opset 28 on: f32 holds its numbers.
LoweredResults LowerOfBFloat16(OpLowering& op) {
  const std::string& type = op.source.op().type;
  const Signature& signature = FindOp(type)->signature;
  OpComposer f(op);
  bool is_narrow = false, result_is = false;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    Value*& operand = op.operands[i];
    if (operand == nullptr || f.dtype(operand) != DType::kBF16) continue;
    operand = f.Cast(operand, DType::kF32);
    is_narrow = true;
    const Formal* formal = signature.Operand(i);
    result_is =
        result_is || (formal != nullptr && formal->variable == signature.results.front().variable);
  }
  if (!is_narrow) return op.Emit(type);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < op.num_results(); ++i) names.push_back(op.ResultName(i));
  if (result_is) names.front().clear();
  std::vector<Value*> results = f.Ops(type, op.operands, std::exchange(op.attributes, {}), names);
  if (result_is) results.front() = f.NamedCast(results.front(), DType::kBF16, op.ResultName(0));
  return f.Finish(std::move(results));
}

// x · sigmoid(alpha x) · y
LoweredResults LowerSwiGlu(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* gate = f.Op("Swish", {op.operand(0)}, std::exchange(op.attributes, {}));
  return f.Finish({f.Op("Mul", {gate, op.operand(1)}, {}, op.ResultName(0))});
}

}  // namespace dragoman
