// SPDX-License-Identifier: Apache-2.0
// Quantisation. Relay's zero points are int32, whatever they belong to.
#include "codegen/relay/ops/op_rows.h"

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/product.h"
#include "codegen/relay/ops/rounding.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/window.h"
#include "core/ir/dtype_kinds.h"

namespace dragoman::relay::emit {
namespace {

// A scale or zero point of one number is a scalar.
Result<Value*> Parameter(RelayOp& op, std::size_t i, DType dtype) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(i));
  if (shape.size() > 1) return op.Refuse("scales by block");
  const Tensor* known = op.node.operand(i)->tensor();
  if (known != nullptr && known->size() == 1) return op.Number(known->FloatAt(0), dtype);
  Value* value = op.ArgAs(i, dtype);
  if (shape.empty() || shape.front() != Dim(1)) return value;
  return AsScalar(op.builder, value, op.type(i));
}

Result<Value*> ZeroPoint(RelayOp& op, std::size_t i) {
  if (!op.has(i)) return op.Number(0, DType::kI32);
  return Parameter(op, i, DType::kI32);
}

// Without a zero point of its own it is as long as the scale.
Result<Value*> ZeroLike(RelayOp& op, std::size_t scale, std::size_t zero) {
  const Shape* shape = op.type(scale).shape();
  if (op.has(zero) || shape == nullptr || shape->empty()) return ZeroPoint(op, zero);
  DRAGOMAN_ASSIGN(const Ints sizes, op.KnownSizes(*shape));
  if (sizes.front() == 1) return ZeroPoint(op, zero);
  return op.builder.Constant(*Tensor::Full(DType::kI32, sizes, 0));
}

// qnn.quantize rounds halves away from zero.
Emitted EmitQuantizeLinear(RelayOp& op) {
  const DType to = op.result_type().dtype();
  if (!IsShortInteger(to)) return op.Refuse("quantisation to this element type");
  if (op.dtype() != DType::kF32 || op.dtype(1) != DType::kF32)
    return op.Refuse("quantisation of other than float32");
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  const auto along = [&](std::size_t i, Value* value) {
    const Shape& shape = *op.type(i).shape();
    const bool single = shape.empty() || shape.front() == Dim(1);
    return single ? value : WithAxesBehind(op, value, rank - axis - 1);
  };
  DRAGOMAN_ASSIGN(Value * scale, Parameter(op, 1, DType::kF32));
  Value* zero = nullptr;
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(zero, Parameter(op, 2, to));
    zero = along(2, zero);
  }
  return One(Saturated(op, op.Do("divide", {op.arg(0), along(1, scale)}), zero, to));
}

// (x - zero) · scale, each of which stands for a block of elements along the axis.
Emitted DequantizeBlocks(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const std::int64_t block = op.Int("block_size");
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  if (!size.known() || size.value() % block != 0)
    return op.Refuse("blocks that do not make up an axis");
  const auto repeated = [&](Value* of_block) {
    return op.Do("repeat", {of_block}, {{"repeats", block}, {"axis", axis}});
  };
  const auto real = [&](Value* value) { return op.Do("cast", {value}, {{"dtype", "float32"}}); };
  Value* x = real(op.arg(0));
  if (op.has(2)) x = op.Do("subtract", {x, repeated(real(op.arg(2)))});
  return One(op.Do("multiply", {x, repeated(op.arg(1))}));
}

Emitted EmitDequantizeLinear(RelayOp& op) {
  const DType to = op.result_type().dtype();
  if (!IsShortInteger(op.dtype()) && op.dtype() != DType::kI32)
    return op.Refuse("dequantisation of this element type");
  if (to != DType::kF32 || op.dtype(1) != DType::kF32)
    return op.Refuse("dequantisation to other than float32");
  if (op.Int("block_size") != 0) return DequantizeBlocks(op);
  DRAGOMAN_ASSIGN(Value * scale, Parameter(op, 1, DType::kF32));
  DRAGOMAN_ASSIGN(Value * zero, ZeroLike(op, 1, 2));
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  return One(op.Do("qnn.dequantize", {op.arg(0), scale, zero},
                   {{"out_dtype", "float32"}, {"axis", axis}}));
}

