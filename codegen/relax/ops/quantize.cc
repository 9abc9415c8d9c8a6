// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear. R.quantize and R.dequantize round
// ties to even and saturate, as ONNX does; what they do not take is computed in floats.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "codegen/relax/ops/float8.h"
#include "codegen/relax/ops/saturate.h"
#include "core/ir/dtype_kinds.h"

namespace dragoman::relax {

std::string Saturated(RelaxOp& op, const std::string& x, DType from, const std::string& zero,
                      DType to) {
  const int bits = Info(to).bits;
  const double low = Info(to).is_signed ? -static_cast<double>(1 << (bits - 1)) : 0;
  const double high = low + static_cast<double>((1 << bits) - 1);
  std::string sum = op.Do("round", x);
  if (!zero.empty()) sum = op.Do("add", sum, op.Astype(zero, to, from));
  const std::string above = op.Do("maximum", sum, ConstOf(low, from));
  const std::string within = op.Do("minimum", above, ConstOf(high, from));
  return fmt::format("R.astype({}, dtype=\"{}\")", within, RelaxDType(to));
}

namespace {

// How scales and zero points lie along operand 0.
struct ScaleLayout {
  std::int64_t axis = 1;
  bool is_vector = false;  // one per element of the axis
  std::int64_t block = 0;  // elements of the axis that share one; 0: no blocks
};

Result<ScaleLayout> ScaleLayoutOf(const RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape scale, op.shape(1));
  ScaleLayout layout;
  DRAGOMAN_ASSIGN(layout.axis, op.Axis("axis"));
  const auto axis = static_cast<std::size_t>(layout.axis);
  if (scale.size() > 1) {
    layout.block = op.Int("block_size");
    if (layout.block <= 0 || axis >= scale.size() || !shape[axis].known())
      return op.Refuse("scales by block of an unknown size");
    return layout;
  }
  layout.is_vector = !scale.empty() && scale[0] != Dim(1);
  if (layout.is_vector && (axis >= shape.size() || scale[0] != shape[axis]))
    return op.Refuse("another number of scales than the axis has elements");
  return layout;
}

// A scale or zero point as what broadcasts to operand 0.
Result<std::string> Aligned(RelaxOp& op, const std::string& x, const ScaleLayout& layout) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape scale, op.shape(1));
  if (scale.empty()) return x;
  if (layout.block > 0) {
    const std::int64_t size = shape[static_cast<std::size_t>(layout.axis)].value();
    const std::string all =
        op.BindPlain(fmt::format("R.repeat({}, {}, axis={})", x, layout.block, layout.axis));
    if (size % layout.block == 0) return all;
    return op.BindPlain(fmt::format(
        "R.strided_slice({}, axes=[{}], begin=[0], end=[{}], strides=[1], assume_inbound=False)",
        all, layout.axis, size));
  }
  if (!layout.is_vector) return op.Do("reshape", x, "R.shape([])");
  std::vector<std::int64_t> axes;
  for (std::size_t i = static_cast<std::size_t>(layout.axis) + 1; i < shape.size(); ++i)
    axes.push_back(static_cast<std::int64_t>(i - static_cast<std::size_t>(layout.axis)));
  if (axes.empty()) return x;
  return op.BindPlain(fmt::format("R.expand_dims({}, axis={})", x, ListText(axes)));
}

// Scale and zero point as R.quantize takes them; its axis is written for vectors only.
struct Parameters {
  std::string scale, zero;
  std::int64_t axis = -1;
};

Result<Parameters> ParametersOf(RelaxOp& op, const ScaleLayout& layout, DType dtype) {
  Parameters p{op.arg(1), op.has(2) ? op.arg(2) : ConstOf(0, dtype), -1};
  DRAGOMAN_ASSIGN(Shape scale, op.shape(1));
  if (layout.is_vector) {
    p.axis = layout.axis;
    if (op.has(2)) return p;
    DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(scale));
    p.zero = op.BindPlain(fmt::format("R.zeros({}, dtype=\"{}\")", sizes, RelaxDType(dtype)));
  } else if (!scale.empty()) {
    p.scale = op.Do("reshape", p.scale, "R.shape([])");
    if (op.has(2)) p.zero = op.Do("reshape", p.zero, "R.shape([])");
  }
  return p;
}

