// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors: filled, ranges, identity; and those that draw random numbers.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <numbers>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// Argument `size`, or the sizes of `self` for the operators called `…_like`.
Value* TakeShape(CallComposer& c) {
  if (c.call().Declares("size")) return c.Take(c.call().IntListValue("size"));
  return c.Shape(c.Tensor("self"));
}

DType TakeDType(CallComposer& c, DType otherwise) {
  if (c.call().Declares("self")) otherwise = c.dtype(c.Tensor("self"));
  return c.DTypeOr("dtype", otherwise);
}

Result<Value*> Filled(Call& call, double value) {
  CallComposer c(call);
  Value* shape = TakeShape(c);
  return c.Done(c.Full(shape, value, TakeDType(c, kDefaultFloat)));
}

// The type of a tensor made from these numbers.
DType NumbersType(std::span<const Number> numbers) {
  DType type = DType::kI64;
  for (const Number& number : numbers) {
    if (number.kind == Number::Kind::kFloat) type = kDefaultFloat;
  }
  return type;
}

// `steps` points from start to end, each reckoned from the nearer end; of float64.
Value* Linspace(CallComposer& c, Value* start, Value* end, Value* steps) {
  Value* last = c.Sub(c.Cast(steps, DType::kF64), 1);
  Value* step = c.Div(c.Sub(end, start), c.Max(last, 1));
  Value* i = c.Cast(c.Iota(steps), DType::kF64);
  Value* from_start = c.Add(start, c.Mul(i, step));
  Value* from_end = c.Sub(end, c.Mul(c.Sub(last, i), step));
  return c.Where(c.Less(i, c.Div(c.Add(last, 1), 2)), from_start, from_end);
}

// An end of a range, of float64; ranges of integers lie between whole numbers.
Value* TakeEnd(CallComposer& c, std::string_view name, DType dtype) {
  return c.Cast(c.As(name, IsInteger(dtype) ? DType::kI64 : DType::kF64), DType::kF64);
}

Value* TakeLinspace(CallComposer& c, DType dtype) {
  Value* start = TakeEnd(c, "start", dtype);
  Value* end = TakeEnd(c, "end", dtype);
  Value* steps = c.Has("steps") ? c.Take(c.call().IntValue("steps")) : c.Int(100);
  return Linspace(c, start, end, steps);
}

Value* RandomLike(CallComposer& c, std::string_view type) {
  Value* shape = TakeShape(c);
  const DType dtype = TakeDType(c, kDefaultFloat);
  if (c.Has("generator")) return c.Fail("random numbers of a generator that has a seed");
  return c.Op(type, {c.Full(shape, 0, dtype)}, {{"dtype", static_cast<std::int64_t>(dtype)}});
}

// zeros, empty and their kin; what torch leaves uninitialised is zero.
Result<Value*> LowerZeros(Call& call) { return Filled(call, 0); }
Result<Value*> LowerOnes(Call& call) { return Filled(call, 1); }

// full, full_like, new_full
Value* LowerFull(CallComposer& c) {
  Value* shape = TakeShape(c);
  const Number fill = c.Take(c.call().Scalar("fill_value"));
  DType dtype = fill.kind == Number::Kind::kBool ? DType::kBool : NumbersType({&fill, 1});
  if (fill.kind == Number::Kind::kComplex) dtype = DType::kC64;
  dtype = TakeDType(c, dtype);
  if (fill.known() && fill.kind != Number::Kind::kComplex && std::abs(fill.AsDouble()) < 1e15)
    return c.Full(shape, fill.AsDouble(), dtype);
  return c.Expand(c.Take(c.call().NumberValue(fill, dtype)), shape);
}

Value* LowerScalarTensor(CallComposer& c) { return c.As("s", c.DTypeOr("dtype", kDefaultFloat)); }

Value* LowerShapeAsTensor(CallComposer& c) { return c.Shape(c.Tensor("self")); }

