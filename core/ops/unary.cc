// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor, without attributes but for IsInf.
#include "core/ops/elements.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/younger_ops.h"
#include "runtime/params/is_inf.h"

namespace dragoman {
namespace {

// A function of `types`, with the names that ai.onnx gives to its operand and result.
OpBuilder Unary(std::string_view type, std::string_view types, bool upper_case,
                InferFunction infer = SameTypeAsFirst) {
  return Op(type, upper_case ? "(X: T) -> (Y: T)" : "(input: T) -> (output: T)",
            "T: " + std::string(types))
      .Infer(std::move(infer))
      .Class(OpClass::kUnary)
      .Kernel({.header = "runtime/kernels/unary.h", .types = "T"});
}

// A function whose elements are followed.
template <ElementFunction function>
Status InferUnaryElements(InferContext& context) {
  DRAGOMAN_TRY(SameShapeAsFirst(context));
  MapElements(context, function);
  return {};
}

Dim NegElement(const InferContext&, std::span<const Dim> x) { return Dim(0) - x[0]; }

Dim AbsElement(const InferContext&, std::span<const Dim> x) {
  const DimRange range = RangeOf(x[0]);
  if (range.lower >= 0) return x[0];
  return range.upper <= 0 ? Dim(0) - x[0] : Dim::Unknown();
}

Dim ReluElement(const InferContext&, std::span<const Dim> x) { return Max(x[0], Dim(0)); }

Dim SignElement(const InferContext&, std::span<const Dim> x) {
  const DimRange range = RangeOf(x[0]);
  if (range.lower > 0) return Dim(1);
  if (range.upper < 0) return Dim(-1);
  return Equal(x[0], Dim(0)) == Truth::kYes ? Dim(0) : Dim::Unknown();
}

Dim NotElement(const InferContext&, std::span<const Dim> x) {
  const Truth truth = ToTruth(x[0]);
  if (truth == Truth::kUnknown) return Dim::Unknown();
  return Dim(truth == Truth::kYes ? 0 : 1);
}

}  // namespace

std::vector<OpDef> UnaryOps() {
  return {
      Unary("Abs", "number", true, InferUnaryElements<AbsElement>),
      Unary("Acos", "float", false),
      Unary("Acosh", "float", false),
      Unary("Asin", "float", false),
      Unary("Asinh", "float", false),
      Unary("Atan", "float", false),
      Unary("Atanh", "float", false),
      Unary("BitwiseNot", "int", true).Expand(ExpandBitwiseNot),
      Unary("Ceil", "float", true),
      Unary("Cos", "float", false),
      Unary("Cosh", "float", false),
      Unary("Erf", "float", false),
      DragomanOp("Erfc", "(x: T) -> (y: T)", "T: float")
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Expand(ExpandErfc)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T"}),
      Unary("Exp", "float", false),
      Unary("Floor", "float", true),
      Unary("HardSwish", "float", true).Expand(ExpandHardSwish),
      Op("IsInf", "(X: T1) -> (Y: bool)", "T1: float float8")
          .Attributes<rt::IsInfParams>()
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T1"}),
      Op("IsNaN", "(X: T1) -> (Y: bool)", "T1: float float8")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T1"}),
      Unary("Log", "float", false),
      Unary("Mish", "float", true).Expand(ExpandMish),
      Unary("Neg", "number", true, InferUnaryElements<NegElement>),
      Op("Not", "(X: bool) -> (Y: bool)", "")
          .Infer(InferUnaryElements<NotElement>)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "bool"}),
      Unary("Reciprocal", "float", true),
      Unary("Relu", "number", true, InferUnaryElements<ReluElement>),
      Unary("Round", "float", true),
      Unary("Sigmoid", "float", true),
      Unary("Sign", "number", false, InferUnaryElements<SignElement>),
      Unary("Sin", "float", false),
      Unary("Sinh", "float", false),
      Unary("Softplus", "float", true),
      Unary("Softsign", "float", false),
      Unary("Sqrt", "float", true),
      Unary("Tan", "float", false),
      Unary("Tanh", "float", false),
  };
}

}  // namespace dragoman
