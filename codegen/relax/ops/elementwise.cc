// SPDX-License-Identifier: Apache-2.0
// Elementwise operators. Relax takes operands of equal element types only, which ONNX demands too.
#include "codegen/relax/ops/op_rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/ops/float8.h"
#include "codegen/tvm/divisors.h"
#include "codegen/tvm/extremes.h"
#include "codegen/tvm/shifts.h"
#include "core/rewrite/pass_context.h"
#include "tvm/elementwise_calls.h"

namespace dragoman::relax {
namespace {

std::string_view NameOf(const RelaxOp& op) { return tvm::NameOfElementwise(op.node.op().type); }

Expressions Call(const RelaxOp& op, std::string_view function) {
  std::string arguments;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i)
    arguments += (i > 0 ? ", " : "") + op.arg(i);
  return One(fmt::format("R.{}({})", function, arguments));
}

bool IsUnsigned(DType dtype) { return IsInteger(dtype) && !Info(dtype).is_signed; }

Expressions EmitUnary(RelaxOp& op) { return Call(op, NameOf(op)); }

// Relax takes signed operands only.
Expressions EmitSigned(RelaxOp& op) {
  if (!IsUnsigned(op.dtype())) return EmitUnary(op);
  if (op.node.Is("Neg")) return One(fmt::format("R.subtract({}, {})", op.Const(0), op.arg(0)));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", op.Do("greater", op.arg(0), op.Const(0)),
                         RelaxDType(op.dtype())));
}

Expressions EmitFloatUnary(RelaxOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  return EmitUnary(op);
}

Expressions EmitBinary(RelaxOp& op) {
  if (op.dtype(0) != op.dtype(1)) return op.Refuse("operands of different element types");
  return Call(op, NameOf(op));
}

// Mul, and Div of what DividesWithin: a zero that TVM would fold is written as a vector.
Expressions EmitProduct(RelaxOp& op) {
  const std::optional<std::size_t> zero = tvm::ScalarZero(op.node);
  if (!zero || op.dtype(0) != op.dtype(1)) return EmitBinary(op);
  const double number = ConstantOf(op.node.operand(*zero))->FloatAt(0);
  const std::string vector =
      fmt::format("R.const([{}], \"{}\")", op.FloatArgument(number), RelaxDType(op.dtype()));
  const std::string_view function = NameOf(op);
  std::string product = fmt::format("R.{}({}, {})", function, *zero == 0 ? vector : op.arg(0),
                                    *zero == 1 ? vector : op.arg(1));
  if (!tvm::IsOfScalars(op.node)) return One(std::move(product));
  return One(fmt::format("R.squeeze({}, axis=[0])", op.BindPlain(product)));
}

// Whether each divisor is 0 or -1.
std::string DividesBeyond(const RelaxOp& op) {
  const std::string zero = op.Do("equal", op.arg(1), op.Const(0));
  if (IsUnsigned(op.dtype())) return zero;
  return op.Do("logical_or", zero, op.Do("equal", op.arg(1), op.Const(-1)));
}

// By a factor: of `where(c, a, x / where(c, 1, y))`, compilers make `where(c, a, x / y)`.
Expressions EmitDiv(RelaxOp& op) {
  if (op.dtype(0) != op.dtype(1) || tvm::DividesWithin(op.node)) return EmitProduct(op);
  const std::string beyond = DividesBeyond(op);
  const std::string divisor = op.Do("where", beyond, op.Const(1), op.arg(1));
  const std::string quotient = op.Do("divide", op.arg(0), divisor);
  const std::string factor = op.Do("where", beyond, op.arg(1), op.Const(1));
  return One(fmt::format("R.multiply({}, {})", quotient, factor));
}

// TVM compares truths as floats, which its LLVM does not take.
Expressions EmitEqual(RelaxOp& op) {
  if (op.dtype() != DType::kBool || op.dtype(1) != DType::kBool) return EmitBinary(op);
  return One("R.logical_not(" + op.Do("logical_xor", op.arg(0), op.arg(1)) + ")");
}

// `x`, of the type of operand 0, for isnan and isinf: TVM has none of bfloat16.
std::string Asked(const RelaxOp& op, const std::string& x) {
  const bool is_bf16 = op.dtype() == DType::kBF16;
  return op.Astype(x, op.dtype(), is_bf16 ? DType::kF32 : op.dtype());
}

Expressions EmitExtreme(RelaxOp& op) {
  const std::string_view function = NameOf(op);
  const std::size_t last = op.node.num_operands() - 1;
  std::size_t made = 0;
  const auto bound = [&](const std::string& text) {
    return ++made < last ? op.BindPlain(text) : text;
  };
  const auto operand = [&](std::size_t i) { return op.arg(i); };
  const auto binary = [&](const std::string& a, const std::string& b) {
    return bound(fmt::format("R.{}({}, {})", function, a, b));
  };
  const auto guarded = [&](const std::string& a, const std::string& b) {
    const std::string extreme = op.Do(function, a, b);
    return bound(fmt::format("R.where({}, {}, {})", op.Do("isnan", Asked(op, a)), a, extreme));
  };
  return One(tvm::ChainOfExtremes(op.node, operand, binary, guarded));
}

