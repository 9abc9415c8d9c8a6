// Quantisation. Relay's zero points are int32, whatever they belong to; halves are rounded away
// from zero, where ONNX rounds them to even.
#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/emitters.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/window.h"

namespace dragoman::relay::emit {
namespace {

bool IsStored(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI16 || dtype == DType::kU16;
}

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

}  // namespace

Emitted EmitQuantizeLinear(RelayOp& op) {
  const DType to = op.result_type().dtype();
  if (!IsStored(to)) return op.Refuse("quantisation to this element type");
  if (op.dtype() != DType::kF32 || op.dtype(1) != DType::kF32)
    return op.Refuse("quantisation of other than float32");
  DRAGOMAN_ASSIGN(Value * scale, Parameter(op, 1, DType::kF32));
  DRAGOMAN_ASSIGN(Value * zero, ZeroLike(op, 1, 2));
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis", 1));
  return One(op.Do("qnn.quantize", {op.arg(0), scale, zero},
                   {{"out_dtype", std::string(RelayDType(to))}, {"axis", axis}}));
}

Emitted EmitDequantizeLinear(RelayOp& op) {
  const DType to = op.result_type().dtype();
  if (!IsStored(op.dtype()) && op.dtype() != DType::kI32)
    return op.Refuse("dequantisation of this element type");
  if (to != DType::kF32 || op.dtype(1) != DType::kF32)
    return op.Refuse("dequantisation to other than float32");
  DRAGOMAN_ASSIGN(Value * scale, Parameter(op, 1, DType::kF32));
  DRAGOMAN_ASSIGN(Value * zero, ZeroLike(op, 1, 2));
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis", 1));
  return One(op.Do("qnn.dequantize", {op.arg(0), scale, zero},
                   {{"out_dtype", "float32"}, {"axis", axis}}));
}

// Only of matrices; scales do not count for the sum.
Emitted EmitMatMulInteger(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape a, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape b, op.shape(1));
  if (a.size() != 2 || b.size() != 2 || !b[1].known())
    return op.Refuse("integer products of other than matrices");
  DRAGOMAN_ASSIGN(Value * zero_a, ZeroPoint(op, 2));
  DRAGOMAN_ASSIGN(Value * zero_b, ZeroPoint(op, 3));
  Value* one = op.Number(1, DType::kF32);
  return One(op.Do("qnn.dense",
                   {op.arg(0), Transpose(op, op.arg(1), {1, 0}), zero_a, zero_b, one, one},
                   {{"units", b[1].value()}, {"out_dtype", "int32"}}));
}

Emitted EmitConvInteger(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t spatial, SpatialAxes(op));
  if (spatial != 2) return op.Refuse("integer convolutions of other than two spatial axes");
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  DRAGOMAN_ASSIGN(const Ints sizes, op.KnownSizes(weight));
  const Ints kernel(sizes.begin() + 2, sizes.end());
  DRAGOMAN_ASSIGN(Ints pads, PadsOf(op, spatial, kernel));
  DRAGOMAN_ASSIGN(Value * zero_x, ZeroPoint(op, 2));
  DRAGOMAN_ASSIGN(Value * zero_w, ZeroPoint(op, 3));
  Value* one = op.Number(1, DType::kF32);
  return One(op.Do("qnn.conv2d", {op.arg(0), op.arg(1), zero_x, zero_w, one, one},
                   {{"strides", OrFill(op.Ints("strides"), spatial, 1)},
                    {"padding", std::move(pads)},
                    {"dilation", OrFill(op.Ints("dilations"), spatial, 1)},
                    {"groups", op.Int("group", 1)},
                    {"channels", sizes.front()},
                    {"kernel_size", kernel},
                    {"out_dtype", "int32"}}));
}

}  // namespace dragoman::relay::emit
