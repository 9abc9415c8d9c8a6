// SPDX-License-Identifier: Apache-2.0
// Operators on elements: of one tensor, of two that broadcast, of any number.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/ir/dtype_kinds.h"
#include "core/ir/producer.h"
#include "core/support/find_by_key.h"

namespace dragoman::pt2 {
namespace {

struct BinaryTarget {
  std::string_view type;
  std::string_view tensor;
  std::string_view number;  // with a number as second operand; empty: there is none
  bool is_comparison = false;
  bool is_ring = false;  // the low bits of the result are those that the low bits of operands give
};

// Sorted.
constexpr BinaryTarget kBinary[] = {
    {"Add", "aten.add.Tensor", "aten.add.Scalar", false, true},
    {"And", "aten.logical_and.default", "", false},
    {"BitwiseAnd", "aten.bitwise_and.Tensor", "", false, true},
    {"BitwiseOr", "aten.bitwise_or.Tensor", "", false, true},
    {"BitwiseXor", "aten.bitwise_xor.Tensor", "", false, true},
    {"Equal", "aten.eq.Tensor", "aten.eq.Scalar", true, true},
    {"Greater", "aten.gt.Tensor", "aten.gt.Scalar", true},
    {"GreaterOrEqual", "aten.ge.Tensor", "aten.ge.Scalar", true},
    {"Less", "aten.lt.Tensor", "aten.lt.Scalar", true},
    {"LessOrEqual", "aten.le.Tensor", "aten.le.Scalar", true},
    {"Max", "aten.maximum.default", "", false},
    {"Min", "aten.minimum.default", "", false},
    {"Mul", "aten.mul.Tensor", "aten.mul.Scalar", false, true},
    {"Or", "aten.logical_or.default", "", false},
    {"Sub", "aten.sub.Tensor", "aten.sub.Scalar", false, true},
    {"Xor", "aten.logical_xor.default", "", false},
};
static_assert(IsSortedBy(kBinary, &BinaryTarget::type));

// The operand as integers that torch computes with: the same number, but for those of uint64 from
// 2^63 on, which have the same bits.
Term Computable(const AtenOp& op, const Term& x) {
  return IsWideUnsigned(x.dtype) ? op.Cast(x, DType::kI64) : x;
}

// Integers of uint64 in the order that int64 has.
Term Ordered(const AtenOp& op, const Term& x, DType dtype) {
  if (dtype != DType::kU64) return x;
  const std::int64_t sign = std::numeric_limits<std::int64_t>::min();
  return op.Call("aten.bitwise_xor.Scalar", {{"self", x}, {"other", sign}}, {x.dtype, x.shape});
}

Emitted EmitOnBareUnsigned(AtenOp& op, const BinaryTarget& row) {
  const DType dtype = op.dtype();
  Term x = Computable(op, op.arg(0));
  Term y = Computable(op, op.arg(1));
  if (!row.is_ring) {
    x = Ordered(op, x, dtype);
    y = Ordered(op, y, dtype);
  }
  if (row.is_comparison) return One(op.Compare(row.tensor, x, y));
  Term result = op.Binary(row.tensor, x, y);
  if (!row.is_ring) result = Ordered(op, result, dtype);
  return One(op.Cast(result, dtype));
}

// The quotient of numbers of uint64, in the bits of int64: that of the upper bits, twice, and one
// more where the rest is not below the divisor. A divisor from 2^63 on goes in once or not at all.
Term UnsignedQuotient(const AtenOp& op, const Term& x, const Term& y) {
  const auto is_below = [&](const Term& a, const Term& b) {
    return op.Compare("aten.lt.Tensor", Ordered(op, a, DType::kU64), Ordered(op, b, DType::kU64));
  };
  const auto number = [&](std::int64_t value) {
    return op.Call("aten.full.default",
                   {{"size", Ints()}, {"fill_value", value}, Kw("dtype", DType::kI64)},
                   {DType::kI64, {}});
  };
  const auto with = [&](std::string_view target, const Term& a, std::int64_t value) {
    return op.Call(target, {{"self", a}, {"other", value}}, {a.dtype, a.shape});
  };
  const Term upper =
      with("aten.bitwise_and.Scalar",
           op.Call("aten.__rshift__.Scalar", {{"self", x}, {"other", 1}}, {x.dtype, x.shape}),
           std::numeric_limits<std::int64_t>::max());
  const Term is_large = op.CompareNumber("aten.lt.Scalar", y, 0);
  const Term divisor = op.Where(is_large, number(1), y);
  const Term half = op.Call("aten.div.Tensor_mode",
                            {{"self", upper}, {"other", divisor}, Kw("rounding_mode", "trunc")},
                            {x.dtype, BroadcastShape(x.shape, y.shape)});
  const Term twice = with("aten.mul.Scalar", half, 2);
  const Term rest = op.Binary("aten.sub.Tensor", x, op.Binary("aten.mul.Tensor", twice, divisor));
  const Term exact =
      op.Binary("aten.add.Tensor", twice, op.Where(is_below(rest, divisor), number(0), number(1)));
  const Term once = op.Where(is_below(x, y), number(0), number(1));
  return op.Where(is_large, once, exact);
}

// Integers are divided as C does it.
Term Quotient(const AtenOp& op, const Term& x, const Term& y) {
  if (IsFloating(x.dtype)) return op.Binary("aten.div.Tensor", x, y);
  return op.Call("aten.div.Tensor_mode", {{"self", x}, {"other", y}, Kw("rounding_mode", "trunc")},
                 {x.dtype, BroadcastShape(x.shape, y.shape)});
}

Emitted EmitUnary(AtenOp& op) {
  const Term x = op.arg(0);
  if (!IsWideUnsigned(x.dtype)) return One(op.Unary(op.target, x));
  if (op.node.Is("Abs")) return One(x);
  return One(op.Cast(op.Unary(op.target, Computable(op, x)), x.dtype));
}

Emitted EmitBinary(AtenOp& op) {
  const BinaryTarget* row =
      FindByKey(kBinary, std::string_view(op.node.op().type), &BinaryTarget::type);
  if (IsWideUnsigned(op.dtype())) return EmitOnBareUnsigned(op, *row);
  const std::optional<double> number =
      row->number.empty() ? std::nullopt : op.KnownNumber(1, op.rank(0));
  if (number && op.Known(0) == nullptr) {
    const Term x = op.arg(0);
    return One(row->is_comparison ? op.CompareNumber(row->number, x, *number)
                                  : op.WithNumber(row->number, x, *number));
  }
  const Term x = op.arg(0);
  const Term y = op.arg(1);
  return One(row->is_comparison ? op.Compare(row->tensor, x, y) : op.Binary(row->tensor, x, y));
}

Emitted EmitDiv(AtenOp& op) {
  const DType dtype = op.dtype();
  if (dtype == DType::kU64) {
    const Term quotient =
        UnsignedQuotient(op, Computable(op, op.arg(0)), Computable(op, op.arg(1)));
    return One(op.Cast(quotient, dtype));
  }
  const std::optional<double> number = op.KnownNumber(1, op.rank(0));
  if (number && op.Known(0) == nullptr && IsFloating(dtype))
    return One(op.WithNumber("aten.div.Scalar", op.arg(0), *number));
  return One(op.Cast(Quotient(op, Computable(op, op.arg(0)), Computable(op, op.arg(1))), dtype));
}

// Of integers, the remainder has the sign of the divisor, or with fmod that of the dividend.
Emitted EmitMod(AtenOp& op) {
  const DType dtype = op.dtype();
  if (dtype == DType::kU64) {
    const Term x = Computable(op, op.arg(0));
    const Term y = Computable(op, op.arg(1));
    const Term product = op.Binary("aten.mul.Tensor", UnsignedQuotient(op, x, y), y);
    return One(op.Cast(op.Binary("aten.sub.Tensor", x, product), dtype));
  }
  const std::string_view target =
      op.Int("fmod") != 0 ? "aten.fmod.Tensor" : "aten.remainder.Tensor";
  return One(
      op.Cast(op.Binary(target, Computable(op, op.arg(0)), Computable(op, op.arg(1))), dtype));
}

// The result has the base's type; an exponent of another type is computed with in float64.
Emitted EmitPow(AtenOp& op) {
  const Term x = op.arg(0);
  if (IsFloating(x.dtype)) {
    if (const std::optional<double> exponent = op.KnownNumber(1, x.rank()))
      return One(op.Call("aten.pow.Tensor_Scalar", {{"self", x}, {"exponent", *exponent}},
                         {x.dtype, x.shape}));
  }
  const Term y = op.arg(1);
  const auto pow = [&](const Term& base, const Term& exponent) {
    return op.Call("aten.pow.Tensor_Tensor", {{"self", base}, {"exponent", exponent}},
                   {base.dtype, BroadcastShape(base.shape, exponent.shape)});
  };
  if (IsFloating(x.dtype)) return One(pow(x, op.Cast(y, x.dtype)));
  if (IsInteger(y.dtype) && !IsWideUnsigned(x.dtype) && !IsWideUnsigned(y.dtype)) {
    const Term wide = op.Cast(x, DType::kI64);
    return One(op.Cast(pow(wide, op.Cast(y, DType::kI64)), x.dtype));
  }
  return One(op.Cast(pow(op.Cast(x, DType::kF64), op.Cast(y, DType::kF64)), x.dtype));
}

Emitted EmitBitShift(AtenOp& op) {
  const bool left = op.String("direction", "LEFT") == "LEFT";
  const DType dtype = op.dtype();
  const Term x = Computable(op, op.arg(0));
  const Term places = Computable(op, op.arg(1));
  const std::string_view target =
      left ? "aten.bitwise_left_shift.Tensor" : "aten.bitwise_right_shift.Tensor";
  if (dtype != DType::kU64 || left) return One(op.Cast(op.Binary(target, x, places), dtype));
  // Without the sign, which would be shifted in.
  const Term sign = op.Call(
      "aten.bitwise_and.Scalar",
      {{"self", op.Call("aten.__rshift__.Scalar", {{"self", x}, {"other", 1}}, {x.dtype, x.shape})},
       {"other", std::numeric_limits<std::int64_t>::max()}},
      {x.dtype, x.shape});
  const Term rest = op.WithNumber("aten.sub.Scalar", places, 1);
  const Term shifted = op.Binary(target, sign, op.Clamp(rest, 0, std::nullopt));
  const Term stays = op.CompareNumber("aten.eq.Scalar", places, 0);
  return One(op.Cast(op.Where(stays, x, shifted), dtype));
}

// Max, Min, Mean, Sum of any number of tensors.
Emitted EmitVariadic(AtenOp& op) {
  const std::string& type = op.node.op().type;
  const std::string_view target = type == "Max"   ? "aten.maximum.default"
                                  : type == "Min" ? "aten.minimum.default"
                                                  : "aten.add.Tensor";
  const DType dtype = op.dtype();
  const bool is_order = type == "Max" || type == "Min";
  const auto operand = [&](std::size_t i) {
    const Term x = Computable(op, op.arg(i));
    return is_order ? Ordered(op, x, dtype) : x;
  };
  Term result = operand(0);
  const std::size_t count = op.node.num_operands();
  for (std::size_t i = 1; i < count; ++i) result = op.Binary(target, result, operand(i));
  if (is_order) result = Ordered(op, result, dtype);
  if (type == "Mean") {
    if (!IsFloating(dtype)) return op.Refuse("a mean of integers");
    result = op.WithNumber("aten.div.Scalar", result, static_cast<double>(count));
  }
  return One(op.Cast(result, dtype));
}

// One of both may be a number, which torch gives the type of the other.
Emitted EmitWhere(AtenOp& op) {
  const DType dtype = op.result().dtype;
  const bool takes_numbers = IsFloating(dtype) ? Info(dtype).bits >= 16 : !IsWideUnsigned(dtype);
  const auto number = [&](std::size_t i, std::size_t other) {
    const std::int64_t rank = std::max(op.rank(0), op.rank(other));
    return takes_numbers ? op.KnownNumber(i, rank) : std::nullopt;
  };
  const std::optional<double> x = number(1, 2);
  const std::optional<double> y = number(2, 1);
  const Term condition = op.arg(0);
  if (x.has_value() == y.has_value()) return One(op.Where(condition, op.arg(1), op.arg(2)));
  const Term other = op.arg(x ? 2 : 1);
  const TermType type = {dtype, BroadcastShape(condition.shape, other.shape)};
  if (x) {
    return One(op.Call("aten.masked_fill.Scalar",
                       {{"self", other}, {"mask", condition}, {"value", NumberFor(*x, dtype)}},
                       type));
  }
  return One(op.Call("aten.where.ScalarOther",
                     {{"condition", condition}, {"self", other}, {"other", NumberFor(*y, dtype)}},
                     type));
}

Term IsNaN(AtenOp& op, const Term& x) {
  return op.Call("aten.isnan.default", {{"self", x}}, {DType::kBool, x.shape});
}

Emitted EmitIsNaN(AtenOp& op) { return One(IsNaN(op, op.arg(0))); }

// Whether all that reads the result takes another value where the operand is NaN.
bool IsReplacedForNaN(const Node& node) {
  for (const Use* use = node.result()->first_use(); use != nullptr; use = use->next()) {
    const Node* const user = use->user();
    if (user == nullptr || !user->Is("Where") || use->index() != 2) return false;
    const Node* const mask = ProducerOf(user->operand(0), "IsNaN");
    if (mask == nullptr || mask->operand(0) != node.operand(0)) return false;
  }
  return true;
}

// PyTorch takes the sign of NaN for 0.
Emitted EmitSign(AtenOp& op) {
  Emitted sign = EmitUnary(op);
  const Term x = op.arg(0);
  if (!IsFloating(x.dtype) || IsReplacedForNaN(op.node) || !sign.ok()) return sign;
  return One(op.Where(IsNaN(op, x), x, sign->front()));
}

Emitted EmitIsInf(AtenOp& op) {
  const Term x = op.arg(0);
  const bool negative = op.Int("detect_negative") != 0;
  const bool positive = op.Int("detect_positive") != 0;
  if (negative && positive)
    return One(op.Call("aten.isinf.default", {{"self", x}}, {DType::kBool, x.shape}));
  if (negative || positive)
    return One(op.CompareNumber("aten.eq.Scalar", x, positive ? HUGE_VAL : -HUGE_VAL));
  DRAGOMAN_ASSIGN(Term none, op.Full(x.shape, 0, DType::kBool));
  return One(std::move(none));
}

Emitted EmitIdentity(AtenOp& op) { return One(op.arg(0)); }

// The largest number of an 8-bit floating-point type, at which ONNX saturates and torch does not.
std::optional<double> LargestOfFloat8(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3FN:
      return 448;
    case DType::kF8E4M3FNUZ:
      return 240;
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
      return 57344;
    default:
      return std::nullopt;
  }
}

// torch saturates float8_e4m3fn: what rounds to more than 448 is NaN.
Term NanBeyondFloat8(const AtenOp& op, const Term& x) {
  constexpr double kLastRounded = 464;
  const Term is_beyond =
      op.CompareNumber("aten.gt.Scalar", op.Unary("aten.abs.default", x), kLastRounded);
  return op.Where(is_beyond, op.Scalar(std::nan(""), x.dtype), x);
}

bool IsNarrowFloat(DType dtype) { return IsFloating(dtype) && Info(dtype).bits == 8; }

Emitted EmitCast(AtenOp& op) {
  const DType to = op.result().dtype;
  Term x = op.arg(0);
  if (to == DType::kF8E8M0 || x.dtype == DType::kF8E8M0)
    return op.Refuse("rounding to float8_e8m0fnu");
  // torch rounds float64 to float32 on the way.
  const std::optional<double> largest = LargestOfFloat8(to);
  if (IsNarrowFloat(x.dtype) && x.dtype != to) x = op.Cast(x, DType::kF32);
  if (largest) {
    x = op.Cast(x, DType::kF32);
    if (op.Int("saturate") != 0) x = op.Clamp(x, -*largest, *largest);
    if (op.Int("saturate") == 0 && to == DType::kF8E4M3FN) x = NanBeyondFloat8(op, x);
  }
  return One(op.Cast(x, to));
}

Emitted EmitBitCast(AtenOp& op) {
  const TermType result = op.result();
  return One(op.Call("aten.view.dtype", {{"self", op.arg(0)}, {"dtype", result.dtype}}, result));
}

}  // namespace

