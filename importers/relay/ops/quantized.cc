// SPDX-License-Identifier: Apache-2.0
// Quantised operators, as TVM computes them: sums, products and requantize by integers of fixed
// point, others by DequantizeLinear, the operator of real numbers, and a quantisation that rounds
// halves away from zero.
#include "importers/relay/ops/op_rows.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/lowering/math.h"
#include "core/lowering/rounding.h"
#include "importers/relay/ops/layout.h"
#include "importers/relay/ops/rounding.h"

namespace dragoman::relay {
namespace {

// A zero point, of the element type of what it belongs to. nullptr: it is 0.
Value* ZeroPoint(Call& c, std::size_t i, DType dtype) {
  Value* zero = c.Tensor(i);
  if (c.failed()) return nullptr;
  if (c.KnownFloat(i) == 0.0) return nullptr;
  if (dtype != DType::kI8 && dtype != DType::kU8 && dtype != DType::kI16 && dtype != DType::kU16)
    return c.Fail("a zero point of " + std::string(NumpyName(dtype)));
  return c.Cast(zero, dtype);
}

Value* Dequantize(Call& c, Value* x, std::size_t scale, std::size_t zero, std::int64_t axis) {
  std::vector<Value*> operands = {x, c.Tensor(scale), ZeroPoint(c, zero, c.dtype(x))};
  if (c.failed()) return nullptr;
  if (operands.back() == nullptr) operands.pop_back();
  return c.Op("DequantizeLinear", std::move(operands), {{"axis", axis}});
}

// QuantizeLinear would round halves to even: it is given whole numbers.
Value* Quantize(Call& c, Value* x, std::size_t scale, std::size_t zero, std::int64_t axis,
                DType dtype) {
  if (dtype == DType::kI32) return c.Fail("quantised values of int32 are not supported");
  Value* whole = RoundHalvesAway(c, c.Div(x, Aligned(c, c.Tensor(scale), axis, x)));
  Value* place = c.Cast(c.Tensor(zero), dtype);
  return c.Op("QuantizeLinear", {whole, c.Full(c.Shape(place), 1, DType::kF32), place},
              {{"axis", axis}});
}

Value* LowerQuantize(Call& c) {
  const DType dtype = c.Type("out_dtype", DType::kI8);
  const std::int64_t axis = c.Int("axis", -1);
  return Quantize(c, c.Tensor(0), 1, 2, axis, dtype);
}

Value* LowerDequantize(Call& c) {
  const DType dtype = c.Type("out_dtype", DType::kF32);
  const std::int64_t axis = c.Int("axis", -1);
  return c.Cast(Dequantize(c, c.Tensor(0), 1, 2, axis), dtype);
}

// Of real numbers, those that integers of a type stand for; the type is operand 1, as a number.
Value* LowerSimulated(Call& c, bool quantizes) {
  constexpr DType kTypes[] = {DType::kUnknown, DType::kI8, DType::kU8, DType::kI32};
  Value* x = c.Tensor(0);
  const std::optional<double> code = c.KnownFloat(1);
  const std::int64_t axis = c.Int("axis", -1);
  if (c.failed()) return nullptr;
  if (!code || (*code != 0 && *code != 1 && *code != 2 && *code != 3))
    return c.Fail("an element type that is known at run time only, or none, is not supported");
  const DType dtype = kTypes[static_cast<std::size_t>(*code)];
  if (dtype == DType::kUnknown) return x;
  Value* scale = Aligned(c, c.CastLike(c.Tensor(2), x), axis, x);
  Value* zero = Aligned(c, c.CastLike(c.Tensor(3), x), axis, x);
  if (!quantizes) return c.Mul(c.Sub(x, zero), scale);
  const int bits = Info(dtype).bits;
  const double low = Info(dtype).is_signed ? -std::ldexp(1, bits - 1) : 0;
  Value* whole = c.Add(RoundHalvesAway(c, c.Div(x, scale)), zero);
  return c.Max(c.Min(whole, c.Number(low + std::ldexp(1, bits) - 1, x)), c.Number(low, x));
}

// The numbers of a scale. Fails where only run time knows them: the fixed point of TVM is made of
// them.
std::vector<double> ScalesOf(Call& c, const Value* scale) {
  const Tensor* known = c.failed() ? nullptr : scale->tensor();
  if (known == nullptr) {
    c.Fail("a scale that is known at run time only");
    return {};
  }
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < known->size(); ++i) numbers.push_back(known->FloatAt(i));
  return numbers;
}

double ScaleOf(Call& c, const Value* scale) {
  const std::vector<double> numbers = ScalesOf(c, scale);
  if (!c.failed() && numbers.size() != 1) c.Fail(InvalidInput("several scales of a result"));
  return c.failed() ? 1 : numbers.front();
}

bool IsZero(const Value* zero) {
  const Tensor* known = zero == nullptr ? nullptr : zero->tensor();
  return known != nullptr && known->size() == 1 && known->FloatAt(0) == 0;
}

bool SameNumber(const Value* a, const Value* b) {
  const Tensor* x = a->tensor();
  const Tensor* y = b->tensor();
  return x != nullptr && y != nullptr && x->size() == 1 && y->size() == 1 &&
         x->FloatAt(0) == y->FloatAt(0);
}

// x without its zero point, as int32.
Value* Centred(Call& c, Value* x, Value* zero, std::int64_t axis) {
  Value* wide = c.Cast(x, DType::kI32);
  return IsZero(zero) ? wide : c.Sub(wide, Aligned(c, c.Cast(zero, DType::kI32), axis, x));
}

struct Quantisation {
  Value* scale = nullptr;
  Value* zero = nullptr;
};

Quantisation QuantisationAt(Call& c, std::size_t i) { return {c.Tensor(i), c.Tensor(i + 1)}; }

// x of one quantisation in another one, as int32 beyond the range of its element type too.
Value* Requantized(Call& c, Value* x, const Quantisation& from, const Quantisation& to,
                   std::int64_t axis, bool away = false) {
  std::vector<double> quotients = ScalesOf(c, from.scale);
  const double scale = ScaleOf(c, to.scale);
  for (double& quotient : quotients) quotient /= scale;
  if (c.failed()) return nullptr;
  Value* scaled = Rescaled(c, Centred(c, x, from.zero, axis), quotients, axis, away);
  return IsZero(to.zero) ? scaled : c.Add(scaled, c.Cast(to.zero, DType::kI32));
}

// By channel both must be quantised so, along one axis.
Value* ProductScale(Call& c, const Quantisation& a, const Quantisation& b) {
  const std::vector<double> of_a = ScalesOf(c, a.scale), of_b = ScalesOf(c, b.scale);
  if (!c.failed() && of_a.size() != of_b.size()) c.Fail("one scale beside several");
  if (!c.failed() && of_a.size() > 1 && c.Int("lhs_axis", -1) != c.Int("rhs_axis", -1))
    c.Fail("scales along several axes");
  if (c.failed()) return nullptr;
  std::vector<float> products;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    products.push_back(static_cast<float>(of_a[i] * of_b[i]));
  const auto count = static_cast<std::int64_t>(products.size());
  return c.builder().Constant(Tensor::Of<float>(count == 1 ? Ints() : Ints{count}, products));
}

// By integers, as TVM computes it where the target does not say otherwise.
Value* LowerRequantize(Call& c) {
  Value* x = c.Tensor(0);
  const DType dtype = c.Type("out_dtype", DType::kI8);
  const std::int64_t axis = c.Int("axis", -1);
  const std::string rounding = c.Text("rounding", "None");
  c.ExpectText("compute_dtype", {"None", "int64"});
  c.ExpectText("rounding", {"None", "UPWARD", "TONEAREST"});
  if (c.failed()) return nullptr;
  return Saturated(
      c,
      Requantized(c, x, QuantisationAt(c, 1), QuantisationAt(c, 3), axis, rounding == "TONEAREST"),
      dtype);
}

// TVM takes both operands to the result's quantisation, each rounded; of products it rounds once.
Value* LowerQuantizedBinary(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  const Quantisation of_a = QuantisationAt(c, 2), of_b = QuantisationAt(c, 4);
  const Quantisation of_y = QuantisationAt(c, 6);
  const std::int64_t axis_a = c.Int("lhs_axis", -1), axis_b = c.Int("rhs_axis", -1);
  if (c.failed()) return nullptr;
  const DType dtype = c.dtype(a);
  if (c.target() == "Mul") {
    const Quantisation product = {ProductScale(c, of_a, of_b), c.Number(0, DType::kI32)};
    Value* y = c.Mul(Centred(c, a, of_a.zero, axis_a), Centred(c, b, of_b.zero, axis_b));
    return Saturated(c, Requantized(c, y, product, of_y, axis_a), dtype);
  }
  a = Requantized(c, a, of_a, of_y, axis_a);
  b = Requantized(c, b, of_b, of_y, axis_b);
  const bool adds = c.target() == "Add";
  Value* y = adds ? c.Add(a, b) : c.Sub(a, b);
  if (IsZero(of_y.zero)) return Saturated(c, y, dtype);
  Value* zero = c.Cast(of_y.zero, DType::kI32);
  return Saturated(c, adds ? c.Sub(y, zero) : c.Add(y, zero), dtype);
}

// TVM has them as tables of what the operator of real numbers gives.
Value* LowerQuantizedUnary(Call& c) {
  Value* x = c.Tensor(0);
  Value* real = Dequantize(c, x, 1, 2, -1);
  Value* y = c.target() == "Rsqrt" ? c.Op("Reciprocal", {c.Sqrt(real)}) : c.Op(c.target(), {real});
  return Quantize(c, y, 3, 4, -1, c.dtype(x));
}

// In the result's quantisation: alpha · x + (1 - alpha) · zero point, each rounded.
Value* LowerQuantizedLeakyRelu(Call& c) {
  Value* x = c.Tensor(0);
  const double alpha = c.Float("alpha", 0.25);
  const Quantisation from = QuantisationAt(c, 1), to = QuantisationAt(c, 3);
  if (c.failed()) return nullptr;
  Value* y = Requantized(c, x, from, to, -1);
  Value* scaled = Rescaled(c, y, {alpha}, -1, false);
  if (!IsZero(to.zero))
    scaled = c.Add(scaled, Rescaled(c, c.Cast(to.zero, DType::kI32), {1 - alpha}, -1, false));
  Value* negative = c.Less(c.Cast(x, DType::kI32), c.Cast(from.zero, DType::kI32));
  return Saturated(c, c.Where(negative, scaled, y), c.dtype(x));
}

// Sums of products of 8-bit integers, as int32.
Value* LowerQuantizedDense(Call& c) {
  Value* x = c.Tensor(0);
  Value* weight = c.Tensor(1);
  c.Ignore({"units"});
  if (c.Type("out_dtype", DType::kI32) != DType::kI32)
    return c.Fail("an out_dtype other than int32 is not supported");
  Value* zero_x = c.Tensor(2);
  Value* zero_w = c.Tensor(3);
  c.Tensor(4);
  c.Tensor(5);
  return c.Op("MatMulInteger",
              {x, c.Transpose(weight, {1, 0}), c.CastLike(zero_x, x), c.CastLike(zero_w, weight)});
}

// The second operand is transposed: TVM computes no other.
Value* LowerQuantizedBatchMatMul(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  if (c.Bool("transpose_a", false)) c.Fail("transpose_a=True is not supported");
  if (!c.Bool("transpose_b", true)) c.Fail("transpose_b=False is not supported");
  if (c.Type("out_dtype", DType::kI32) != DType::kI32)
    return c.Fail("an out_dtype other than int32 is not supported");
  Value* zero_a = c.CastLike(c.Tensor(2), a);
  Value* zero_b = c.CastLike(c.Tensor(3), b);
  return c.Op("MatMulInteger", {a, c.Transpose(b, {0, 2, 1}), zero_a, zero_b});
}

// A pool of integers in the result's quantisation.
Value* LowerQuantizedAvgPool(Call& c) {
  Value* x = c.Tensor(0);
  const Quantisation from = QuantisationAt(c, 1), to = QuantisationAt(c, 3);
  if (c.failed()) return nullptr;
  const bool same =
      ScaleOf(c, from.scale) == ScaleOf(c, to.scale) && SameNumber(from.zero, to.zero);
  Value* wide =
      same ? c.Cast(x, DType::kI32)
           : c.Cast(Saturated(c, Requantized(c, x, from, to, -1), c.dtype(x)), DType::kI32);
  return Saturated(c, Pool(c, wide, 2, true), c.dtype(x));
}

// Of int8, by integers (algorithm 1 of arXiv 2207.01405): powers of two by shifts, between them a
// line.
Value* LowerQuantizedSoftmax(Call& c) {
  constexpr std::int64_t kBits = 8;
  constexpr std::int64_t kLargest = 30;
  Value* x = c.Tensor(0);
  const Quantisation from = QuantisationAt(c, 1), to = QuantisationAt(c, 3);
  const int axis = c.Axis(c.Int("axis", -1), c.Rank(x));
  const double scale = ScaleOf(c, from.scale);
  if (c.failed()) return nullptr;
  const auto one = static_cast<std::int64_t>(std::lround(1.0F / static_cast<float>(scale)));
  if (one < 1) return c.Fail("a scale above 2 is not supported");
  const auto halved = [&](Value* value, std::int64_t bits) {
    return FloorQuotient(c, value, c.Int(std::int64_t{1} << bits));
  };
  Value* wide = c.Cast(Centred(c, x, from.zero, axis), DType::kI64);
  Value* below = c.Sub(wide, c.Reduce("ReduceMax", wide, {axis}, true));
  // By log2(e), roughly.
  Value* power = c.Sub(c.Add(below, halved(below, 1)), halved(below, 4));
  Value* whole = c.Div(c.Neg(power), c.Int(one));
  Value* rest = c.Add(power, c.Mul(whole, c.Int(one)));
  Value* line = c.Add(halved(rest, 1), c.Int(one));
  Value* shift = c.Pow(c.Int(2), c.Min(whole, c.Int(62)));
  Value* exponentials = FloorQuotient(c, c.Mul(line, c.Int(std::int64_t{1} << kBits)), shift);
  Value* sum = c.ReduceSum(exponentials, {axis}, true);
  Value* parts = c.Mul(c.Div(c.Int(std::int64_t{1} << kLargest), sum), exponentials);
  Value* y = c.Cast(halved(parts, kLargest - (kBits - 1)), DType::kI32);
  const Quantisation unit = {c.Number(1.0 / (1 << (kBits - 1)), DType::kF32),
                             c.Number(0, DType::kI32)};
  return Saturated(c, Requantized(c, y, unit, to, -1), DType::kI8);
}

Value* LowerQuantizedConv2D(Call& c) {
  Value* x = c.Tensor(0);
  Value* weight = c.Tensor(1);
  const std::string layout = c.Text("data_layout", "NCHW");
  const std::string out_layout = c.Text("out_layout", "");
  x = ToLayout(c, x, layout, "NCHW");
  weight = ToLayout(c, weight, c.Text("kernel_layout", "OIHW"), "OIHW");
  if (c.Type("out_dtype", DType::kI32) != DType::kI32)
    return c.Fail("an out_dtype other than int32 is not supported");
  std::vector<NamedAttribute> attributes = {
      {"dilations", c.IntList("dilation", {1, 1})},
      {"pads", PadsOf(c, "padding", 2)},
      {"strides", c.IntList("strides", {1, 1})},
  };
  const std::int64_t groups = c.Int("groups", 1);
  attributes.emplace_back("group", groups);
  weight = DepthwiseKernel(c, x, weight, groups);
  CheckKernel(c, weight, 2);
  Value* zero_x = c.CastLike(c.Tensor(2), x);
  Value* zero_w = c.CastLike(c.Tensor(3), weight);
  Value* y = c.Op("ConvInteger", {x, weight, zero_x, zero_w}, std::move(attributes));
  return ToLayout(c, y, "NCHW", out_layout.empty() ? layout : out_layout);
}

Value* LowerQuantizedConcat(Call& c) {
  std::vector<Value*> tensors = c.Tensors(0);
  const std::vector<Value*> scales = c.Tensors(1);
  const std::vector<Value*> zeros = c.Tensors(2);
  const Quantisation to = QuantisationAt(c, 3);
  if (c.failed()) return nullptr;
  if (tensors.empty() || scales.size() != tensors.size() || zeros.size() != tensors.size())
    return c.Fail(InvalidInput("there are not as many scales and zero points as operands"));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Value* y = Requantized(c, tensors[i], {scales[i], zeros[i]}, to, -1);
    tensors[i] = c.failed() ? nullptr : Saturated(c, y, c.dtype(tensors[i]));
  }
  const std::int64_t axis = c.Int("axis", 0);
  return c.failed() ? nullptr : c.Concat(tensors, c.AxisOf(axis, tensors.front()));
}

}  // namespace