// Sum and Mean as chains of the binary operator.
Expressions EmitVariadic(RelaxOp& op) {
  const bool mean = op.node.Is("Mean");
  std::string so_far = op.arg(0);
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    const std::string next = fmt::format("R.add({}, {})", so_far, op.arg(i));
    const bool last = i + 1 == op.node.num_operands() && !mean;
    so_far = last ? next : op.BindPlain(next);
  }
  if (!mean) return One(so_far);
  return One(fmt::format("R.divide({}, {})", so_far,
                         op.Const(static_cast<double>(op.node.num_operands()))));
}

// A shift by all bits or more, which gives 0, is left open by TVM.
Expressions EmitBitShift(RelaxOp& op) {
  const std::string_view shift =
      op.String("direction", "") == "RIGHT" ? "right_shift" : "left_shift";
  if (tvm::ShiftsWithin(op.node)) return Call(op, shift);
  const std::string within = op.Do("less", op.arg(1), op.Const(Info(op.dtype()).bits));
  const std::string shifted = op.Do(shift, op.arg(0), op.arg(1));
  return One(fmt::format("R.where({}, {}, {})", within, shifted, op.Const(0)));
}

// To bool by comparison, so that NaN is true as in ONNX. What does not fit the new type is left
// open by ONNX, but for 8-bit floats. From these TVM casts to float alone.
Expressions EmitCast(RelaxOp& op) {
  const DType from = op.dtype();
  const DType to = op.result_type().dtype();
  if (RelaxDType(to).empty() || RelaxDType(from).empty())
    return op.Refuse("it has no such element type");
  if (from == to) return One(op.arg(0));
  const DType known = IsFloat8(from) ? DType::kF32 : from;
  const std::string x = IsFloat8(from) ? FromFloat8(op, op.arg(0), from) : op.arg(0);
  if (IsFloat8(to))
    return ToFloat8(op, op.Astype(x, known, DType::kF64), to, op.Int("saturate") != 0);
  if (to == known) return One(x);
  if (to == DType::kBool && IsFloating(known)) {  // NaN is not unequal, as TVM compares
    return One(fmt::format("R.logical_not({})", op.Do("equal", x, ConstOf(0, known))));
  }
  if (to == DType::kBool) return One(fmt::format("R.not_equal({}, {})", x, ConstOf(0, known)));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", x, RelaxDType(to)));
}

// NaN stays where it is the second operand.
Expressions EmitClip(RelaxOp& op) {
  std::string value = op.arg(0);
  if (op.has(1)) value = op.BindLike(fmt::format("R.maximum({}, {})", op.arg(1), value));
  if (op.has(2)) value = fmt::format("R.minimum({}, {})", op.arg(2), value);
  return One(value);
}

// The remainder that has the dividend's sign. TVM 0.27 has none of bfloat16, but what float32 gives
// is a number of bfloat16.
std::string Remainder(RelaxOp& op) {
  const DType dtype = op.dtype();
  const DType computed = dtype == DType::kBF16 ? DType::kF32 : dtype;
  return op.Astype(op.Do("mod", op.ArgAs(0, computed), op.ArgAs(1, computed)), computed, dtype);
}

// ONNX: the divisor's sign, as floor_mod; with fmod the dividend's, as mod. TVM's floor_mod of
// floats multiplies a quotient, which gives NaN where the divisor is infinite.
Expressions EmitMod(RelaxOp& op) {
  const std::string_view function = op.Int("fmod") != 0 ? "mod" : "floor_mod";
  if (!tvm::DividesWithin(op.node)) {
    const std::string divisor = op.Do("where", DividesBeyond(op), op.Const(1), op.arg(1));
    return One(fmt::format("R.{}({}, {})", function, op.arg(0), divisor));
  }
  const bool has_mod = IsFloating(op.dtype()) && op.dtype() != DType::kBF16;
  if (!IsFloating(op.dtype()) || (op.Int("fmod") != 0 && has_mod)) return Call(op, function);
  const std::string rest = Remainder(op), zero = op.Const(0);
  if (op.Int("fmod") != 0) return One(rest);
  const std::string below = op.Do("less", rest, zero);
  const std::string other = op.Do("logical_xor", below, op.Do("less", op.arg(1), zero));
  const std::string raised = op.Do("logical_and", op.Do("not_equal", rest, zero), other);
  return One(fmt::format("R.where({}, {}, {})", raised, op.Do("add", rest, op.arg(1)), rest));
}