std::span<const Row> ElementwiseRows() {
  static constexpr Row kRows[] = {
      {"Abs", EmitUnary, "aten.abs.default"},
      {"Acos", EmitUnary, "aten.acos.default"},
      {"Acosh", EmitUnary, "aten.acosh.default"},
      {"Add", EmitBinary},
      {"And", EmitBinary},
      {"Asin", EmitUnary, "aten.asin.default"},
      {"Asinh", EmitUnary, "aten.asinh.default"},
      {"Atan", EmitUnary, "aten.atan.default"},
      {"Atanh", EmitUnary, "aten.atanh.default"},
      {"BitCast", EmitBitCast},
      {"BitShift", EmitBitShift},
      {"BitwiseAnd", EmitBinary},
      {"BitwiseNot", EmitUnary, "aten.bitwise_not.default"},
      {"BitwiseOr", EmitBinary},
      {"BitwiseXor", EmitBinary},
      {"Cast", EmitCast},
      {"Ceil", EmitUnary, "aten.ceil.default"},
      {"Cos", EmitUnary, "aten.cos.default"},
      {"Cosh", EmitUnary, "aten.cosh.default"},
      {"Div", EmitDiv},
      {"Equal", EmitBinary},
      {"Erf", EmitUnary, "aten.erf.default"},
      {"Exp", EmitUnary, "aten.exp.default"},
      {"Floor", EmitUnary, "aten.floor.default"},
      {"Greater", EmitBinary},
      {"GreaterOrEqual", EmitBinary},
      {"HardSwish", EmitUnary, "aten.hardswish.default"},
      {"Identity", EmitIdentity},
      {"IsInf", EmitIsInf},
      {"IsNaN", EmitIsNaN},
      {"Less", EmitBinary},
      {"LessOrEqual", EmitBinary},
      {"Log", EmitUnary, "aten.log.default"},
      {"Max", EmitVariadic},
      {"Mean", EmitVariadic},
      {"Min", EmitVariadic},
      {"Mish", EmitUnary, "aten.mish.default"},
      {"Mod", EmitMod},
      {"Mul", EmitBinary},
      {"Neg", EmitUnary, "aten.neg.default"},
      {"Not", EmitUnary, "aten.logical_not.default"},
      {"Or", EmitBinary},
      {"Pow", EmitPow},
      {"Reciprocal", EmitUnary, "aten.reciprocal.default"},
      {"Relu", EmitUnary, "aten.relu.default"},
      {"Round", EmitUnary, "aten.round.default"},
      {"Sigmoid", EmitUnary, "aten.sigmoid.default"},
      {"Sign", EmitSign, "aten.sign.default"},
      {"Sin", EmitUnary, "aten.sin.default"},
      {"Sinh", EmitUnary, "aten.sinh.default"},
      {"Softplus", EmitUnary, "aten.softplus.default"},
      {"Sqrt", EmitUnary, "aten.sqrt.default"},
      {"Sub", EmitBinary},
      {"Sum", EmitVariadic},
      {"Tan", EmitUnary, "aten.tan.default"},
      {"Tanh", EmitUnary, "aten.tanh.default"},
      {"Where", EmitWhere},
      {"Xor", EmitBinary},
      {"dragoman.Erfc", EmitUnary, "aten.erfc.default"},
  };
  return kRows;
}

}  // namespace dragoman::pt2