// The operands of a product of integers.
struct Factors {
  std::size_t a, a_zero, b, b_zero;
};
constexpr Factors kInteger = {.a = 0, .a_zero = 2, .b = 1, .b_zero = 3};
constexpr Factors kQuantized = {.a = 0, .a_zero = 2, .b = 3, .b_zero = 5};

bool IsOneNumber(const RelayOp& op, std::size_t i) {
  if (!op.has(i)) return true;
  const Shape* shape = op.type(i).shape();
  return shape != nullptr && (shape->empty() || *shape == Shape{Dim(1)});
}

// Operand `i` less its zero points, as int32. One zero point a row stands in a column.
Result<Value*> WithoutZero(RelayOp& op, std::size_t i, std::size_t zero, bool by_row) {
  Value* x = op.ArgAs(i, DType::kI32);
  if (!op.has(zero)) return x;
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(zero));
  Value* points = op.ArgAs(zero, DType::kI32);
  if (by_row && shape.size() == 1 && !IsOneNumber(op, zero)) points = WithAxesBehind(op, points, 1);
  return op.Do("subtract", {x, points});
}

// As int32; scales do not count for the sum.
Result<Value*> IntegerProduct(RelayOp& op, const Factors& f) {
  DRAGOMAN_ASSIGN(const Shape a, op.shape(f.a));
  DRAGOMAN_ASSIGN(const Shape b, op.shape(f.b));
  DRAGOMAN_ASSIGN(const Shape result, op.result_shape());
  const bool is_dense = a.size() >= 2 && b.size() == 2 && b[1].known() &&
                        (a.size() == 2 || a.back().known()) && IsOneNumber(op, f.a_zero) &&
                        IsOneNumber(op, f.b_zero);
  if (!is_dense) {
    DRAGOMAN_ASSIGN(Value * left, WithoutZero(op, f.a, f.a_zero, true));
    DRAGOMAN_ASSIGN(Value * right, WithoutZero(op, f.b, f.b_zero, false));
    return ProductOfStacks(op, left, a, right, b, result);
  }
  DRAGOMAN_ASSIGN(Value * zero_a, ZeroPoint(op, f.a_zero));
  DRAGOMAN_ASSIGN(Value * zero_b, ZeroPoint(op, f.b_zero));
  Value* one = op.Number(1, DType::kF32);
  Value* weight = Transpose(op, op.arg(f.b), {1, 0});
  return ProductOfRows(op, op.arg(f.a), a, result, [&](Value* rows) {
    return op.Do("qnn.dense", {rows, weight, zero_a, zero_b, one, one},
                 {{"units", b[1].value()}, {"out_dtype", "int32"}});
  });
}

Result<Value*> Convolution(RelayOp& op, const Factors& f) {
  DRAGOMAN_ASSIGN(const std::int64_t spatial, SpatialAxes(op));
  if (spatial != 2) return op.Refuse("integer convolutions of other than two spatial axes");
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(f.b));
  DRAGOMAN_ASSIGN(const Ints sizes, op.KnownSizes(weight));
  const Ints kernel(sizes.begin() + 2, sizes.end());
  DRAGOMAN_ASSIGN(Ints pads, PadsOf(op, spatial, kernel));
  DRAGOMAN_ASSIGN(Value * zero_x, ZeroPoint(op, f.a_zero));
  DRAGOMAN_ASSIGN(Value * zero_w, ZeroPoint(op, f.b_zero));
  Value* one = op.Number(1, DType::kF32);
  return op.Do("qnn.conv2d", {op.arg(f.a), op.arg(f.b), zero_x, zero_w, one, one},
               {{"strides", OrFill(op.Ints("strides"), spatial, 1)},
                {"padding", std::move(pads)},
                {"dilation", OrFill(op.Ints("dilations"), spatial, 1)},
                {"groups", op.Int("group")},
                {"channels", sizes.front()},
                {"kernel_size", kernel},
                {"out_dtype", "int32"}});
}

