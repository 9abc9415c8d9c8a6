// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include "importers/tensorflow/ops/op_rows.h"

#include <utility>

#include "core/lowering/complex.h"
#include "core/lowering/math.h"
#include "importers/tensorflow/ops/fused.h"

namespace dragoman::tf {
namespace {

Value* Transposed(Call& c, Value* x) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 2)
    return c.Fail(InvalidInput("a product with a tensor of rank " + std::to_string(rank)));
  return c.SwapAxes(x, rank - 2, rank - 1);
}

Value* Adjoint(Call& c, Value* x) {
  Value* transposed = Transposed(c, x);
  return IsComplex(c.dtype(x)) ? Conjugate(c, transposed) : transposed;
}

// Of two axes, though inference may not know it.
Value* TransposedMatrix(Call& c, Value* x) {
  return c.MaybeRank(x) ? Transposed(c, x) : c.Transpose(x, {1, 0});
}

Value* MatMulOf(Call& c, Value* a, Value* b) {
  if (c.BoolAttribute("transpose_a")) a = TransposedMatrix(c, a);
  if (c.BoolAttribute("transpose_b")) b = TransposedMatrix(c, b);
  return MatMul(c, a, b);
}

Value* LowerMatMul(Call& c) { return MatMulOf(c, c.Tensor(0), c.Tensor(1)); }

// Of matrices that need not hold zeros only because they are declared sparse; float32.
Value* LowerSparseMatMul(Call& c) {
  return MatMulOf(c, c.Cast(c.Tensor(0), DType::kF32), c.Cast(c.Tensor(1), DType::kF32));
}

Value* LowerFusedMatMul(Call& c) {
  Value* product = MatMulOf(c, c.Tensor(0), c.Tensor(1));
  return ApplyFused(c, product, {.first_argument = 2, .channel_axis = 1});
}

// Products of narrow integers are added up as those of the result's type.
Value* LowerBatchMatMul(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  if (c.Has("Tout")) {
    a = c.Cast(a, c.TypeAttribute("Tout"));
    b = c.Cast(b, c.TypeAttribute("Tout"));
  }
  if (c.BoolAttribute("adj_x")) a = Adjoint(c, a);
  if (c.BoolAttribute("adj_y")) b = Adjoint(c, b);
  return MatMul(c, a, b);
}

// Products of bfloat16 are added up in float32, as matrix products are.
Value* LowerEinsum(Call& c) {
  const std::string equation = c.TextAttribute("equation");
  std::vector<Value*> x = c.Tensors(0, c.num_operands());
  if (c.failed()) return nullptr;
  const DType dtype = c.dtype(x.front());
  if (dtype == DType::kBF16) {
    for (Value*& operand : x) operand = c.Cast(operand, DType::kF32);
  }
  return c.Cast(c.Op("Einsum", x, {{"equation", equation}}), dtype);
}

// Of vectors of three along the last axis.
Value* LowerCross(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  const int last = c.Rank(a) - 1;
  const auto turned = [&](Value* x, Ints order) {
    return c.Gather(x, c.Ints(std::move(order)), last);
  };
  return c.Sub(c.Mul(turned(a, {1, 2, 0}), turned(b, {2, 0, 1})),
               c.Mul(turned(a, {2, 0, 1}), turned(b, {1, 2, 0})));
}

}  // namespace

std::span<const OpRow> LinearRows() {
  static constexpr OpRow kRows[] = {
      {"BatchMatMul", LowerBatchMatMul},
      {"BatchMatMulV2", LowerBatchMatMul},
      {"BatchMatMulV3", LowerBatchMatMul},
      {"Cross", LowerCross},
      {"Einsum", LowerEinsum},
      {"MatMul", LowerMatMul},
      {"SparseMatMul", LowerSparseMatMul},
      {"_FusedMatMul", LowerFusedMatMul},
  };
  return kRows;
}

}  // namespace dragoman::tf