Value* LowerArange(CallComposer& c) {
  const Number start =
      c.call().Declares("start") ? c.Take(c.call().Scalar("start")) : Number::Int(0);
  const Number end = c.Take(c.call().Scalar("end"));
  const Number step = c.call().Declares("step") ? c.Take(c.call().Scalar("step")) : Number::Int(1);
  const Number all[] = {start, end, step};
  const DType given = NumbersType(all);
  const DType dtype = c.DTypeOr("dtype", given);
  const DType computed = given == DType::kI64 ? DType::kI64 : DType::kF64;
  const auto value = [&](const Number& n, DType as) { return c.Take(c.call().NumberValue(n, as)); };
  Value* from = value(start, computed);
  Value* to = value(end, computed);
  Value* range = c.Op("Range", {from, to, value(step, computed)});
  if (given == DType::kI64 || !IsInteger(dtype)) return c.Cast(range, dtype);
  // As many integers as there are fractions, from whole numbers by whole steps.
  Value* i = c.Iota(c.Size(range, 0));
  Value* whole = c.Add(value(start, DType::kI64), c.Mul(i, value(step, DType::kI64)));
  return c.Cast(whole, dtype);
}

// range, which includes its end.
Value* LowerRange(CallComposer& c) {
  const DType dtype = c.DTypeOr("dtype", kDefaultFloat);
  Value* start = TakeEnd(c, "start", dtype);
  Value* step = c.Has("step") ? TakeEnd(c, "step", dtype) : c.Number(1, DType::kF64);
  Value* count = c.Add(c.Floor(c.Div(c.Sub(TakeEnd(c, "end", dtype), start), step)), 1);
  Value* i = c.Cast(c.Iota(c.Cast(count, DType::kI64)), DType::kF64);
  return c.Cast(c.Add(start, c.Mul(i, step)), dtype);
}

Value* LowerLinspace(CallComposer& c) {
  const DType dtype = c.DTypeOr("dtype", kDefaultFloat);
  return c.Cast(TakeLinspace(c, dtype), dtype);
}

Value* LowerLogspace(CallComposer& c) {
  const DType dtype = c.DTypeOr("dtype", kDefaultFloat);
  Value* exponents = TakeLinspace(c, dtype);
  return c.Cast(c.Pow(c.Number(c.Float("base"), DType::kF64), exponents), dtype);
}

Value* LowerEye(CallComposer& c) {
  Value* rows = c.Take(c.call().IntValue("n"));
  Value* columns = c.call().Declares("m") ? c.Take(c.call().IntValue("m")) : rows;
  Value* on_diagonal = c.Equal(c.Unsqueeze(c.Iota(rows), {1}), c.Iota(columns));
  return c.Cast(on_diagonal, c.DTypeOr("dtype", kDefaultFloat));
}

// Cosine windows: hann, hamming, blackman; and bartlett's triangle. Periodic unless asked
// otherwise.
Value* LowerWindow(CallComposer& c) {
  const std::string_view name = c.call().op().type;
  Value* length = c.Take(c.call().IntValue("window_length"));
  Value* n = c.Cast(c.Iota(length), DType::kF64);
  Value* count = c.Cast(length, DType::kF64);
  if (!c.BoolOr("periodic", true)) count = c.Max(c.Sub(count, 1), 1);
  Value* place = c.Div(n, count);
  Value* wave = c.Op("Cos", {c.Mul(place, 2 * std::numbers::pi)});
  Value* window = nullptr;
  if (name == "bartlett_window") {
    window = c.Sub(1, c.Abs(c.Sub(c.Mul(place, 2), 1)));
  } else if (name == "blackman_window") {
    Value* second = c.Mul(c.Op("Cos", {c.Mul(place, 4 * std::numbers::pi)}), 0.08);
    window = c.Add(c.Sub(0.42, c.Mul(wave, 0.5)), second);
  } else {
    const double alpha = name == "hann_window" ? 0.5 : c.FloatOr("alpha", 0.54);
    const double beta = c.FloatOr("beta", name == "hann_window" ? 0.5 : 0.46);
    window = c.Sub(c.Number(alpha, DType::kF64), c.Mul(wave, beta));
  }
  return c.Cast(window, c.DTypeOr("dtype", kDefaultFloat));
}

Value* LowerRand(CallComposer& c) { return RandomLike(c, "RandomUniformLike"); }

Value* LowerRandn(CallComposer& c) { return RandomLike(c, "RandomNormalLike"); }