// `sum` times a scale · b scale / result scale, rounded, plus the result's zero point. The scale of
// b may be one per channel, with `after` axes after it.
Emitted Requantized(RelayOp& op, Value* sum, std::int64_t behind) {
  DRAGOMAN_ASSIGN(Value * a_scale, Parameter(op, 1, DType::kF32));
  DRAGOMAN_ASSIGN(Value * b_scale, Parameter(op, 4, DType::kF32));
  DRAGOMAN_ASSIGN(Value * y_scale, Parameter(op, 6, DType::kF32));
  DRAGOMAN_ASSIGN(Value * y_zero, Parameter(op, 7, op.dtype(7)));
  const bool single = op.type(4).shape()->empty() || op.type(4).shape()->front() == Dim(1);
  if (!single) b_scale = WithAxesBehind(op, b_scale, behind);
  Value* factor = op.Do("divide", {op.Do("multiply", {a_scale, b_scale}), y_scale});
  Value* scaled = op.Do("multiply", {op.Cast(sum, DType::kI32, DType::kF32), factor});
  return One(Saturated(op, scaled, y_zero, op.result_type().dtype()));
}

Status CheckScales(const RelayOp& op) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{6}}) {
    DRAGOMAN_ASSIGN(const Shape shape, op.shape(i));
    if (!shape.empty() && shape != Shape{Dim(1)})
      return op.Refuse("several scales of operand 0 or the result");
    if (op.dtype(i) != DType::kF32) return op.Refuse("scales that are not float32");
  }
  return {};
}

Emitted EmitMatMulInteger(RelayOp& op) {
  DRAGOMAN_ASSIGN(Value * product, IntegerProduct(op, kInteger));
  return One(product);
}

Emitted EmitConvInteger(RelayOp& op) {
  DRAGOMAN_ASSIGN(Value * product, Convolution(op, kInteger));
  return One(product);
}

Emitted EmitQLinearMatMul(RelayOp& op) {
  DRAGOMAN_TRY(CheckScales(op));
  DRAGOMAN_ASSIGN(Value * product, IntegerProduct(op, kQuantized));
  return Requantized(op, product, 0);
}

Emitted EmitQLinearConv(RelayOp& op) {
  DRAGOMAN_TRY(CheckScales(op));
  DRAGOMAN_ASSIGN(Value * product, Convolution(op, kQuantized));
  if (op.has(8)) product = op.Do("nn.bias_add", {product, op.arg(8)}, {{"axis", std::int64_t{1}}});
  return Requantized(op, product, 2);
}

// To u8 over the span of the operand and 0; a scale of 0 divides as 1.
Emitted EmitDynamicQuantizeLinear(RelayOp& op) {
  Value* x = op.arg(0);
  Value* zero = op.Number(0);
  Value* high = op.Do("maximum", {op.Do("max", {x}), zero});
  Value* low = op.Do("minimum", {op.Do("min", {x}), zero});
  Value* scale = op.Do("divide", {op.Do("subtract", {high, low}), op.Number(255)});
  Value* divisor = op.Do("where", {op.Do("equal", {scale, zero}), op.Number(1), scale});
  Value* offset = op.Do("negative", {op.Do("divide", {low, divisor})});
  Value* point = Saturated(op, offset, nullptr, DType::kU8);
  return Values{Saturated(op, op.Do("divide", {x, divisor}), point, DType::kU8), scale, point};
}

}  // namespace

std::span<const Row> QuantizeRows() {
  static constexpr Row kRows[] = {
      {"ConvInteger", EmitConvInteger},
      {"DequantizeLinear", EmitDequantizeLinear, "", true},
      {"DynamicQuantizeLinear", EmitDynamicQuantizeLinear},
      {"MatMulInteger", EmitMatMulInteger},
      {"QLinearConv", EmitQLinearConv},
      {"QLinearMatMul", EmitQLinearMatMul},
      {"QuantizeLinear", EmitQuantizeLinear, "", true},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