std::span<const OpRow> QuantizedRows() {
  static constexpr OpRow kRows[] = {
      {"qnn.abs", LowerQuantizedUnary, "Abs"},
      {"qnn.add", LowerQuantizedBinary, "Add"},
      {"qnn.avg_pool2d", LowerQuantizedAvgPool},
      {"qnn.batch_matmul", LowerQuantizedBatchMatMul},
      {"qnn.concatenate", LowerQuantizedConcat},
      {"qnn.conv2d", LowerQuantizedConv2D},
      {"qnn.dense", LowerQuantizedDense},
      {"qnn.dequantize", LowerDequantize},
      {"qnn.erf", LowerQuantizedUnary, "Erf"},
      {"qnn.exp", LowerQuantizedUnary, "Exp"},
      {"qnn.hardswish", LowerQuantizedUnary, "HardSwish"},
      {"qnn.leaky_relu", LowerQuantizedLeakyRelu},
      {"qnn.log", LowerQuantizedUnary, "Log"},
      {"qnn.mul", LowerQuantizedBinary, "Mul"},
      {"qnn.quantize", LowerQuantize},
      {"qnn.requantize", LowerRequantize},
      {"qnn.rsqrt", LowerQuantizedUnary, "Rsqrt"},
      {"qnn.sigmoid", LowerQuantizedUnary, "Sigmoid"},
      {"qnn.simulated_dequantize", With<LowerSimulated, false>},
      {"qnn.simulated_quantize", With<LowerSimulated, true>},
      {"qnn.softmax", LowerQuantizedSoftmax},
      {"qnn.sqrt", LowerQuantizedUnary, "Sqrt"},
      {"qnn.subtract", LowerQuantizedBinary, "Sub"},
      {"qnn.tanh", LowerQuantizedUnary, "Tanh"},
  };
  return kRows;
}

}  // namespace dragoman::relay