// x^n of integers by squaring; n >= 0.
std::string IntegerPower(RelaxOp& op, std::int64_t n) {
  std::string power = op.arg(0);
  std::string result = n % 2 != 0 ? power : "";
  for (n /= 2; n > 0; n /= 2) {
    power = op.BindLike(fmt::format("R.multiply({}, {})", power, power));
    if (n % 2 == 0) continue;
    result = result.empty() ? power : op.BindLike(fmt::format("R.multiply({}, {})", result, power));
  }
  return result;
}

// Relax has it for floats of one element type but bfloat16. That is computed in f32 and others in
// f64, but integers to a known power, which are multiplied.
Expressions EmitPow(RelaxOp& op) {
  const DType base = op.dtype(0), exponent = op.dtype(1);
  const bool has_power = IsFloating(base) && base != DType::kBF16;
  if (base == exponent && has_power) return Call(op, "power");
  const bool is_narrow = !IsFloating(exponent) || Info(exponent).bits < Info(base).bits;
  if (has_power && is_narrow)
    return One(fmt::format("R.power({}, {})", op.arg(0), op.ArgAs(1, base)));
  const auto known = op.inference.KnownInts(op.node.operand(1));
  const Shape* shape = op.type(1).shape();
  constexpr std::int64_t kMaxKnown = 64;
  if (known && shape != nullptr && shape->empty() && IsInteger(exponent) && !IsFloating(base) &&
      known->front() > 0 && known->front() <= kMaxKnown)
    return One(IntegerPower(op, known->front()));
  const bool is_half = base == DType::kBF16 && exponent != DType::kF64;
  const DType computed = is_half ? DType::kF32 : DType::kF64;
  const std::string wide = op.Do("power", op.ArgAs(0, computed), op.ArgAs(1, computed));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", wide, RelaxDType(base)));
}

Expressions EmitWhere(RelaxOp& op) { return Call(op, "where"); }

Expressions EmitIsNan(RelaxOp& op) {
  if (op.dtype() != DType::kBF16) return EmitFloatUnary(op);
  return One(fmt::format("R.isnan({})", Asked(op, op.arg(0))));
}

Expressions EmitIsInf(RelaxOp& op) {
  const bool negative = op.Int("detect_negative") != 0;
  const bool positive = op.Int("detect_positive") != 0;
  const std::string x = Asked(op, op.arg(0));
  if (negative && positive) return One(fmt::format("R.isinf({})", x));
  if (!negative && !positive)
    return One(fmt::format("R.logical_and({}, R.const(False, \"bool\"))", op.Do("isinf", x)));
  const double wanted = positive ? HUGE_VAL : -HUGE_VAL;
  return One(fmt::format("R.equal({}, {})", op.arg(0), op.Const(wanted)));
}

}  // namespace

std::span<const Row> ElementwiseRows() {
  static constexpr Row kRows[] = {
      {"Abs", EmitUnary},
      {"Acos", EmitFloatUnary},
      {"Acosh", EmitFloatUnary},
      {"Add", EmitBinary},
      {"And", EmitBinary},
      {"Asin", EmitFloatUnary},
      {"Asinh", EmitFloatUnary},
      {"Atan", EmitFloatUnary},
      {"Atanh", EmitFloatUnary},
      {"BitShift", EmitBitShift},
      {"BitwiseAnd", EmitBinary},
      {"BitwiseNot", EmitUnary},
      {"BitwiseOr", EmitBinary},
      {"BitwiseXor", EmitBinary},
      {"Cast", EmitCast},
      {"Ceil", EmitFloatUnary},
      {"Clip", EmitClip, true},
      {"Cos", EmitFloatUnary},
      {"Cosh", EmitFloatUnary},
      {"Div", EmitDiv},
      {"Equal", EmitEqual},
      {"Erf", EmitFloatUnary},
      {"Exp", EmitFloatUnary},
      {"Floor", EmitFloatUnary},
      {"Greater", EmitBinary},
      {"GreaterOrEqual", EmitBinary},
      {"IsInf", EmitIsInf, true},
      {"IsNaN", EmitIsNan},
      {"Less", EmitBinary},
      {"LessOrEqual", EmitBinary},
      {"Log", EmitFloatUnary},
      {"Max", EmitExtreme, true},
      {"Mean", EmitVariadic, true},
      {"Min", EmitExtreme, true},
      {"Mod", EmitMod},
      {"Mul", EmitProduct},
      {"Neg", EmitSigned},
      {"Not", EmitUnary},
      {"Or", EmitBinary},
      {"Pow", EmitPow},
      {"Round", EmitFloatUnary},
      {"Sigmoid", EmitFloatUnary},
      {"Sign", EmitSigned},
      {"Sin", EmitFloatUnary},
      {"Sinh", EmitFloatUnary},
      {"Sqrt", EmitFloatUnary},
      {"Sub", EmitBinary},
      {"Sum", EmitVariadic, true},
      {"Tan", EmitFloatUnary},
      {"Tanh", EmitFloatUnary},
      {"Where", EmitWhere},
      {"Xor", EmitBinary},
  };
  return kRows;
}

}  // namespace dragoman::relax
