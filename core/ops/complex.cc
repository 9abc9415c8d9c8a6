// SPDX-License-Identifier: Apache-2.0
// dragoman.ComplexToReal and dragoman.RealToComplex: the border between complex tensors, as a
// model's interface may have them, and pairs of real numbers, with which everything is computed.
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Status InferComplexToReal(InferContext& context) {
  const DType part = context.dtype(0) == DType::kC128 ? DType::kF64 : DType::kF32;
  std::optional<Shape> shape;
  if (context.dtype(0) == DType::kUnknown) return {};
  if (const Shape* x = context.shape(0)) {
    shape = *x;
    shape->push_back(Dim(2));
  }
  context.SetType(0, Type::Tensor(part, std::move(shape)));
  return {};
}

Status InferRealToComplex(InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 1));
  if (context.dtype(0) == DType::kUnknown) return {};
  const DType whole = context.dtype(0) == DType::kF64 ? DType::kC128 : DType::kC64;
  std::optional<Shape> shape;
  if (const Shape* x = context.shape(0)) {
    if (Equal(x->back(), Dim(2)) == Truth::kNo)
      return context.Fail("the last axis has size " + x->back().ToString() + ", expected 2");
    shape = Shape(x->begin(), x->end() - 1);
  }
  context.SetType(0, Type::Tensor(whole, std::move(shape)));
  return {};
}

}  // namespace

std::vector<OpDef> ComplexOps() {
  constexpr std::string_view kTypes = "C: complex; R: f32 f64";
  return {
      DragomanOp("ComplexToReal", "(x: C) -> (y: R)", kTypes)
          .Infer(InferComplexToReal)
          .Kernel({.header = "runtime/kernels/complex_parts.h", .types = "C R"}),
      DragomanOp("RealToComplex", "(x: R) -> (y: C)", kTypes)
          .Infer(InferRealToComplex)
          .Kernel({.header = "runtime/kernels/complex_parts.h", .types = "C R"}),
  };
}

}  // namespace dragoman
