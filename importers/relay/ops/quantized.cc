// Quantised operators, as QuantizeLinear and DequantizeLinear around those of real numbers;
// products of integers stay integers, and so does requantize. Halves are rounded to even, where
// TVM's quantize rounds them away from zero.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/lowering/math.h"
#include "importers/relay/ops/layout.h"
#include "importers/relay/ops/lowerings.h"

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

Value* Quantize(Call& c, Value* x, std::size_t scale, std::size_t zero, std::int64_t axis,
                DType dtype) {
  if (dtype == DType::kI32) return c.Fail("quantised values of int32 are not supported");
  Value* place = c.Cast(c.Tensor(zero), dtype);
  return c.Op("QuantizeLinear", {x, c.Tensor(scale), place}, {{"axis", axis}});
}

}  // namespace

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

namespace {

// multiplier · 2^(shift - 31) is the quotient of two scales, as TVM rounds it.
struct FixedPoint {
  std::int64_t multiplier = 0;
  int shift = 0;
};

FixedPoint FixedPointOf(double quotient) {
  FixedPoint fixed;
  const double fraction = std::frexp(quotient, &fixed.shift);
  fixed.multiplier = std::llround(fraction * 2147483648.0);
  if (fixed.multiplier == std::int64_t{1} << 31) {
    fixed.multiplier /= 2;
    ++fixed.shift;
  }
  return fixed;
}

// The quotients of operands 1 and 3, one an element of an axis or one in all; nullopt if a scale is
// no constant, or a quotient is beyond what TVM computes in 64 bits.
std::optional<std::vector<FixedPoint>> Quotients(Call& c) {
  const Tensor* from = c.Tensor(1) != nullptr ? c.Tensor(1)->tensor() : nullptr;
  const std::optional<double> to = c.KnownFloat(3);
  if (from == nullptr || !to || !(*to > 0)) return std::nullopt;
  std::vector<FixedPoint> all;
  for (std::int64_t i = 0; i < from->size(); ++i) {
    all.push_back(FixedPointOf(from->FloatAt(i) / *to));
    if (!(from->FloatAt(i) > 0) || all.back().shift > 30 || all.back().shift < -30)
      return std::nullopt;
  }
  return all;
}

// Along the axis that has a number each, or alone.
Value* Aligned(Call& c, Value* vector, std::int64_t axis, const Value* like) {
  const std::optional<std::int64_t> size = c.MaybeRank(vector) == 1 ? c.KnownSize(vector, 0) : 1;
  if (size == 1) return c.Reshape(vector, Ints());
  return AlongAxis(c, vector, c.AxisOf(axis, like), c.Rank(like));
}

// x · quotient in 64 bits; halves go up, or away from zero.
Value* Rescaled(Call& c, Value* x, const std::vector<FixedPoint>& quotients, std::int64_t axis,
                bool away) {
  Ints factors, divisors;
  for (const FixedPoint& q : quotients) {
    factors.push_back(q.multiplier << std::max(q.shift, 0));
    divisors.push_back(std::int64_t{1} << (31 + std::max(-q.shift, 0)));
  }
  Value* divisor = Aligned(c, c.Ints(std::move(divisors)), axis, x);
  Value* half = c.Div(divisor, 2);
  Value* product = c.Mul(x, Aligned(c, c.Ints(std::move(factors)), axis, x));
  if (away) half = c.Where(c.Less(product, 0), c.Sub(half, 1), half);
  return FloorQuotient(c, c.Add(product, half), divisor);
}

// The element type's range.
Value* Saturated(Call& c, Value* x, DType dtype) {
  const int bits = Info(dtype).bits;
  const std::int64_t low = Info(dtype).is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << bits) - 1;
  return c.Cast(c.Max(c.Min(x, c.Int(high)), c.Int(low)), dtype);
}

}  // namespace

// By integers, as TVM computes it. The quotient of the scales is a number of 31 bits and a shift.
Value* LowerRequantize(Call& c) {
  Value* x = c.Tensor(0);
  const DType dtype = c.Type("out_dtype", DType::kI8);
  const std::int64_t axis = c.Int("axis", -1);
  const std::string rounding = c.Text("rounding", "None");
  c.Ignore({"compute_dtype"});
  if (rounding != "None" && rounding != "UPWARD" && rounding != "TONEAREST")
    return c.Fail("rounding=\"" + rounding + "\" is not supported");
  if (c.failed()) return nullptr;
  const std::optional<std::vector<FixedPoint>> quotients = Quotients(c);
  if (c.failed()) return nullptr;
  if (!quotients || Info(dtype).bits > 32)
    return Quantize(c, Dequantize(c, x, 1, 2, axis), 3, 4, axis, dtype);
  Value* wide = c.Cast(x, DType::kI64);
  if (c.KnownFloat(2) != 0.0) wide = c.Sub(wide, Aligned(c, c.Index(2), axis, x));
  Value* scaled = Rescaled(c, wide, *quotients, axis, rounding == "TONEAREST");
  if (c.KnownFloat(4) != 0.0) scaled = c.Add(scaled, Aligned(c, c.Index(4), axis, x));
  return Saturated(c, scaled, dtype);
}

Value* LowerQuantizedBinary(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  Value* real_a = Dequantize(c, a, 2, 3, c.Int("lhs_axis", -1));
  Value* real_b = Dequantize(c, b, 4, 5, c.Int("rhs_axis", -1));
  return Quantize(c, c.Op(c.target(), {real_a, real_b}), 6, 7, -1, c.dtype(a));
}

Value* LowerQuantizedUnary(Call& c) {
  Value* x = c.Tensor(0);
  std::vector<NamedAttribute> attributes;
  if (c.target() == "LeakyRelu")
    attributes.emplace_back("alpha", static_cast<float>(c.Float("alpha", 0.25)));
  if (c.target() == "Softmax") attributes.emplace_back("axis", c.Int("axis", -1));
  Value* real = Dequantize(c, x, 1, 2, -1);
  Value* y = c.target() == "Rsqrt" ? c.Op("Reciprocal", {c.Sqrt(real)})
                                   : c.Op(c.target(), {real}, std::move(attributes));
  return Quantize(c, y, 3, 4, -1, c.dtype(x));
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
  const std::vector<Value*> tensors = c.Tensors(0);
  const std::vector<Value*> scales = c.Tensors(1);
  const std::vector<Value*> zeros = c.Tensors(2);
  if (c.failed()) return nullptr;
  if (tensors.empty() || scales.size() != tensors.size() || zeros.size() != tensors.size())
    return c.Fail(InvalidInput("there are not as many scales and zero points as operands"));
  std::vector<Value*> reals;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Value* zero = c.CastLike(zeros[i], tensors[i]);
    reals.push_back(c.Op("DequantizeLinear", {tensors[i], scales[i], zero}));
  }
  Value* y = c.Concat(std::move(reals), c.Int("axis", 0));
  return Quantize(c, y, 3, 4, -1, c.dtype(tensors.front()));
}

}  // namespace dragoman::relay
