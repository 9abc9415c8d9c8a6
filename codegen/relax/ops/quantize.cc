// QuantizeLinear and DequantizeLinear. Relax rounds ties to even and saturates, as ONNX does.
#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

bool IsStored(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI16 || dtype == DType::kU16;
}

// One scale for all, or one an element of the axis.
Result<std::int64_t> ScaleAxis(const RelaxOp& op) {
  if (op.Int("block_size", 0) != 0) return op.Refuse("scales by block");
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape scale, op.shape(1));
  if (scale.size() > 1) return op.Refuse("scales by block");
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis", 1));
  if (!scale.empty() && shape.size() <= static_cast<std::size_t>(axis))
    return op.Refuse("an axis that the operand lacks");
  if (!scale.empty() && scale[0] != shape[static_cast<std::size_t>(axis)])
    return op.Refuse("a vector of one scale for a longer axis");
  return scale.empty() ? -1 : axis;
}

std::string ZeroPoint(const RelaxOp& op, DType dtype) {
  return op.has(2) ? op.arg(2) : ConstOf(0, dtype);
}

}  // namespace

Expressions EmitQuantizeLinear(RelaxOp& op) {
  const DType to = op.result_type().dtype();
  const DType from = op.dtype();
  if (!IsStored(to) || (from != DType::kF32 && from != DType::kF16) || op.dtype(1) != from)
    return op.Refuse("quantisation between these element types");
  DRAGOMAN_ASSIGN(std::int64_t axis, ScaleAxis(op));
  if (!op.has(2) && axis >= 0) return op.Refuse("scales by axis without zero points");
  return One(fmt::format("R.quantize({}, {}, {}, axis={}, out_dtype=\"{}\")", op.arg(0), op.arg(1),
                         ZeroPoint(op, to), axis, RelaxDType(to)));
}

Expressions EmitDequantizeLinear(RelaxOp& op) {
  const DType to = op.result_type().dtype();
  if (!IsStored(op.dtype()) || to != DType::kF32 || op.dtype(1) != to)
    return op.Refuse("dequantisation between these element types");
  DRAGOMAN_ASSIGN(std::int64_t axis, ScaleAxis(op));
  if (!op.has(2) && axis >= 0) return op.Refuse("scales by axis without zero points");
  return One(fmt::format("R.dequantize({}, {}, {}, axis={}, out_dtype=\"{}\")", op.arg(0),
                         op.arg(1), ZeroPoint(op, op.dtype()), axis, RelaxDType(to)));
}

}  // namespace dragoman::relax
