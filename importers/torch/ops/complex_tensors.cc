// SPDX-License-Identifier: Apache-2.0
// Operators that make complex tensors of real ones, and take them apart.
#include "importers/torch/ops/op_rows.h"

#include <numbers>
#include <utility>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// Two real arguments of one type, broadcast by what takes them.
Parts TakeParts(CallComposer& c, std::string_view a, std::string_view b) {
  const std::vector<Value*> parts = c.Promoted({a, b});
  if (IsHalf(c.dtype(parts[0]))) c.Fail("complex numbers of halves");
  return {parts[0], parts[1]};
}

// The parts of complex numbers lie by turns.
std::vector<Dim> EverySecond(std::vector<Dim> steps) {
  for (Dim& step : steps) step = step * 2;
  return steps;
}

Value* LowerComplex(CallComposer& c) { return FromParts(c, TakeParts(c, "real", "imag")); }

Value* LowerPolar(CallComposer& c) {
  const Parts polar = TakeParts(c, "abs", "angle");
  return FromParts(
      c, {c.Mul(polar.re, c.Op("Cos", {polar.im})), c.Mul(polar.re, c.Op("Sin", {polar.im}))});
}

Result<Results> LowerViewAsReal(Call& call) {
  CallComposer c(call);
  if (!IsComplex(c.dtype(c.Tensor("self")))) return call.Invalid("its operand is not complex");
  View view;
  view.get = [](Composer& inner, Value* base) { return PairsOf(inner, base); };
  view.put = [](Composer& inner, Value*, Value* value) { return FromPairs(inner, value); };
  view.contiguous = true;
  view.steps = [](std::vector<Dim> base) {
    base = EverySecond(std::move(base));
    base.push_back(1);
    return base;
  };
  return LowerView(c, std::move(view));
}

Result<Results> LowerViewAsComplex(Call& call) {
  CallComposer c(call);
  if (IsHalf(c.dtype(c.Tensor("self")))) return call.Unsupported("complex numbers of halves");
  View view;
  view.get = [](Composer& inner, Value* base) { return FromPairs(inner, base); };
  view.put = [](Composer& inner, Value*, Value* value) { return PairsOf(inner, value); };
  view.contiguous = true;
  view.steps = [](std::vector<Dim> base) {
    base.pop_back();
    for (Dim& step : base) step = FloorDiv(step, 2);
    return base;
  };
  return LowerView(c, std::move(view));
}

Result<Results> LowerReal(Call& call) {
  CallComposer c(call);
  if (!IsComplex(c.dtype(c.Tensor("self")))) return LowerAlias(c);
  View view;
  view.get = [](Composer& inner, Value* base) { return PartsOf(inner, base).re; };
  view.put = [](Composer& inner, Value* base, Value* value) {
    return FromParts(inner, {value, PartsOf(inner, base).im});
  };
  view.steps = EverySecond;
  return LowerView(c, std::move(view));
}

Result<Results> LowerImag(Call& call) {
  CallComposer c(call);
  if (!IsComplex(c.dtype(c.Tensor("self")))) return call.Invalid("its operand is not complex");
  View view;
  view.get = [](Composer& inner, Value* base) { return PartsOf(inner, base).im; };
  view.put = [](Composer& inner, Value* base, Value* value) {
    return FromParts(inner, {PartsOf(inner, base).re, value});
  };
  view.steps = EverySecond;
  return LowerView(c, std::move(view));
}

// conj, which is a view; and conj_physical, which is none, but gives real numbers as they are.
Result<Results> LowerConj(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const bool copies = FunctionalName(call.op()) != "conj";
  if (!IsComplex(c.dtype(x))) return LowerAlias(c);
  return copies ? c.Done({Conjugate(c, x)}) : LowerView(c, ConjugateView());
}

// Of a real number: 0, or π if it is negative.
Value* LowerAngle(CallComposer& c) {
  Value* x = c.Floating("self");
  if (IsComplex(c.dtype(x))) return Angle(c, PartsOf(c, x));
  Value* angle = c.Where(c.Less(x, 0), std::numbers::pi, c.Mul(c.Abs(x), 0));
  return c.Where(IsInf(c, x, false, true), 0, angle);
}

Value* LowerIsReal(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) return c.Equal(PartsOf(c, x).im, 0);
  return c.Full(c.Shape(x), 1, DType::kBool);
}

}  // namespace

std::span<const OpRow> ComplexTensorsRows() {
  static constexpr OpRow kRows[] = {
      {"aten._conj", LowerConj, {.complex = true}},
      {"aten._conj_physical", LowerConj, {.complex = true}},
      {"aten.angle", LowerAngle, {.complex = true}},
      {"aten.complex", LowerComplex},
      {"aten.conj", LowerConj, {.complex = true}},
      {"aten.conj_physical", LowerConj, {.complex = true}},
      {"aten.imag", LowerImag, {.complex = true}},
      {"aten.isreal", LowerIsReal, {.complex = true}},
      {"aten.polar", LowerPolar},
      {"aten.real", LowerReal, {.complex = true}},
      {"aten.view_as_complex", LowerViewAsComplex},
      {"aten.view_as_complex_copy", LowerViewAsComplex},
      {"aten.view_as_real", LowerViewAsReal, {.complex = true}},
      {"aten.view_as_real_copy", LowerViewAsReal, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
