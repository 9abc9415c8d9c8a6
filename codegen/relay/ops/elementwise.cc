// SPDX-License-Identifier: Apache-2.0
// Elementwise operators. Relay takes operands of equal element types only, which ONNX demands too.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/rounding.h"
#include "codegen/relay/ops/unary.h"
#include "codegen/tvm/divisors.h"
#include "codegen/tvm/extremes.h"
#include "codegen/tvm/shifts.h"
#include "core/rewrite/pass_context.h"
#include "tvm/elementwise_calls.h"

namespace dragoman::relay::emit {
namespace {

std::string_view NameOf(const RelayOp& op) {
  return op.target.empty() ? tvm::NameOfElementwise(op.node.op().type) : op.target;
}

Emitted EmitPlain(RelayOp& op) {
  if (op.node.num_operands() == 1) return One(Unary(op, NameOf(op), op.arg(0), op.dtype()));
  return One(op.Do(NameOf(op), op.args()));
}

Emitted EmitFloatUnary(RelayOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  return EmitPlain(op);
}

Emitted EmitIdentity(RelayOp& op) {
  if (!op.type().is_tensor()) return op.Refuse("only tensors");
  return One(op.arg(0));
}

Emitted EmitBinary(RelayOp& op) {
  if (op.dtype(0) != op.dtype(1)) return op.Refuse("operands of different element types");
  return EmitPlain(op);
}

// Whether floats are compared with themselves, or subtracted: TVM 0.19 folds that to true and 0,
// for NaN and infinities too.
bool IsOfOneFloat(const RelayOp& op) { return op.arg(0) == op.arg(1) && IsFloating(op.dtype()); }

Emitted EmitEqual(RelayOp& op) {
  if (!IsOfOneFloat(op)) return EmitBinary(op);
  return One(op.Do("logical_not", {Unary(op, "isnan", op.arg(0), op.dtype())}));
}

Emitted EmitSub(RelayOp& op) {
  if (!IsOfOneFloat(op)) return EmitBinary(op);
  return One(op.Do("add", {op.arg(0), op.Do("negative", {op.arg(0)})}));
}

Emitted EmitExtreme(RelayOp& op) {
  const auto operand = [&](std::size_t i) { return op.arg(i); };
  const auto binary = [&](Value* a, Value* b) { return op.Do(NameOf(op), {a, b}); };
  const auto guarded = [&](Value* a, Value* b) {
    Value* is_nan = Unary(op, "isnan", a, op.dtype());
    return op.Do("where", {is_nan, a, binary(a, b)});
  };
  return One(tvm::ChainOfExtremes(op.node, operand, binary, guarded));
}

// Sum and Mean as chains of the binary operator.
Emitted EmitVariadic(RelayOp& op) {
  Value* so_far = op.arg(0);
  for (std::size_t i = 1; i < op.node.num_operands(); ++i)
    so_far = op.Do(NameOf(op), {so_far, op.arg(i)});
  if (op.node.op().type != "Mean") return One(so_far);
  return One(op.Do("divide", {so_far, op.Number(static_cast<double>(op.node.num_operands()))}));
}

Emitted EmitBitCast(RelayOp& op) {
  const DType from = op.dtype(), to = op.result_type().dtype();
  if (RelayDType(to).empty() || RelayDType(from).empty())
    return op.Refuse("it has no such element type");
  if (from == to) return One(op.arg(0));
  return One(op.Do("reinterpret", {op.arg(0)}, {{"dtype", std::string(RelayDType(to))}}));
}

// A shift by all bits or more, which gives 0, is left open by TVM.
Emitted EmitBitShift(RelayOp& op) {
  const bool right = op.String("direction", "") == "RIGHT";
  Value* shifted = op.Do(right ? "right_shift" : "left_shift", op.args());
  if (tvm::ShiftsWithin(op.node)) return One(shifted);
  Value* within = op.Do("less", {op.arg(1), op.Number(Info(op.dtype()).bits)});
  return One(op.Do("where", {within, shifted, op.Number(0)}));
}

Emitted EmitRound(RelayOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  return One(RoundedToEven(op, op.arg(0), op.dtype()));
}

// To bool by comparison, so that NaN is true as in ONNX.
Emitted EmitCast(RelayOp& op) {
  const DType from = op.dtype();
  const DType to = op.result_type().dtype();
  if (RelayDType(to).empty() || RelayDType(from).empty())
    return op.Refuse("it has no such element type");
  if (to == DType::kBool && IsFloating(from)) {  // NaN is not unequal, as TVM compares
    Value* is_zero = op.Cast(op.Do("equal", {op.arg(0), op.Number(0)}), DType::kBool, from);
    return One(op.Do("greater", {op.Do("subtract", {op.Number(1), is_zero}), op.Number(0)}));
  }
  if (to == DType::kBool && from != to) return One(op.Do("not_equal", {op.arg(0), op.Number(0)}));
  return One(op.ArgAs(0, to));
}

// Not by clip, which makes the upper bound of NaN; here it stays where it is the second operand.
Emitted EmitClip(RelayOp& op) {
  Value* value = op.arg(0);
  if (op.has(1)) value = op.Do("maximum", {op.arg(1), value});
  if (op.has(2)) value = op.Do("minimum", {op.arg(2), value});
  return One(value);
}

// Mul, and Div of what DividesWithin: a zero that TVM would fold is given as a vector.
Emitted EmitProduct(RelayOp& op) {
  const std::optional<std::size_t> zero = tvm::ScalarZero(op.node);
  if (!zero || op.dtype(0) != op.dtype(1)) return EmitBinary(op);
  const double number = ConstantOf(op.node.operand(*zero))->FloatAt(0);
  Values operands = op.args();
  operands[*zero] = op.builder.Constant(*Tensor::Full(op.dtype(), {1}, number));
  Value* product = op.Do(NameOf(op), operands);
  if (!tvm::IsOfScalars(op.node)) return One(product);
  return One(op.Do("squeeze", {product}, {{"axis", Ints{0}}}));
}

// The divisors, but 1 for 0 and -1; `beyond` says where these are. The operand itself and nullptr
// if neither can be among them.
struct Divisors {
  Value* numbers;
  Value* beyond;
};

Divisors DivisorsOf(RelayOp& op) {
  if (tvm::DividesWithin(op.node)) return {op.arg(1), nullptr};
  Value* beyond = op.Do("equal", {op.arg(1), op.Number(0)});
  if (Info(op.dtype()).is_signed)
    beyond = op.Do("logical_or", {beyond, op.Do("equal", {op.arg(1), op.Number(-1)})});
  return {op.Do("where", {beyond, op.Number(1), op.arg(1)}), beyond};
}

// By a factor: of `where(c, a, x / where(c, 1, y))`, compilers make `where(c, a, x / y)`.
Emitted EmitDiv(RelayOp& op) {
  if (op.dtype(0) != op.dtype(1) || tvm::DividesWithin(op.node)) return EmitProduct(op);
  const auto [divisors, beyond] = DivisorsOf(op);
  Value* quotient = op.Do(NameOf(op), {op.arg(0), divisors});
  Value* factor = op.Do("where", {beyond, op.arg(1), op.Number(1)});
  return One(op.Do("multiply", {quotient, factor}));
}

// ONNX: the divisor's sign; with fmod the dividend's. TVM 0.19 makes vectors of the variable that
// floor_mod of integers has, for which new releases of LLVM refuse its debug information; that of
// floats multiplies a quotient, which gives NaN where the divisor is infinite.
Emitted EmitMod(RelayOp& op) {
  const bool plain = op.Int("fmod") != 0 || (IsInteger(op.dtype()) && !Info(op.dtype()).is_signed);
  Value* divisors = DivisorsOf(op).numbers;
  Value* rest = op.Do("mod", {op.arg(0), divisors});
  if (plain) return One(rest);
  Value* zero = op.Number(0);
  Value* raised = op.Do("add", {rest, divisors});
  const std::optional<Ints> divisor = op.MaybeInts(1);
  if (divisor && std::ranges::all_of(*divisor, [](std::int64_t d) { return d > 0; }))
    return One(op.Do("where", {op.Do("less", {rest, zero}), raised, rest}));
  Value* other =
      op.Do("logical_xor", {op.Do("less", {rest, zero}), op.Do("less", {divisors, zero})});
  Value* differs = op.Do("logical_and", {op.Do("not_equal", {rest, zero}), other});
  return One(op.Do("where", {differs, raised, rest}));
}

// x^n of integers by squaring; n >= 1.
Value* IntegerPower(RelayOp& op, std::int64_t n) {
  Value* power = op.arg(0);
  Value* result = n % 2 != 0 ? power : nullptr;
  for (n /= 2; n > 0; n /= 2) {
    power = op.Do("multiply", {power, power});
    if (n % 2 != 0) result = result == nullptr ? power : op.Do("multiply", {result, power});
  }
  return result;
}

// Relay has it for floats of one element type but bfloat16. That is computed in f32 and others in
// f64, but integers to a known power, which are multiplied.
Emitted EmitPow(RelayOp& op) {
  const DType base = op.dtype(0), exponent = op.dtype(1);
  const bool has_power = IsFloating(base) && base != DType::kBF16;
  if (base == exponent && has_power) return EmitPlain(op);
  const bool is_narrow = !IsFloating(exponent) || Info(exponent).bits < Info(base).bits;
  if (has_power && is_narrow) return One(op.Do("power", {op.arg(0), op.ArgAs(1, base)}));
  const std::optional<Ints> known = op.MaybeInts(1);
  const Shape* shape = op.type(1).shape();
  constexpr std::int64_t kMaxKnown = 64;
  if (known && shape != nullptr && shape->empty() && IsInteger(exponent) && !IsFloating(base) &&
      known->front() > 0 && known->front() <= kMaxKnown)
    return One(IntegerPower(op, known->front()));
  const bool is_half = base == DType::kBF16 && exponent != DType::kF64;
  const DType computed = is_half ? DType::kF32 : DType::kF64;
  Value* wide = op.Do("power", {op.ArgAs(0, computed), op.ArgAs(1, computed)});
  return One(op.Cast(wide, computed, base));
}

Emitted EmitIsInf(RelayOp& op) {
  const bool negative = op.Int("detect_negative") != 0;
  const bool positive = op.Int("detect_positive") != 0;
  const auto is_infinite = [&] { return Unary(op, "isinf", op.arg(0), op.dtype()); };
  if (negative && positive) return One(is_infinite());
  if (!negative && !positive)
    return One(op.Do("logical_and", {is_infinite(), op.Number(0, DType::kBool)}));
  return One(op.Do("equal", {op.arg(0), op.Number(positive ? HUGE_VAL : -HUGE_VAL)}));
}

Emitted EmitReciprocal(RelayOp& op) { return One(op.Do("divide", {op.Number(1), op.arg(0)})); }

}  // namespace

std::span<const Row> ElementwiseRows() {
  static constexpr Row kRows[] = {
      {"Abs", EmitPlain},
      {"Acos", EmitFloatUnary},
      {"Acosh", EmitFloatUnary},
      {"Add", EmitBinary},
      {"And", EmitBinary},
      {"Asin", EmitFloatUnary},
      {"Asinh", EmitFloatUnary},
      {"Atan", EmitFloatUnary},
      {"Atanh", EmitFloatUnary},
      {"BitCast", EmitBitCast, "", true},
      {"BitShift", EmitBitShift, "", true},
      {"BitwiseAnd", EmitBinary},
      {"BitwiseNot", EmitPlain},
      {"BitwiseOr", EmitBinary},
      {"BitwiseXor", EmitBinary},
      {"Cast", EmitCast},
      {"Ceil", EmitFloatUnary},
      {"Clip", EmitClip, "", true},
      {"Cos", EmitFloatUnary},
      {"Cosh", EmitFloatUnary},
      {"Div", EmitDiv},
      {"Equal", EmitEqual},
      {"Erf", EmitFloatUnary},
      {"Exp", EmitFloatUnary},
      {"Floor", EmitFloatUnary},
      {"Greater", EmitBinary},
      {"GreaterOrEqual", EmitBinary},
      {"Identity", EmitIdentity},
      {"IsInf", EmitIsInf, "", true},
      {"IsNaN", EmitFloatUnary},
      {"Less", EmitBinary},
      {"LessOrEqual", EmitBinary},
      {"Log", EmitFloatUnary},
      {"Max", EmitExtreme, "", true},
      {"Mean", EmitVariadic, "add", true},
      {"Min", EmitExtreme, "", true},
      {"Mod", EmitMod},
      {"Mul", EmitProduct},
      {"Neg", EmitPlain},
      {"Not", EmitPlain},
      {"Or", EmitBinary},
      {"Pow", EmitPow},
      {"Reciprocal", EmitReciprocal, "", true},
      {"Relu", EmitPlain},
      {"Round", EmitRound},
      {"Sigmoid", EmitFloatUnary},
      {"Sign", EmitPlain},
      {"Sin", EmitFloatUnary},
      {"Sinh", EmitFloatUnary},
      {"Sqrt", EmitFloatUnary},
      {"Sub", EmitSub},
      {"Sum", EmitVariadic, "add", true},
      {"Tan", EmitFloatUnary},
      {"Tanh", EmitFloatUnary},
      {"Where", EmitPlain, "where"},
      {"Xor", EmitBinary},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
