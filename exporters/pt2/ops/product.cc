// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "exporters/pt2/ops/attention.h"

namespace dragoman::pt2 {
namespace {

// Element types that matmul of torch computes in on a CPU; integers wrap around as ONNX's do.
DType ProductType(DType dtype) {
  return dtype == DType::kU32 || dtype == DType::kU64 ? DType::kI64 : dtype;
}

Term Transposed(const AtenOp& op, const Term& x) {
  return op.SwapAxes(x, x.rank() - 2, x.rank() - 1);
}

// A zero point as what is subtracted from the matrices of operand `x`: along rows or columns.
Term WithoutZeroPoint(const AtenOp& op, std::size_t x, std::size_t zero_point, bool rows) {
  const Term matrix = op.Cast(op.arg(x), DType::kI32);
  if (!op.has(zero_point)) return matrix;
  Term point = op.Cast(op.arg(zero_point), DType::kI32);
  if (rows && point.rank() == 1 && matrix.rank() >= 2) point = op.Unsqueeze(point, 1);
  return op.Binary("aten.sub.Tensor", matrix, point);
}

}  // namespace

Term EmitProduct(const AtenOp& op, const Term& a, const Term& b, Shape shape) {
  return op.Call("aten.matmul.default", {{"self", a}, {"other", b}}, {a.dtype, std::move(shape)});
}

namespace {

Emitted EmitMatMul(AtenOp& op) {
  if (std::optional<Term> attention = AttentionOf(op)) return One(*std::move(attention));
  const TermType result = op.result();
  const DType dtype = ProductType(result.dtype);
  const Term product =
      EmitProduct(op, op.Cast(op.arg(0), dtype), op.Cast(op.arg(1), dtype), result.shape);
  return One(op.Cast(product, result.dtype));
}

Emitted EmitMatMulInteger(AtenOp& op) {
  return One(EmitProduct(op, WithoutZeroPoint(op, 0, 2, true), WithoutZeroPoint(op, 1, 3, false),
                         op.result().shape));
}

Emitted EmitLinear(AtenOp& op) {
  const TermType result = op.result();
  if (!IsFloating(result.dtype)) {
    Term product = EmitProduct(op, op.arg(0), Transposed(op, op.arg(1)), result.shape);
    if (op.has(2)) product = op.Binary("aten.add.Tensor", product, op.arg(2));
    return One(std::move(product));
  }
  Arguments arguments = {{"input", op.arg(0)}, {"weight", op.arg(1)}};
  if (op.has(2)) arguments.push_back({"bias", op.arg(2)});
  return One(op.Call("aten.linear.default", arguments, result));
}

// alpha * A * B + beta * C.
Emitted EmitGemm(AtenOp& op) {
  const TermType result = op.result();
  const DType dtype = ProductType(result.dtype);
  const double alpha = op.Float("alpha");
  const double beta = op.Float("beta");
  const bool is_integer = !IsFloating(dtype);
  if (is_integer && (alpha != static_cast<double>(static_cast<std::int64_t>(alpha)) ||
                     beta != static_cast<double>(static_cast<std::int64_t>(beta))))
    return op.Refuse("integers times a fraction");
  Term a = op.Cast(op.arg(0), dtype);
  if (op.Int("transA") != 0) a = Transposed(op, a);
  const bool is_layer = op.Int("transB") != 0 && alpha == 1 && !is_integer &&
                        (!op.has(2) || (beta == 1 && op.rank(2) == 1));
  const bool fits = !op.has(2) || op.shape(2) == Shape{result.shape.back()};
  if (is_layer && fits) {
    Arguments arguments = {{"input", a}, {"weight", op.arg(1)}};
    if (op.has(2)) arguments.push_back({"bias", op.arg(2)});
    return One(op.Call("aten.linear.default", arguments, result));
  }
  Term b = op.Cast(op.arg(1), dtype);
  if (op.Int("transB") != 0) b = Transposed(op, b);
  Term product = op.Call("aten.mm.default", {{"self", a}, {"mat2", b}}, {dtype, result.shape});
  if (alpha != 1) product = op.WithNumber("aten.mul.Scalar", product, alpha);
  if (op.has(2) && beta != 0) {
    Term c = op.Cast(op.arg(2), dtype);
    if (beta != 1) c = op.WithNumber("aten.mul.Scalar", c, beta);
    product = op.Binary("aten.add.Tensor", product, c);
  }
  return One(op.Cast(product, result.dtype));
}

Emitted EmitEinsum(AtenOp& op) {
  std::string equation = op.String("equation", "");
  std::erase(equation, ' ');
  Terms operands;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i) operands.push_back(op.arg(i));
  return One(
      op.Call("aten.einsum.default", {{"equation", equation}, {"tensors", operands}}, op.result()));
}

Emitted EmitDet(AtenOp& op) {
  return One(op.Call("aten.linalg_det.default", {{"A", op.arg(0)}}, op.result()));
}

}  // namespace

std::span<const Row> ProductRows() {
  static constexpr Row kRows[] = {
      {"Det", EmitDet},
      {"Einsum", EmitEinsum},
      {"Gemm", EmitGemm},
      {"MatMul", EmitMatMul},
      {"MatMulInteger", EmitMatMulInteger},
      {"dragoman.Linear", EmitLinear},
  };
  return kRows;
}

}  // namespace dragoman::pt2