Expressions EmitQuantizeLinear(RelaxOp& op) {
  const DType to = op.result_type().dtype();
  const DType from = op.dtype();
  if (!IsShortInteger(to) && !IsFloat8(to)) return op.Refuse("quantisation to this element type");
  DRAGOMAN_ASSIGN(ScaleLayout layout, ScaleLayoutOf(op));
  if (IsShortInteger(to) && from == DType::kF32 && op.dtype(1) == from && layout.block == 0) {
    DRAGOMAN_ASSIGN(Parameters p, ParametersOf(op, layout, to));
    return One(fmt::format("R.quantize({}, {}, {}, axis={}, out_dtype=\"{}\")", op.arg(0), p.scale,
                           p.zero, p.axis, RelaxDType(to)));
  }
  const DType wide = from == DType::kF64 ? from : DType::kF32;
  DRAGOMAN_ASSIGN(std::string scale, Aligned(op, op.ArgAs(1, wide), layout));
  const std::string quotient = op.Do("divide", op.ArgAs(0, wide), scale);
  if (IsFloat8(to))  // whose zero point is 0
    return ToFloat8(op, op.Astype(quotient, wide, DType::kF64), to, op.Int("saturate") != 0);
  std::string zero;
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(zero, Aligned(op, op.arg(2), layout));
  }
  return One(Saturated(op, quotient, wide, zero, to));
}

Expressions EmitDequantizeLinear(RelaxOp& op) {
  const DType to = op.result_type().dtype();
  const DType from = op.dtype();
  const bool is_wide = from == DType::kI32;
  if (!IsShortInteger(from) && !is_wide && !IsFloat8(from))
    return op.Refuse("dequantisation of this element type");
  DRAGOMAN_ASSIGN(ScaleLayout layout, ScaleLayoutOf(op));
  if (IsShortInteger(from) && to == DType::kF32 && op.dtype(1) == to && layout.block == 0) {
    DRAGOMAN_ASSIGN(Parameters p, ParametersOf(op, layout, from));
    return One(fmt::format("R.dequantize({}, {}, {}, axis={}, out_dtype=\"{}\")", op.arg(0),
                           p.scale, p.zero, p.axis, RelaxDType(to)));
  }
  const DType wide = to == DType::kF64 ? to : DType::kF32;
  DRAGOMAN_ASSIGN(std::string scale, Aligned(op, op.ArgAs(1, wide), layout));
  std::string x = op.arg(0);
  if (op.has(2) && !IsFloat8(from)) {
    const DType middle = is_wide ? DType::kI64 : DType::kI32;
    DRAGOMAN_ASSIGN(std::string zero, Aligned(op, op.ArgAs(2, middle), layout));
    x = op.Astype(op.Do("subtract", op.ArgAs(0, middle), zero), middle, wide);
  } else if (IsFloat8(from)) {
    x = op.Astype(FromFloat8(op, x, from), DType::kF32, wide);
  } else {
    x = op.ArgAs(0, wide);
  }
  const std::string product = fmt::format("R.multiply({}, {})", x, scale);
  if (to == wide) return One(product);
  if (!IsHalf(to)) return op.Refuse("dequantisation to this element type");
  return One(fmt::format("R.astype({}, dtype=\"{}\")", op.BindPlain(product), RelaxDType(to)));
}

// To u8 over the span of the operand and 0; a scale of 0 divides as 1.
Expressions EmitDynamicQuantizeLinear(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const DType dtype = op.dtype();
  const std::string zero = op.Const(0);
  const auto extreme = [&](std::string_view function, std::string_view with) {
    const std::string whole =
        shape.empty()
            ? op.arg(0)
            : op.BindPlain(fmt::format("R.{}({}, axis=None, keepdims=False)", function, op.arg(0)));
    return op.Do(with, whole, zero);
  };
  const std::string high = extreme("max", "maximum");
  const std::string low = extreme("min", "minimum");
  const std::string scale = op.Do("divide", op.Do("subtract", high, low), op.Const(255));
  const std::string divisor = op.Do("where", op.Do("equal", scale, zero), op.Const(1), scale);
  const std::string offset = op.Do("negative", op.Do("divide", low, divisor));
  const std::string zero_point = op.BindPlain(Saturated(op, offset, dtype, "", DType::kU8));
  const std::string quotient = op.Do("divide", op.arg(0), divisor);
  return std::vector{Saturated(op, quotient, dtype, zero_point, DType::kU8), scale, zero_point};
}

}  // namespace

std::span<const Row> QuantizeRows() {
  static constexpr Row kRows[] = {
      {"DequantizeLinear", EmitDequantizeLinear, true},
      {"DynamicQuantizeLinear", EmitDynamicQuantizeLinear},
      {"QuantizeLinear", EmitQuantizeLinear, true},
  };
  return kRows;
}

}  // namespace dragoman::relax
