// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/mat_mul.h"

#include <utility>

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "runtime/params/gemm.h"

namespace dragoman {
namespace {

// NumPy's matmul: a vector is a row on the left and a column on the right.
Result<std::optional<Shape>> ProductShape(const InferContext& context, std::size_t left,
                                          std::size_t right) {
  const Shape* a = context.shape(left);
  const Shape* b = context.shape(right);
  if (a == nullptr || b == nullptr) return std::optional<Shape>();
  const std::optional<rt::Shape> known_a = ToRuntimeShape(a);
  const std::optional<rt::Shape> known_b = ToRuntimeShape(b);
  if (known_a && known_b) {
    rt::Shape y;
    DRAGOMAN_TRY(context.Check(rt::MatMulShape(*known_a, *known_b, &y)));
    return std::optional<Shape>(FromRuntimeShape(y));
  }
  if (a->empty() || b->empty()) return context.Fail("operands must not be scalars");
  const Dim& depth = b->size() > 1 ? (*b)[b->size() - 2] : b->back();
  if (Equal(a->back(), depth) == Truth::kNo) {
    return context.Fail("last size " + a->back().ToString() +
                        " of the first operand differs from " + depth.ToString() +
                        " of the second");
  }
  const Shape a_batch(a->begin(), a->end() - (a->size() > 1 ? 2 : 1));
  const Shape b_batch(b->begin(), b->end() - (b->size() > 1 ? 2 : 1));
  const Shape* batches[] = {&a_batch, &b_batch};
  Result<std::optional<Shape>> y = BroadcastShapes(batches);
  if (!y.ok()) return std::move(y).error().At(context.node().Describe());
  if (a->size() > 1) (*y)->push_back((*a)[a->size() - 2]);
  if (b->size() > 1) (*y)->push_back(b->back());
  return y;
}

Status InferMatMul(InferContext& context) {
  DRAGOMAN_ASSIGN(std::optional<Shape> y, ProductShape(context, 0, 1));
  context.SetShape(0, std::move(y));
  return {};
}

enum class Lines { kRows, kColumns };

// Operand `i` is a scale or zero point of a tensor with sizes `matrix`: one for all, one per row (a
// column), or one per row of each matrix of the batch.
Status CheckLines(const InferContext& context, std::size_t i, const Shape* matrix, Lines lines) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr || matrix == nullptr) {
    LeaveOpen(context, {OpenCheck::Kind::kOneElement, i});
    return {};
  }
  if (Equal(NumElements(*shape), Dim(1)) == Truth::kYes) return {};
  if (matrix->size() < 2) return CheckScalar(context, i);
  const std::size_t row = matrix->size() - 2;
  if (shape->size() == 1)
    return CheckScalarOrVector(context, i, (*matrix)[lines == Lines::kRows ? row : row + 1]);
  Shape expected = *matrix;
  expected[lines == Lines::kRows ? row + 1 : row] = Dim(1);
  return CheckShape(context, i, expected);
}

Status InferMatMulInteger(InferContext& context) {
  DRAGOMAN_TRY(InferMatMul(context));
  DRAGOMAN_TRY(CheckLines(context, 2, context.shape(0), Lines::kRows));
  return CheckLines(context, 3, context.shape(1), Lines::kColumns);
}

Status InferQLinearMatMul(InferContext& context) {
  DRAGOMAN_ASSIGN(std::optional<Shape> y, ProductShape(context, 0, 3));
  for (std::size_t i : {1, 2}) DRAGOMAN_TRY(CheckLines(context, i, context.shape(0), Lines::kRows));
  for (std::size_t i : {4, 5})
    DRAGOMAN_TRY(CheckLines(context, i, context.shape(3), Lines::kColumns));
  for (std::size_t i : {6, 7})
    DRAGOMAN_TRY(CheckLines(context, i, y ? &*y : nullptr, Lines::kRows));
  context.SetShape(0, std::move(y));
  return {};
}

Status InferGemm(InferContext& context) {
  const auto& params = context.params<rt::GemmParams>();
  const Shape* a = context.shape(0);
  const Shape* b = context.shape(1);
  for (const Shape* matrix : {a, b}) {
    if (matrix != nullptr && matrix->size() != 2) return context.Fail("operands must be matrices");
  }
  if (a != nullptr && b != nullptr &&
      Equal((*a)[params.transA ? 0 : 1], (*b)[params.transB ? 1 : 0]) == Truth::kNo) {
    return context.Check(rt::Status::Error("inner sizes of the operands differ"));
  }
  context.SetShape(0, Shape{a != nullptr ? (*a)[params.transA ? 1 : 0] : Dim::Unknown(),
                            b != nullptr ? (*b)[params.transB ? 0 : 1] : Dim::Unknown()});
  return CheckBroadcastsTo(context, 2, *context.results()[0].type.shape());
}

}  // namespace

std::vector<OpDef> MatMulOps() {
  return {
      Op("Gemm", {1, 13}, "(A: T, B: T, C: T?) -> (Y: T)", "T: float i32 i64 u32 u64")
          .Attributes<rt::GemmParams>()
          .Infer(InferGemm)
          .Sizes(
              {.function = "GemmShape", .header = "runtime/params/gemm.h", .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/gemm.h", .types = "T"}),
      Op("MatMul", {1, 13}, "(A: T, B: T) -> (Y: T)", "T: float i32 i64 u32 u64")
          .Infer(InferMatMul)
          .Sizes({.function = "MatMulShape",
                  .header = "runtime/params/mat_mul.h",
                  .arguments = "s0 s1"})
          .Kernel({.header = "runtime/kernels/mat_mul.h", .types = "T"}),
      Op("MatMulInteger", {10, 10},
         "(A: T1, B: T2, a_zero_point: T1?, b_zero_point: T2?) -> (Y: i32)", "T1: i8 u8; T2: i8 u8")
          .Infer(InferMatMulInteger)
          .Sizes({.function = "MatMulShape",
                  .header = "runtime/params/mat_mul.h",
                  .arguments = "s0 s1"})
          .Kernel({.header = "runtime/kernels/mat_mul_integer.h", .types = "T1 T2"}),
      Op("QLinearMatMul", {10, 21},
         "(a: T1, a_scale: TS, a_zero_point: T1, b: T2, b_scale: TS, b_zero_point: T2, "
         "y_scale: TS, y_zero_point: T3) -> (y: T3)",
         "TS: f32 f16 bf16; T1: i8 u8 float8; T2: i8 u8 float8; T3: i8 u8 float8")
          .Infer(InferQLinearMatMul)
          .Sizes({.function = "MatMulShape",
                  .header = "runtime/params/mat_mul.h",
                  .arguments = "s0 s3"})
          .Kernel({.header = "runtime/kernels/q_linear_mat_mul.h", .types = "T1 TS T2 T3"}),
  };
}

}  // namespace dragoman
