// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and its kin as arithmetic: operators of quantized_decomposed are known only to a
// process that imports them.
#include "exporters/pt2/ops/op_rows.h"

#include "core/ir/axes.h"
#include "core/ir/dtype_kinds.h"
#include "core/ir/wide_float.h"
#include "exporters/pt2/ops/quantize.h"

#include <algorithm>
#include <utility>

namespace dragoman::pt2 {

Term Saturated(const AtenOp& op, const Term& x, const std::optional<Term>& zero, DType to) {
  const int bits = Info(to).bits;
  const double low = Info(to).is_signed ? -static_cast<double>(1 << (bits - 1)) : 0;
  const double high = low + static_cast<double>((1 << bits) - 1);
  Term sum = op.Unary("aten.round.default", x);
  if (zero) sum = op.Binary("aten.add.Tensor", sum, op.Cast(*zero, x.dtype));
  return op.Cast(op.Clamp(sum, low, high), to);
}

namespace {

// Bytes of integers of less than 8 bits come as constants only.
std::optional<double> LargestFloat8(DType dtype) {
  if (dtype == DType::kF8E4M3FN) return 448;
  if (dtype == DType::kF8E4M3FNUZ) return 240;
  if (dtype == DType::kF8E5M2 || dtype == DType::kF8E5M2FNUZ) return 57344;
  return std::nullopt;
}

// A scale or zero point as what broadcasts to `x`.
Result<Term> Aligned(const AtenOp& op, Term parameter, const Term& x) {
  if (parameter.rank() == 0) return parameter;
  const std::int64_t axis = op.Axis();
  if (parameter.rank() == 1) {
    if (parameter.shape[0] == Dim(1)) return op.Select(parameter, 0, 0);
    for (std::int64_t i = axis + 1; i < x.rank(); ++i)
      parameter = op.Unsqueeze(parameter, parameter.rank());
    return parameter;
  }
  const std::int64_t block = op.Int("block_size");
  const auto at = static_cast<std::size_t>(axis);
  if (block <= 0 || parameter.rank() != x.rank() || !x.shape[at].known() ||
      !parameter.shape[at].known())
    return op.Refuse("scales by block of an unknown size");
  Shape repeated = parameter.shape;
  repeated[at] = repeated[at] * Dim(block);
  const Term all = op.Call("aten.repeat_interleave.self_int",
                           {{"self", parameter}, {"repeats", block}, {"dim", axis}},
                           {parameter.dtype, repeated});
  if (repeated[at] == x.shape[at]) return all;
  return op.Slice(all, axis, 0, x.shape[at].value(), x.shape[at]);
}

Result<std::optional<Term>> ZeroPoint(const AtenOp& op, const Term& x) {
  if (!op.has(2)) return std::optional<Term>();
  DRAGOMAN_ASSIGN(Term zero, Aligned(op, op.arg(2), x));
  return std::optional<Term>(std::move(zero));
}

Emitted EmitQuantizeLinear(AtenOp& op) {
  const DType to = op.result().dtype;
  const std::optional<double> largest = LargestFloat8(to);
  if (!IsShortInteger(to) && !largest) return op.Refuse("quantisation to this element type");
  const DType wide = WideFloat(op.dtype());
  const Term x = op.Cast(op.arg(0), wide);
  DRAGOMAN_ASSIGN(const Term scale, Aligned(op, op.Cast(op.arg(1), wide), x));
  const Term quotient = op.Binary("aten.div.Tensor", x, scale);
  if (largest) {
    const bool saturates = op.Int("saturate") != 0;
    return One(op.Cast(saturates ? op.Clamp(quotient, -*largest, *largest) : quotient, to));
  }
  DRAGOMAN_ASSIGN(const std::optional<Term> zero, ZeroPoint(op, x));
  return One(Saturated(op, quotient, zero, to));
}

Emitted EmitDequantizeLinear(AtenOp& op) {
  const DType to = op.result().dtype;
  const DType wide = WideFloat(to);
  const Term x = op.arg(0);
  DRAGOMAN_ASSIGN(const Term scale, Aligned(op, op.Cast(op.arg(1), wide), x));
  Term shifted = x;
  if (op.has(2) && IsInteger(x.dtype)) {
    const DType middle = x.dtype == DType::kI32 ? DType::kI64 : DType::kI32;
    DRAGOMAN_ASSIGN(const Term zero, Aligned(op, op.Cast(op.arg(2), middle), x));
    shifted = op.Binary("aten.sub.Tensor", op.Cast(x, middle), zero);
  }
  return One(op.Cast(op.Binary("aten.mul.Tensor", op.Cast(shifted, wide), scale), to));
}

// To u8 over the span of the operand and 0; a scale of 0 divides as 1.
Emitted EmitDynamicQuantizeLinear(AtenOp& op) {
  const Term x = op.arg(0);
  const Ints axes = AxesFrom(0, x.rank());
  const Term high = op.Clamp(op.Extreme(true, x, axes, false), 0, std::nullopt);
  const Term low = op.Clamp(op.Extreme(false, x, axes, false), std::nullopt, 0);
  constexpr double kSteps = 255;
  const Term scale =
      op.WithNumber("aten.div.Scalar", op.Binary("aten.sub.Tensor", high, low), kSteps);
  const Term is_zero = op.CompareNumber("aten.eq.Scalar", scale, 0);
  const Term divisor = op.Where(is_zero, op.Scalar(1, x.dtype), scale);
  const Term offset = op.Unary("aten.neg.default", op.Binary("aten.div.Tensor", low, divisor));
  const Term zero = Saturated(op, offset, std::nullopt, DType::kU8);
  const Term quotient = op.Binary("aten.div.Tensor", x, divisor);
  return Terms{Saturated(op, quotient, zero, DType::kU8), scale, zero};
}

// A parameter of the rows of matrices.
Term OfRows(const AtenOp& op, Term parameter) {
  return parameter.rank() == 1 && !(parameter.shape[0] == Dim(1)) ? op.Unsqueeze(parameter, 1)
                                                                  : parameter;
}

Emitted EmitQLinearMatMul(AtenOp& op) {
  const TermType result = op.result();
  const auto centered = [&](std::size_t x, std::size_t zero, bool rows) {
    const Term point = op.Cast(op.arg(zero), DType::kI32);
    return op.Binary("aten.sub.Tensor", op.Cast(op.arg(x), DType::kI32),
                     rows ? OfRows(op, point) : point);
  };
  const Term product = op.Call("aten.matmul.default",
                               {{"self", centered(0, 2, true)}, {"other", centered(3, 5, false)}},
                               {DType::kI32, result.shape});
  const auto scale = [&](std::size_t i) { return op.Cast(op.arg(i), DType::kF32); };
  const Term factor =
      op.Binary("aten.div.Tensor", op.Binary("aten.mul.Tensor", OfRows(op, scale(1)), scale(4)),
                OfRows(op, scale(6)));
  Term scaled = op.Binary("aten.mul.Tensor", op.Cast(product, DType::kF32), factor);
  scaled.shape = result.shape;
  return One(Saturated(op, scaled, OfRows(op, op.arg(7)), result.dtype));
}

}  // namespace

std::span<const Row> QuantizeRows() {
  static constexpr Row kRows[] = {
      {"DequantizeLinear", EmitDequantizeLinear},
      {"DynamicQuantizeLinear", EmitDynamicQuantizeLinear},
      {"QLinearMatMul", EmitQLinearMatMul},
      {"QuantizeLinear", EmitQuantizeLinear},
  };
  return kRows;
}

}  // namespace dragoman::pt2