// Integers from low up to, not including, high.
Value* LowerRandint(CallComposer& c) {
  Value* shape = TakeShape(c);
  const DType dtype = TakeDType(c, DType::kI64);
  Value* zeros = c.Full(shape, 0, DType::kF64);
  Value* uniform =
      c.Op("RandomUniformLike", {zeros}, {{"dtype", static_cast<std::int64_t>(DType::kF64)}});
  Value* high = c.As("high", DType::kF64);
  Value* low = c.call().Declares("low") ? c.As("low", DType::kF64) : c.Number(0, DType::kF64);
  return c.Cast(c.Floor(c.Add(low, c.Mul(uniform, c.Sub(high, low)))), dtype);
}

Value* LowerBernoulli(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* p = c.call().Declares("p") ? c.Expand(c.As("p", kDefaultFloat), c.Shape(x)) : x;
  return c.Op("Bernoulli", {p}, {{"dtype", static_cast<std::int64_t>(c.dtype(x))}});
}

Result<Results> LowerTypeAs(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  Value* other = c.Tensor("other");
  if (c.dtype(x) == c.dtype(other)) return LowerAlias(c);
  return c.Done({c.CastLike(x, other)});
}

// The tensor itself where the element type stays, as torch does it; devices do not count.
Result<Results> LowerTo(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  DType dtype = c.dtype(x);
  const Abstract other = call.Declares("other") ? c.Take(call.Argument("other")) : Abstract(None());
  if (other.Is<TensorRef>()) dtype = c.dtype(c.Tensor("other"));
  dtype = c.DTypeOr("dtype", dtype);
  const std::string& type = call.op().type;
  const bool copy = type == "_to_copy" || type == "to_dense" || c.BoolOr("copy", false);
  if (dtype != c.dtype(x) || copy) return c.Done({c.Cast(x, dtype)});
  // In another memory format it is a copy, which a tensor of few axes or elements is in already.
  constexpr std::int64_t kPreserve = 1;
  if (c.IntOr("memory_format", kPreserve) == kPreserve) return LowerAlias(c);
  return c.DoneWith({CopyOrView(c, x, Strides::Unknown())});
}

}  // namespace

std::span<const OpRow> CreationRows() {
  static constexpr OpRow kRows[] = {
      {"aten._shape_as_tensor", LowerShapeAsTensor},
      {"aten._to_copy", LowerTo, {.complex = true}},
      {"aten.arange", LowerArange},
      {"aten.bartlett_window", LowerWindow},
      {"aten.bernoulli", LowerBernoulli},
      {"aten.blackman_window", LowerWindow},
      {"aten.empty", LowerZeros},
      {"aten.empty_like", LowerZeros, {.complex = true}},
      {"aten.empty_permuted", LowerZeros},
      {"aten.empty_strided", LowerZeros, {.order = ResultOrder::kUnknown}},
      {"aten.eye", LowerEye},
      {"aten.full", LowerFull},
      {"aten.full_like", LowerFull, {.complex = true}},
      {"aten.hamming_window", LowerWindow},
      {"aten.hann_window", LowerWindow},
      {"aten.linspace", LowerLinspace},
      {"aten.logspace", LowerLogspace},
      {"aten.new_empty", LowerZeros, {.complex = true}},
      {"aten.new_empty_strided", LowerZeros, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.new_full", LowerFull, {.complex = true}},
      {"aten.new_ones", LowerOnes, {.complex = true}},
      {"aten.new_zeros", LowerZeros, {.complex = true}},
      {"aten.ones", LowerOnes},
      {"aten.ones_like", LowerOnes, {.complex = true}},
      {"aten.rand", LowerRand},
      {"aten.rand_like", LowerRand},
      {"aten.randint", LowerRandint},
      {"aten.randint_like", LowerRandint},
      {"aten.randn", LowerRandn},
      {"aten.randn_like", LowerRandn},
      {"aten.range", LowerRange},
      {"aten.scalar_tensor", LowerScalarTensor},
      {"aten.to", LowerTo, {.complex = true}},
      {"aten.to_dense", LowerTo},
      {"aten.type_as", LowerTypeAs, {.complex = true}},
      {"aten.zeros", LowerZeros},
      {"aten.zeros_like", LowerZeros, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
