// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor, without attributes but for IsInf.
#include <iterator>

#include "core/ops/activation_formula.h"
#include "core/ops/elements.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "runtime/params/is_inf.h"

namespace dragoman {
namespace {

// A function of `types`, with the names that ai.onnx gives to its operand and result.
OpBuilder Unary(std::string_view type, OpVersions versions, std::string_view types, bool upper_case,
                InferFunction infer = SameTypeAsFirst) {
  return Op(type, versions, upper_case ? "(X: T) -> (Y: T)" : "(input: T) -> (output: T)",
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

using Values = std::vector<Value*>;

// In two's complement, −x − 1.
Result<Values> ExpandBitwiseNot(Node& node) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  return Values{formula.Add("Sub", {formula.Add("Sub", {zero, formula.x()}), one})};
}

// erfc(z) for z >= 0, in float32 to a few units in the last place: a Chebyshev series (Press et
// al., Numerical Recipes, section 6.2) in t = 1 / (1 + z/2),
//     t exp(-z² + series(t)),
// where z² = h² - (h - z)(h + z), and h, a multiple of 1/16 not far below z, has an exact square.
Result<Value*> ErfcOfPositive(ExpansionFormula& f, Value* z) {
  constexpr double kSeries[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                                -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
  constexpr double kZero = 30;  // from about 10 on, nothing is left
  DRAGOMAN_ASSIGN(Value * one, f.Number(1));
  DRAGOMAN_ASSIGN(Value * half, f.Number(0.5));
  DRAGOMAN_ASSIGN(Value * parts, f.Number(16));
  DRAGOMAN_ASSIGN(Value * far, f.Number(kZero));
  z = f.Add("Min", {z, far});
  Value* t = f.Add("Reciprocal", {f.Add("Add", {f.Add("Mul", {z, half}), one})});
  DRAGOMAN_ASSIGN(Value * series, f.Number(kSeries[0]));
  for (std::size_t i = 1; i < std::size(kSeries); ++i) {
    DRAGOMAN_ASSIGN(Value * next, f.Number(kSeries[i]));
    series = f.Add("Add", {f.Add("Mul", {series, t}), next});
  }
  Value* h = f.Add("Div", {f.Add("Floor", {f.Add("Mul", {z, parts})}), parts});
  Value* rest = f.Add("Mul", {f.Add("Sub", {h, z}), f.Add("Add", {h, z})});
  Value* coarse = f.Add("Exp", {f.Add("Neg", {f.Add("Mul", {h, h})})});
  Value* fine = f.Add("Exp", {f.Add("Add", {rest, series})});
  return f.Add("Mul", {f.Add("Mul", {t, fine}), coarse});
}

// 1 - erf(x) where that loses little: near 0, and in float64 everywhere.
Result<Values> ExpandErfc(Node& node) {
  constexpr double kNear = 0.5;
  ExpansionFormula formula(node);
  const Type type = formula.type();
  const bool is_double = type.dtype() == DType::kF64;
  formula.set_type(type.WithDType(is_double ? DType::kF64 : DType::kF32));
  Value* x = formula.Cast(formula.x(), formula.type());
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  Value* near = formula.Add("Sub", {one, formula.Add("Erf", {x})});
  if (is_double) return Values{near};
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * two, formula.Number(2));
  DRAGOMAN_ASSIGN(Value * limit, formula.Number(kNear));
  const Type truth = formula.type().WithDType(DType::kBool);
  Value* z = formula.Add("Abs", {x});
  DRAGOMAN_ASSIGN(Value * right, ErfcOfPositive(formula, z));
  Value* is_left = formula.Add("Less", {x, zero}, truth);
  Value* far = formula.Add("Where", {is_left, formula.Add("Sub", {two, right}), right});
  Value* is_near = formula.Add("Less", {z, limit}, truth);
  return Values{formula.Cast(formula.Add("Where", {is_near, near, far}), type)};
}

// The attributes of a HardSigmoid are too coarse for float64: x · max(0, min(1, x / 6 + 1/2)).
Result<Values> ExpandHardSwish(Node& node) {
  ExpansionFormula formula(node);
  if (formula.type().dtype() != DType::kF64) {
    Value* gate = formula.Add("HardSigmoid", {formula.x()});
    gate->producer()->SetAttribute("alpha", 1.0f / 6);
    gate->producer()->SetAttribute("beta", 0.5f);
    return Values{formula.Add("Mul", {formula.x(), gate})};
  }
  DRAGOMAN_ASSIGN(Value * six, formula.Number(6));
  DRAGOMAN_ASSIGN(Value * half, formula.Number(0.5));
  Value* line = formula.Add("Add", {formula.Add("Div", {formula.x(), six}), half});
  DRAGOMAN_ASSIGN(Value * gate, WithinUnit(formula, line));
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

Result<Values> ExpandMish(Node& node) {
  ExpansionFormula formula(node);
  Value* gate = formula.Add("Tanh", {formula.Add("Softplus", {formula.x()})});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

// max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
Result<Values> ExpandSoftplus(Node& node) {
  ExpansionFormula formula(node);
  Value* size = formula.Add("Abs", {formula.x()});
  Value* exp = formula.Add("Exp", {formula.Add("Neg", {size})});
  DRAGOMAN_ASSIGN(Value * log, LogOfOneAnd(formula, exp));
  return Values{formula.Add("Add", {formula.Add("Relu", {formula.x()}), log})};
}

Result<Values> ExpandSoftsign(Node& node) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  Value* divisor = formula.Add("Add", {formula.Add("Abs", {formula.x()}), one});
  return Values{formula.Add("Div", {formula.x(), divisor})};
}

}  // namespace

std::vector<OpDef> UnaryOps() {
  return {
      Unary("Abs", {1, 13}, "number", true, InferUnaryElements<AbsElement>)
          .Facts({.ends_zeros = true, .has_least = true}),
      Unary("Acos", {7, 22}, "float", false),
      Unary("Acosh", {9, 22}, "float", false),
      Unary("Asin", {7, 22}, "float", false),
      Unary("Asinh", {9, 22}, "float", false),
      Unary("Atan", {7, 22}, "float", false),
      Unary("Atanh", {9, 22}, "float", false),
      Unary("BitwiseNot", {18, 18}, "int", true).Expand(ExpandBitwiseNot),
      Unary("Ceil", {1, 13}, "float", true).Facts({.ends_zeros = true}),
      Unary("Cos", {7, 22}, "float", false)
          .Facts({.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false}),
      Unary("Cosh", {9, 22}, "float", false),
      Unary("Erf", {9, 13}, "float", false).Facts({.ends_zeros = true, .low = -1, .high = 1}),
      DragomanOp("Erfc", "(x: T) -> (y: T)", "T: float")
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Expand(ExpandErfc)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T"}),
      Unary("Exp", {1, 13}, "float", false).Facts({.ends_zeros = true, .has_least = true}),
      Unary("Floor", {1, 13}, "float", true).Facts({.ends_zeros = true}),
      Unary("HardSwish", {14, 22}, "float", true)
          .Facts({.ends_zeros = true, .has_least = true, .stays_near = true})
          .Expand(ExpandHardSwish),
      Op("IsInf", {10, 20}, "(X: T1) -> (Y: bool)", "T1: float float8")
          .Attributes<rt::IsInfParams>()
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T1"}),
      Op("IsNaN", {9, 20}, "(X: T1) -> (Y: bool)", "T1: float float8")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "T1"}),
      Unary("Log", {1, 13}, "float", false).Facts({.ends_zeros = true}),
      Unary("Mish", {18, 22}, "float", true)
          .Facts({.has_least = true, .stays_near = true})
          .Expand(ExpandMish),
      Unary("Neg", {1, 13}, "number", true, InferUnaryElements<NegElement>)
          .Facts({.ends_zeros = true}),
      Op("Not", {1, 1}, "(X: bool) -> (Y: bool)", "")
          .Facts({.ends_zeros = true})
          .Infer(InferUnaryElements<NotElement>)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unary.h", .types = "bool"}),
      Unary("Reciprocal", {1, 13}, "float", true),
      Unary("Relu", {1, 14}, "number", true, InferUnaryElements<ReluElement>)
          .Facts({.ends_zeros = true, .has_least = true}),
      Unary("Round", {11, 22}, "float", true).Facts({.ends_zeros = true}),
      Unary("Sigmoid", {1, 13}, "float", true).Facts({.ends_zeros = true, .low = 0, .high = 1}),
      Unary("Sign", {9, 13}, "number", false, InferUnaryElements<SignElement>)
          .Facts({.ends_zeros = true}),
      Unary("Sin", {7, 22}, "float", false)
          .Facts({.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false}),
      Unary("Sinh", {9, 22}, "float", false),
      Unary("Softplus", {1, 22}, "float", true)
          .Facts({.ends_zeros = true, .has_least = true})
          .Expand(ExpandSoftplus),
      Unary("Softsign", {1, 22}, "float", false)
          .Facts({.ends_zeros = true, .low = -1, .high = 1, .of_infinities = false})
          .Expand(ExpandSoftsign),
      Unary("Sqrt", {1, 13}, "float", true).Facts({.ends_zeros = true, .has_least = true}),
      Unary("Tan", {7, 22}, "float", false),
      Unary("Tanh", {1, 13}, "float", false).Facts({.ends_zeros = true, .low = -1, .high = 1}),
  };
}

}  // namespace dragoman
