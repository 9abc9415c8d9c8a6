// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of three operands.
#include "importers/torch/ops/op_rows.h"

#include <cmath>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// Whether Clip can take it as a bound: common Clip has no meaning for NaN.
bool IsPlainBound(Composer& c, const Value* bound) {
  if (bound == nullptr) return true;
  if (c.MaybeRank(bound) != 0) return false;
  if (!IsFloating(c.dtype(bound))) return true;
  const Tensor* known = bound->is_constant() ? bound->tensor() : nullptr;
  return known != nullptr && !std::isnan(known->FloatAt(0));
}

Result<Value*> Clamp(Call& call, std::initializer_list<std::string_view> bounds) {
  CallComposer c(call);
  std::vector<std::string_view> names = {"self"};
  for (std::string_view name : bounds) {
    if (c.Has(name)) names.push_back(name);
  }
  const DType dtype = c.Take(call.ResultType(names));
  Value* x = c.Cast(c.Tensor("self"), dtype);
  Value* lower = c.Has("min") ? c.As("min", dtype) : nullptr;
  Value* upper = c.Has("max") ? c.As("max", dtype) : nullptr;
  if (lower == nullptr && upper == nullptr) return call.Invalid("neither min nor max is given");
  if (c.failed()) return c.Done(nullptr);
  if (IsPlainBound(c, lower) && IsPlainBound(c, upper) && dtype != DType::kBool)
    return c.Done(c.Op("Clip", {x, lower, upper}));
  if (lower != nullptr) x = Maximum(c, x, lower);
  return c.Done(upper != nullptr ? Minimum(c, x, upper) : x);
}

// self + value * f(tensor1, tensor2)
Result<Value*> AddScaled(Call& call, std::string_view type, bool to_float) {
  CallComposer c(call);
  std::vector<Value*> x = c.Promoted({"self", "tensor1", "tensor2"}, to_float);
  const DType dtype = c.dtype(x[0]);
  for (Value*& value : x) value = c.Widen(value);
  const Number factor = c.Take(call.Scalar("value"));
  Value* first = x[1];
  if (!factor.known() || factor.AsComplex() != 1.0)
    first = c.Mul(first, c.Take(call.NumberValue(factor, c.dtype(first))));
  return c.Done(c.Cast(c.Add(x[0], c.Op(type, {first, x[2]})), dtype));
}

Result<Value*> LowerClamp(Call& call) { return Clamp(call, {"min", "max"}); }
Result<Value*> LowerClampMin(Call& call) { return Clamp(call, {"min"}); }
Result<Value*> LowerClampMax(Call& call) { return Clamp(call, {"max"}); }

Result<Value*> LowerAddcmul(Call& call) { return AddScaled(call, "Mul", false); }
Result<Value*> LowerAddcdiv(Call& call) { return AddScaled(call, "Div", true); }

// From the nearer end, as torch does it.
Value* LowerLerp(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* start = c.Widen(given);
  Value* end = c.Widen(c.Tensor("end"));
  Value* weight = c.As("weight", c.dtype(start));
  Value* distance = c.Sub(end, start);
  Value* from_start = c.Add(c.Mul(weight, distance), start);
  if (IsComplex(c.dtype(start))) return from_start;
  const Abstract said = c.Take(c.call().Argument("weight"));
  const auto* number = said.As<Number>();
  if (number != nullptr && number->known()) {
    const bool is_near = std::abs(number->AsDouble()) < 0.5;
    Value* mixed = is_near ? from_start : c.Add(c.Mul(c.Sub(weight, 1), distance), end);
    return c.CastLike(mixed, given);
  }
  Value* from_end = c.Sub(end, c.Mul(distance, c.Sub(1, weight)));
  Value* mixed = c.Where(c.Less(c.Abs(weight), 0.5), from_start, from_end);
  return c.CastLike(mixed, given);
}

}  // namespace

std::span<const OpRow> TernaryRows() {
  static constexpr OpRow kRows[] = {
      {"aten.addcdiv", LowerAddcdiv, {.complex = true}},
      {"aten.addcmul", LowerAddcmul, {.complex = true}},
      {"aten.clamp", LowerClamp, {.grid = kOperandGrid}},
      {"aten.clamp_max", LowerClampMax, {.grid = kOperandGrid}},
      {"aten.clamp_min", LowerClampMin, {.grid = kOperandGrid}},
      {"aten.clip", LowerClamp},
      {"aten.lerp", LowerLerp, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
