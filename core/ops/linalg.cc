// SPDX-License-Identifier: Apache-2.0
// Operators on the matrices that the last two axes of a tensor hold: ONNX's Det, and factorisations
// as LAPACK defines them.
#include "core/ir/node_attributes.h"
#include "core/ops/infer_context.h"
#include "core/ops/matrix_formulas.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "runtime/params/eigen.h"
#include "runtime/params/triangular_solve.h"

namespace dragoman {
namespace {

Status CheckSquare(const InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  const Shape* x = context.shape(0);
  if (x == nullptr || Equal((*x)[x->size() - 2], x->back()) != Truth::kNo) return {};
  return context.Fail("the matrices are " + (*x)[x->size() - 2].ToString() + " by " +
                      x->back().ToString() + ", expected square ones");
}

// The sizes of operand 0 but its last `count`, and `more` after them.
Shape WithLast(const InferContext& context, std::size_t count, std::initializer_list<Dim> more) {
  const Shape& x = *context.shape(0);
  Shape shape(x.begin(), x.end() - static_cast<std::ptrdiff_t>(count));
  shape.insert(shape.end(), more);
  return shape;
}

Dim Smaller(const InferContext& context) {
  const Shape& x = *context.shape(0);
  return Min(x[x.size() - 2], x.back());
}

Status InferDet(InferContext& context) {
  DRAGOMAN_TRY(CheckSquare(context));
  if (context.shape(0) != nullptr) context.SetShape(0, WithLast(context, 2, {}));
  return {};
}

// (factors, a number for each of the smaller size)
Status InferFactors(InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  if (context.shape(0) != nullptr) context.SetShape(1, WithLast(context, 2, {Smaller(context)}));
  return SameTypeAsFirst(context);
}

Status InferLuFactor(InferContext& context) {
  if (context.shape(0) != nullptr && context.shape(0)->size() >= 2)
    context.SetShape(2, WithLast(context, 1, {}));
  return InferFactors(context);
}

Status InferCholesky(InferContext& context) {
  DRAGOMAN_TRY(CheckSquare(context));
  if (context.shape(0) != nullptr) context.SetShape(1, WithLast(context, 2, {}));
  return SameTypeAsFirst(context);
}

Status InferHouseholderProduct(InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  if (const Shape* tau = context.shape(1); tau != nullptr && context.shape(0) != nullptr) {
    DRAGOMAN_TRY(CheckShape(context, 1, WithLast(context, 2, {tau->back()})));
    const Dim columns = context.shape(0)->back();
    if (columns.known() && tau->back().known() && tau->back().value() > columns.value())
      return context.Fail("there are more reflections than columns");
    const Dim rows = (*context.shape(0))[context.shape(0)->size() - 2];
    if (columns.known() && rows.known() && rows.value() < columns.value())
      return context.Fail("there are more columns than rows");
  }
  return SameTypeAsFirst(context);
}

Status InferSymmetricEigen(InferContext& context) {
  DRAGOMAN_TRY(CheckSquare(context));
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  context.SetShape(0, WithLast(context, 1, {}));
  context.SetShape(1, *x);
  return {};
}

// (values, vectors), both as pairs; the matrices may be such, too.
Status InferEigen(InferContext& context) {
  const bool complex = IntAttribute(context.node(), "complex", 0) != 0;
  const std::size_t pairs = complex ? 1 : 0;
  DRAGOMAN_TRY(CheckMinRank(context, 0, static_cast<int>(2 + pairs)));
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  const Dim rows = (*x)[x->size() - 2 - pairs], columns = (*x)[x->size() - 1 - pairs];
  if (Equal(rows, columns) == Truth::kNo)
    return context.Fail("the matrices are " + rows.ToString() + " by " + columns.ToString() +
                        ", expected square ones");
  if (complex && Equal(x->back(), Dim(2)) == Truth::kNo)
    return context.Fail("the last axis has " + x->back().ToString() + " parts, expected 2");
  context.SetShape(0, WithLast(context, 1 + pairs, {Dim(2)}));
  context.SetShape(1, WithLast(context, pairs, {Dim(2)}));
  return {};
}

Status InferSvd(InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  const Dim n = Smaller(context);
  context.SetShape(0, WithLast(context, 1, {n}));
  context.SetShape(1, WithLast(context, 2, {n}));
  context.SetShape(2, WithLast(context, 2, {n, x->back()}));
  return {};
}

Status InferTriangularSolve(InferContext& context) {
  DRAGOMAN_TRY(CheckSquare(context));
  DRAGOMAN_TRY(CheckMinRank(context, 1, 2));
  const Shape* b = context.shape(1);
  if (b == nullptr) return {};
  if (context.shape(0) != nullptr)
    DRAGOMAN_TRY(CheckShape(context, 1, WithLast(context, 1, {b->back()})));
  context.SetShape(0, *b);
  return {};
}

KernelBinding Factors() {
  return {.header = "runtime/kernels/matrix_factors.h", .types = "T", .scratch = true};
}

}  // namespace

std::vector<OpDef> LinalgOps() {
  constexpr std::string_view kTypes = "T: f32 f64";
  return {
      Op("Det", {11, 22}, "(X: T) -> (Y: T)", "T: f16 f32 f64")
          .Infer(InferDet)
          .Kernel(Factors())
          .Expand(ExpandDet),
      DragomanOp("Cholesky", "(x: T) -> (l: T, info: i64?)", kTypes)
          .Infer(InferCholesky)
          .Kernel(Factors())
          .Expand(ExpandCholesky),
      DragomanOp("Eigen", "(x: T) -> (values: T, vectors: T?)", kTypes)
          .Attributes<rt::EigenParams>()
          .Infer(InferEigen)
          .Kernel({.header = "runtime/kernels/eigen.h", .types = "T", .scratch = true}),
      DragomanOp("HouseholderProduct", "(factors: T, tau: T) -> (q: T)", kTypes)
          .Infer(InferHouseholderProduct)
          .Kernel(Factors()),
      DragomanOp("HouseholderQr", "(x: T) -> (factors: T, tau: T)", kTypes)
          .Infer(InferFactors)
          .Kernel(Factors()),
      DragomanOp("LuFactor", "(x: T) -> (lu: T, pivots: i64, rows: i64?)", kTypes)
          .Infer(InferLuFactor)
          .Kernel(Factors())
          .Expand(ExpandLuFactor),
      DragomanOp("Svd", "(x: T) -> (u: T?, s: T, vh: T?)", kTypes)
          .Infer(InferSvd)
          .Kernel(Factors()),
      DragomanOp("SymmetricEigen", "(x: T) -> (values: T, vectors: T?)", kTypes)
          .Infer(InferSymmetricEigen)
          .Kernel(Factors()),
      DragomanOp("TriangularSolve", "(a: T, b: T) -> (x: T)", kTypes)
          .Attributes<rt::TriangularSolveParams>()
          .Infer(InferTriangularSolve)
          .Kernel({.header = "runtime/kernels/triangular_solve.h", .types = "T", .scratch = true})
          .Expand(ExpandTriangularSolve),
  };
}

}  // namespace dragoman
