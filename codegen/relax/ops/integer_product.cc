// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit integers: less their zero points they are multiplied in int32. The quantised
// ones scale the sums in f32, round and saturate.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "codegen/relax/ops/convolution.h"
#include "codegen/relax/ops/saturate.h"

namespace dragoman::relax {
namespace {

// Operand `i` of a product of matrices, a scale or zero point: one for all, or one per row of the
// first or result matrix, where a vector becomes a column.
Result<std::string> OfMatrix(RelaxOp& op, std::size_t i, DType to, bool by_row) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(i));
  const std::string x = op.ArgAs(i, to);
  if (shape.size() != 1) return x;
  if (shape[0] == Dim(1)) return op.Do("reshape", x, "R.shape([])");
  return by_row ? op.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", x)) : x;
}

// The operands `a` and `b` of the node, less the zero points after them.
struct Factors {
  std::size_t a, a_zero, b, b_zero;
};

Result<std::string> MatrixProduct(RelaxOp& op, const Factors& f) {
  const auto centred = [&](std::size_t i, std::size_t zero, bool by_row) -> Result<std::string> {
    const std::string whole = op.ArgAs(i, DType::kI32);
    if (zero >= op.node.num_operands() || !op.has(zero)) return whole;
    DRAGOMAN_ASSIGN(std::string point, OfMatrix(op, zero, DType::kI32, by_row));
    return op.Do("subtract", whole, point);
  };
  DRAGOMAN_ASSIGN(std::string a, centred(f.a, f.a_zero, true));
  DRAGOMAN_ASSIGN(std::string b, centred(f.b, f.b_zero, false));
  return fmt::format("R.matmul({}, {}, out_dtype=None)", a, b);
}

// `i` of a convolution: one for all, or one a result channel, aligned with a tensor of `rank` whose
// axis `axis` counts channels.
Result<std::string> OfChannels(RelaxOp& op, std::size_t i, DType to, std::size_t rank,
                               std::size_t axis) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(i));
  const std::string x = op.ArgAs(i, to);
  if (shape.empty()) return x;
  if (shape[0] == Dim(1)) return op.Do("reshape", x, "R.shape([])");
  std::vector<std::int64_t> axes;
  for (std::size_t at = 0; at < rank; ++at) {
    if (at != axis) axes.push_back(static_cast<std::int64_t>(at));
  }
  return op.BindPlain(fmt::format("R.expand_dims({}, axis={})", x, ListText(axes)));
}

Result<std::string> Convolution(RelaxOp& op, const Factors& f) {
  DRAGOMAN_ASSIGN(Shape weight, op.shape(f.b));
  const auto centred = [&](std::size_t i, std::size_t zero) -> Result<std::string> {
    const std::string whole = op.ArgAs(i, DType::kI32);
    if (zero >= op.node.num_operands() || !op.has(zero)) return whole;
    DRAGOMAN_ASSIGN(std::string point, OfChannels(op, zero, DType::kI32, weight.size(), 0));
    return op.Do("subtract", whole, point);
  };
  DRAGOMAN_ASSIGN(std::string x, centred(f.a, f.a_zero));
  DRAGOMAN_ASSIGN(std::string w, centred(f.b, f.b_zero));
  return ConvolutionOf(op, x, w, f.b);
}

constexpr Factors kInteger = {.a = 0, .a_zero = 2, .b = 1, .b_zero = 3};
constexpr Factors kQuantized = {.a = 0, .a_zero = 2, .b = 3, .b_zero = 5};

// `sum` times a scale · b scale / result scale, rounded, plus the result's zero point.
std::string Requantized(RelaxOp& op, const std::string& sum, const std::string& a_scale,
                        const std::string& b_scale, const std::string& y_scale,
                        const std::string& y_zero) {
  const std::string factor = op.Do("divide", op.Do("multiply", a_scale, b_scale), y_scale);
  const std::string whole = op.Astype(sum, DType::kI32, DType::kF32);
  const std::string scaled = op.Do("multiply", whole, factor);
  return Saturated(op, scaled, DType::kF32, y_zero, op.result_type().dtype());
}

Expressions EmitMatMulInteger(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string product, MatrixProduct(op, kInteger));
  return One(product);
}

Expressions EmitQLinearMatMul(RelaxOp& op) {
  if (Info(op.result_type().dtype()).bits != 8 || IsFloating(op.dtype()))
    return op.Refuse("only 8-bit integers");
  DRAGOMAN_ASSIGN(std::string product, MatrixProduct(op, kQuantized));
  const std::string sum = op.BindPlain(product);
  DRAGOMAN_ASSIGN(std::string a_scale, OfMatrix(op, 1, DType::kF32, true));
  DRAGOMAN_ASSIGN(std::string b_scale, OfMatrix(op, 4, DType::kF32, false));
  DRAGOMAN_ASSIGN(std::string y_scale, OfMatrix(op, 6, DType::kF32, true));
  DRAGOMAN_ASSIGN(std::string y_zero, OfMatrix(op, 7, op.dtype(7), true));
  return One(Requantized(op, sum, a_scale, b_scale, y_scale, y_zero));
}

Expressions EmitConvInteger(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string product, Convolution(op, kInteger));
  return One(product);
}

Expressions EmitQLinearConv(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  DRAGOMAN_ASSIGN(std::string product, Convolution(op, kQuantized));
  std::string sum = op.BindPlain(product);
  if (op.node.num_operands() > 8 && op.has(8)) {
    DRAGOMAN_ASSIGN(std::string bias, OverChannels(op, op.arg(8), op.type(8)));
    sum = op.Do("add", sum, bias);
  }
  const auto scale = [&](std::size_t i) {
    return OfChannels(op, i, DType::kF32, result.size(), 1);
  };
  DRAGOMAN_ASSIGN(std::string x_scale, scale(1));
  DRAGOMAN_ASSIGN(std::string w_scale, scale(4));
  DRAGOMAN_ASSIGN(std::string y_scale, scale(6));
  DRAGOMAN_ASSIGN(std::string y_zero, OfChannels(op, 7, op.dtype(7), result.size(), 1));
  return One(Requantized(op, sum, x_scale, w_scale, y_scale, y_zero));
}

}  // namespace

std::span<const Row> IntegerProductRows() {
  static constexpr Row kRows[] = {
      {"ConvInteger", EmitConvInteger},
      {"MatMulInteger", EmitMatMulInteger},
      {"QLinearConv", EmitQLinearConv},
      {"QLinearMatMul", EmitQLinearMatMul},
  };
  return kRows;
}

}  // namespace dragoman::relax
