// Quantised operators, as QuantizeLinear and DequantizeLinear around those of real numbers;
// products of integers stay integers. Halves are rounded to even, where TVM rounds them away from
// zero.
#include <algorithm>
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

Value* LowerRequantize(Call& c) {
  Value* x = c.Tensor(0);
  const DType dtype = c.Type("out_dtype", DType::kI8);
  const std::int64_t axis = c.Int("axis", -1);
  c.Ignore({"rounding", "compute_dtype"});
  return Quantize(c, Dequantize(c, x, 1, 2, axis), 3, 4, axis, dtype);
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
