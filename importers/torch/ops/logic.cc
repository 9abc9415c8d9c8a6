// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic and operations on bits.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <cmath>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// What has an order: bool as integers.
Value* Ordered(Composer& c, Value* x) {
  return c.dtype(x) == DType::kBool ? c.Cast(x, DType::kU8) : x;
}

Result<Value*> Compare(Call& call, std::string_view type) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.Done(c.Op(type, {Ordered(c, x[0]), Ordered(c, x[1])}));
}

Result<Value*> Bitwise(Call& call, std::string_view type, std::string_view on_bool) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.Done(c.Op(c.dtype(x[0]) == DType::kBool ? on_bool : type, {x[0], x[1]}));
}

Result<Value*> Logical(Call& call, std::string_view type) {
  CallComposer c(call);
  Value* self = IsTrue(c, c.Tensor("self"));
  return c.Done(c.Op(type, {self, IsTrue(c, c.Tensor("other"))}));
}

DType UnsignedOf(DType dtype) {
  switch (dtype) {
    case DType::kI8:
      return DType::kU8;
    case DType::kI16:
      return DType::kU16;
    case DType::kI32:
      return DType::kU32;
    case DType::kI64:
      return DType::kU64;
    default:
      return dtype;
  }
}

// a shifted left by b; 0 where b is not below the number of bits.
Value* ShiftLeft(Composer& c, Value* a, Value* b) {
  const DType type = c.dtype(a);
  const DType bits = UnsignedOf(type);
  Value* shifted = c.Op("BitShift", {c.Cast(a, bits), c.Cast(b, bits)}, {{"direction", "LEFT"}});
  Value* beyond = c.Or(c.Less(b, 0), c.GreaterOrEqual(b, Info(type).bits));
  return c.Where(beyond, 0, c.Cast(shifted, type));
}

// Keeps the sign: a negative number is shifted as its complement.
Value* ShiftRight(Composer& c, Value* a, Value* b) {
  const DType type = c.dtype(a);
  const DType bits = UnsignedOf(type);
  Value* negative = c.Less(a, 0);
  Value* magnitude = c.Where(negative, c.Op("BitwiseNot", {a}), a);
  Value* shifted = c.Cast(
      c.Op("BitShift", {c.Cast(magnitude, bits), c.Cast(b, bits)}, {{"direction", "RIGHT"}}), type);
  Value* beyond = c.Or(c.Less(b, 0), c.GreaterOrEqual(b, Info(type).bits));
  Value* kept = c.Where(beyond, 0, shifted);
  return c.Where(negative, c.Op("BitwiseNot", {kept}), kept);
}

Value* LowerEq(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.Equal(x[0], x[1]);
}

Value* LowerNe(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.NotEqual(x[0], x[1]);
}

Result<Value*> LowerLt(Call& call) { return Compare(call, "Less"); }
Result<Value*> LowerLe(Call& call) { return Compare(call, "LessOrEqual"); }
Result<Value*> LowerGt(Call& call) { return Compare(call, "Greater"); }
Result<Value*> LowerGe(Call& call) { return Compare(call, "GreaterOrEqual"); }

Result<Value*> LowerLogicalAnd(Call& call) { return Logical(call, "And"); }
Result<Value*> LowerLogicalOr(Call& call) { return Logical(call, "Or"); }
Result<Value*> LowerLogicalXor(Call& call) { return Logical(call, "Xor"); }

Result<Value*> LowerBitwiseAnd(Call& call) { return Bitwise(call, "BitwiseAnd", "And"); }
Result<Value*> LowerBitwiseOr(Call& call) { return Bitwise(call, "BitwiseOr", "Or"); }
Result<Value*> LowerBitwiseXor(Call& call) { return Bitwise(call, "BitwiseXor", "Xor"); }

Value* LowerShiftLeft(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  if (!IsInteger(c.dtype(x[0]))) return c.Mul(x[0], c.Pow(2.0, x[1]));
  return ShiftLeft(c, x[0], x[1]);
}

Value* LowerShiftRight(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  if (!IsInteger(c.dtype(x[0]))) return c.Div(x[0], c.Pow(2.0, x[1]));
  return ShiftRight(c, x[0], x[1]);
}

}  // namespace

Result<Value*> LowerIsClose(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  Value* same = c.Equal(x[0], x[1]);
  if (c.Bool("equal_nan")) same = c.Or(same, c.And(IsNaN(c, x[0]), IsNaN(c, x[1])));
  const double rtol = c.Float("rtol");
  const double atol = c.Float("atol");
  if (rtol == 0 && atol == 0) return c.Done(same);
  const DType type = c.dtype(x[0]);
  const DType computed = IsFloating(type) || IsComplex(type) ? type : DType::kF32;
  Value* a = c.Cast(x[0], computed);
  Value* b = c.Cast(x[1], computed);
  Value* distance = c.Abs(c.Sub(a, b));
  Value* near = c.LessOrEqual(distance, c.Add(c.Mul(c.Abs(b), rtol), atol));
  return c.Done(c.Or(same, c.And(near, c.Less(distance, INFINITY))));
}

namespace {

// With a condition alone, the places where it is true.
Result<Results> LowerWhere(Call& call) {
  if (!call.Declares("self")) return LowerNonZeroNumpy(call);
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  return c.Done({c.Where(IsTrue(c, c.Tensor("condition")), x[0], x[1])});
}

}  // namespace

std::span<const OpRow> LogicRows() {
  static constexpr OpRow kRows[] = {
      {"aten.__and__", LowerBitwiseAnd},
      {"aten.__lshift__", LowerShiftLeft},
      {"aten.__or__", LowerBitwiseOr},
      {"aten.__rshift__", LowerShiftRight},
      {"aten.__xor__", LowerBitwiseXor},
      {"aten.bitwise_and", LowerBitwiseAnd},
      {"aten.bitwise_left_shift", LowerShiftLeft},
      {"aten.bitwise_or", LowerBitwiseOr},
      {"aten.bitwise_right_shift", LowerShiftRight},
      {"aten.bitwise_xor", LowerBitwiseXor},
      {"aten.eq", LowerEq, {.complex = true}},
      {"aten.ge", LowerGe},
      {"aten.greater", LowerGt},
      {"aten.greater_equal", LowerGe},
      {"aten.gt", LowerGt},
      {"aten.isclose", LowerIsClose, {.complex = true}},
      {"aten.le", LowerLe},
      {"aten.less", LowerLt},
      {"aten.less_equal", LowerLe},
      {"aten.logical_and", LowerLogicalAnd, {.complex = true}},
      {"aten.logical_or", LowerLogicalOr, {.complex = true}},
      {"aten.logical_xor", LowerLogicalXor, {.complex = true}},
      {"aten.lt", LowerLt},
      {"aten.ne", LowerNe, {.complex = true}},
      {"aten.not_equal", LowerNe, {.complex = true}},
      {"aten.where", LowerWhere, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
