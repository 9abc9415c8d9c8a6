// SPDX-License-Identifier: Apache-2.0
// Functions of single elements, with NumPy's broadcasting.
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <string>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "core/lowering/elu.h"
#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// Operators that the common dialect has under the name of the row's target.
Value* LowerUnary(Call& c) { return c.Op(c.target(), {c.Tensor(0)}); }
Value* LowerBinary(Call& c) { return c.Op(c.target(), {c.Tensor(0), c.Tensor(1)}); }

// Of texts: one after the other.
Value* LowerAdd(Call& c) {
  Value* x = c.Tensor(0);
  const bool is_text = c.dtype(x) == DType::kString;
  return c.Op(is_text ? "StringConcat" : "Add", {x, c.Tensor(1)});
}

Value* LowerIdentity(Call& c) { return c.Tensor(0); }

// Integers are whole.
Value* LowerRounding(Call& c) {
  Value* x = c.Tensor(0);
  return IsInteger(c.dtype(x)) ? x : c.Op(c.target(), {x});
}

Value* LowerAbs(Call& c) {
  Value* x = c.Tensor(0);
  return IsComplex(c.dtype(x)) ? Magnitude(c, PartsOf(c, x)) : c.Abs(x);
}

Value* LowerAddN(Call& c) {
  const std::vector<Value*> terms = c.Tensors(0, c.num_operands());
  if (terms.empty()) return c.Fail(InvalidInput("there is nothing to add"));
  if (c.failed()) return nullptr;
  if (terms.size() > 2 && !IsComplex(c.dtype(terms[0]))) return c.Op("Sum", terms);
  Value* sum = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) sum = c.Add(sum, terms[i]);
  return sum;
}

// x / y, 0 where y is 0.
Value* LowerDivNoNan(Call& c) {
  Value* y = c.Tensor(1);
  Value* zero = c.Equal(y, 0);
  return c.Where(zero, 0, c.Div(c.Tensor(0), c.Where(zero, 1, y)));
}

// x · y, 0 where y is 0.
Value* LowerMulNoNan(Call& c) {
  Value* y = c.Tensor(1);
  return c.Where(c.Equal(y, 0), 0, c.Mul(c.Tensor(0), y));
}

Value* LowerFloorDiv(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  return IsInteger(c.dtype(a)) ? FloorQuotient(c, a, b) : c.Floor(c.Div(a, b));
}

Value* LowerFloorMod(Call& c) { return Remainder(c, c.Tensor(0), c.Tensor(1)); }

// The remainder of C, with the dividend's sign.
Value* LowerTruncateMod(Call& c) {
  return c.Op("Mod", {c.Tensor(0), c.Tensor(1)}, {{"fmod", std::int64_t{1}}});
}

Value* LowerTruncateDiv(Call& c) { return TruncQuotient(c, c.Tensor(0), c.Tensor(1)); }

Value* LowerNotEqual(Call& c) { return c.NotEqual(c.Tensor(0), c.Tensor(1)); }

Value* LowerSquare(Call& c) {
  Value* x = c.Tensor(0);
  return c.Mul(x, x);
}

// Of complex numbers: |x - y|², which is real, as a complex number.
Value* LowerSquaredDifference(Call& c) {
  Value* difference = c.Sub(c.Tensor(0), c.Tensor(1));
  return c.Mul(difference, IsComplex(c.dtype(difference)) ? Conjugate(c, difference) : difference);
}

// Of complex numbers: x / |x|, 0 where x is 0.
Value* LowerSign(Call& c) {
  Value* x = c.Tensor(0);
  if (!IsComplex(c.dtype(x))) return c.Op("Sign", {x});
  const Parts parts = PartsOf(c, x);
  Value* size = Magnitude(c, parts);
  size = c.Where(c.Equal(size, 0), 1, size);
  return FromParts(c, {c.Div(parts.re, size), c.Div(parts.im, size)});
}

Value* LowerRsqrt(Call& c) { return c.Op("Reciprocal", {c.Sqrt(c.Tensor(0))}); }

Value* LowerExpm1(Call& c) {
  Value* x = c.Tensor(0);
  Value* wide = c.Widen(x);
  // Far from 0 the difference is exact, and the form for small x is of infinite factors.
  return c.CastLike(c.Where(c.Less(c.Abs(wide), 1), Expm1(c, wide), c.Sub(c.Exp(wide), 1)), x);
}

Value* LowerLog1p(Call& c) {
  Value* x = c.Tensor(0);
  return c.CastLike(Log1p(c, c.Widen(x)), x);
}

Value* LowerAtan2(Call& c) {
  Value* y = c.Tensor(0);
  Value* x = c.Tensor(1);
  Value* shape = c.Op("Shape", {c.Add(y, x)});
  Value* wide_y = c.Expand(c.Widen(y), shape);
  return c.CastLike(Atan2(c, wide_y, c.Expand(c.Widen(x), shape)), y);
}

// x · log y and their kin: 0 where x is 0, whatever y is.
Value* LowerXlogy(Call& c) {
  Value* x = c.Tensor(0);
  return c.Where(c.Equal(x, 0), 0, c.Mul(x, c.Log(c.Tensor(1))));
}
Value* LowerXlog1py(Call& c) {
  Value* x = c.Tensor(0);
  return c.Where(c.Equal(x, 0), 0, c.Mul(x, Log1p(c, c.Tensor(1))));
}
Value* LowerXdivy(Call& c) {
  Value* x = c.Tensor(0);
  return c.Where(c.Equal(x, 0), 0, c.Div(x, c.Tensor(1)));
}

Value* LowerIsNan(Call& c) { return IsNaN(c, c.Tensor(0)); }
Value* LowerIsInf(Call& c) { return IsInf(c, c.Tensor(0), true, true); }
Value* LowerIsFinite(Call& c) {
  Value* x = c.Tensor(0);
  return c.Not(c.Or(IsInf(c, x, true, true), IsNaN(c, x)));
}

Value* LowerClipByValue(Call& c) { return c.Max(c.Min(c.Tensor(0), c.Tensor(2)), c.Tensor(1)); }

Value* LowerCast(Call& c) {
  Value* x = c.Tensor(0);
  const DType to = c.TypeAttribute("DstT");
  if (!c.failed() && IsHalf(to) && c.BoolAttribute("Truncate") && c.dtype(x) != to)
    return c.Fail("Truncate, digits that are cut off in place of rounding, is not supported");
  if (IsComplex(c.dtype(x)) && !IsComplex(to)) x = PartsOf(c, x).re;
  return c.Cast(x, to);
}

Value* LowerRelu6(Call& c) {
  Value* x = c.Tensor(0);
  return c.Op("Clip", {x, c.Number(0, x), c.Number(6, x)});
}

Value* LowerSelu(Call& c) {
  Value* x = c.Tensor(0);
  return c.dtype(x) == DType::kF64 ? ScaledElu(c, x, kSeluAlpha, kSeluScale) : c.Op("Selu", {x});
}

Value* LowerLeakyRelu(Call& c) {
  const double alpha = c.FloatAttribute("alpha");
  return c.Op("LeakyRelu", {c.Tensor(0)}, {{"alpha", static_cast<float>(alpha)}});
}

Value* LowerComplex(Call& c) { return FromParts(c, {c.Tensor(0), c.Tensor(1)}); }
Value* LowerReal(Call& c) { return PartsOf(c, c.Tensor(0)).re; }
Value* LowerImag(Call& c) { return PartsOf(c, c.Tensor(0)).im; }
Value* LowerConj(Call& c) {
  Value* x = c.Tensor(0);
  return IsComplex(c.dtype(x)) ? Conjugate(c, x) : x;
}
Value* LowerAngle(Call& c) { return Angle(c, PartsOf(c, c.Tensor(0))); }

// Condition of rank 1 chooses rows.
Value* LowerSelect(Call& c) {
  Value* condition = c.Tensor(0);
  Value* a = c.Tensor(1);
  Value* b = c.Tensor(2);
  if (c.MaybeRank(condition) == 0) return c.Where(condition, a, b);
  const int rank = c.Rank(a);
  if (c.Rank(condition) == 1 && rank > 1) {
    // One for each row, not one for all.
    const Ints ones(static_cast<std::size_t>(rank - 1), 1);
    condition = c.Reshape(condition, c.ConcatSizes({c.SizeVector(a, 0, 1), c.Ints(ones)}));
  }
  return c.Where(condition, a, b);
}

Value* LowerSelectV2(Call& c) { return c.Where(c.Tensor(0), c.Tensor(1), c.Tensor(2)); }

Value* LowerApproximateEqual(Call& c) {
  const double tolerance = c.FloatAttribute("tolerance");
  return c.Less(c.Abs(c.Sub(c.Tensor(0), c.Tensor(1))), tolerance);
}

// The sizes that the attribute states are checked when the program runs, unless they are known.
Value* LowerEnsureShape(Call& c) {
  Value* x = c.Tensor(0);
  const std::optional<Shape> shape = c.ShapeAttribute("shape");
  if (!shape || c.failed()) return x;
  const int rank = c.Rank(x);
  if (rank != static_cast<int>(shape->size()))
    return c.Fail(InvalidInput("a tensor of rank " + std::to_string(rank) + ", expected rank " +
                               std::to_string(shape->size())));
  for (int axis = 0; axis < rank; ++axis) {
    const Dim& wanted = (*shape)[static_cast<std::size_t>(axis)];
    if (!wanted.known()) continue;
    const Dim& size = (*x->type().shape())[static_cast<std::size_t>(axis)];
    if (Equal(size, wanted) == Truth::kYes) continue;
    c.Assert(c.Equal(c.Size(x, axis), c.Int(wanted.value())),
             "the size of axis " + std::to_string(axis) + " of '" + c.node().name() + "' is not " +
                 std::to_string(wanted.value()));
    if (c.failed()) return nullptr;
  }
  return x;
}

Value* LowerInvert(Call& c) { return c.Op("BitwiseNot", {c.Tensor(0)}); }

}  // namespace

std::span<const OpRow> ElementwiseRows() {
  static constexpr OpRow kRows[] = {
      {"Abs", LowerAbs},
      {"AccumulateNV2", LowerAddN},
      {"Acos", LowerUnary, "Acos"},
      {"Acosh", LowerUnary, "Acosh"},
      {"Add", LowerAdd},
      {"AddN", LowerAddN},
      {"AddV2", LowerBinary, "Add"},
      {"Angle", LowerAngle},
      {"ApproximateEqual", LowerApproximateEqual},
      {"Asin", LowerUnary, "Asin"},
      {"Asinh", LowerUnary, "Asinh"},
      {"Atan", LowerUnary, "Atan"},
      {"Atan2", LowerAtan2},
      {"Atanh", LowerUnary, "Atanh"},
      {"BitwiseAnd", LowerBinary, "BitwiseAnd"},
      {"BitwiseOr", LowerBinary, "BitwiseOr"},
      {"BitwiseXor", LowerBinary, "BitwiseXor"},
      {"Cast", LowerCast},
      {"Ceil", LowerUnary, "Ceil"},
      {"ClipByValue", LowerClipByValue},
      {"Complex", LowerComplex},
      {"ComplexAbs", LowerAbs},
      {"Conj", LowerConj},
      {"Copy", LowerIdentity},
      {"CopyHost", LowerIdentity},
      {"Cos", LowerUnary, "Cos"},
      {"Cosh", LowerUnary, "Cosh"},
      {"DebugGradientIdentity", LowerIdentity},
      {"DebugIdentity", LowerIdentity},
      {"DebugIdentityV2", LowerIdentity},
      {"DebugIdentityV3", LowerIdentity},
      {"DecodeBase64", LowerUnary, "dragoman.Base64Decode"},
      {"DeepCopy", LowerIdentity},
      {"Div", LowerBinary, "Div"},
      {"DivNoNan", LowerDivNoNan},
      {"Elu", LowerUnary, "Elu"},
      {"EnsureShape", LowerEnsureShape},
      {"Equal", LowerBinary, "Equal"},
      {"Erf", LowerUnary, "Erf"},
      {"Erfc", LowerUnary, "dragoman.Erfc"},
      {"Exp", LowerUnary, "Exp"},
      {"Expm1", LowerExpm1},
      {"Floor", LowerUnary, "Floor"},
      {"FloorDiv", LowerFloorDiv},
      {"FloorMod", LowerFloorMod},
      {"Greater", LowerBinary, "Greater"},
      {"GreaterEqual", LowerBinary, "GreaterOrEqual"},
      {"GuaranteeConst", LowerIdentity},
      {"Identity", LowerIdentity},
      {"Imag", LowerImag},
      {"Inv", LowerUnary, "Reciprocal"},
      {"Invert", LowerInvert},
      {"IsFinite", LowerIsFinite},
      {"IsInf", LowerIsInf},
      {"IsNan", LowerIsNan},
      {"LeakyRelu", LowerLeakyRelu},
      {"Less", LowerBinary, "Less"},
      {"LessEqual", LowerBinary, "LessOrEqual"},
      {"Log", LowerUnary, "Log"},
      {"Log1p", LowerLog1p},
      {"LogicalAnd", LowerBinary, "And"},
      {"LogicalNot", LowerUnary, "Not"},
      {"LogicalOr", LowerBinary, "Or"},
      {"Maximum", LowerBinary, "Max"},
      {"Minimum", LowerBinary, "Min"},
      {"Mod", LowerTruncateMod},
      {"Mul", LowerBinary, "Mul"},
      {"MulNoNan", LowerMulNoNan},
      {"Neg", LowerUnary, "Neg"},
      {"NotEqual", LowerNotEqual},
      {"PlaceholderWithDefault", LowerIdentity},
      {"Pow", LowerBinary, "Pow"},
      {"Prelu", LowerBinary, "PRelu"},
      {"PreventGradient", LowerIdentity},
      {"Real", LowerReal},
      {"RealDiv", LowerBinary, "Div"},
      {"Reciprocal", LowerUnary, "Reciprocal"},
      {"Relu", LowerUnary, "Relu"},
      {"Relu6", LowerRelu6},
      {"Rint", LowerUnary, "Round"},
      {"Round", LowerRounding, "Round"},
      {"Rsqrt", LowerRsqrt},
      {"Select", LowerSelect},
      {"SelectV2", LowerSelectV2},
      {"Selu", LowerSelu},
      {"Sigmoid", LowerUnary, "Sigmoid"},
      {"Sign", LowerSign},
      {"Sin", LowerUnary, "Sin"},
      {"Sinh", LowerUnary, "Sinh"},
      {"Snapshot", LowerIdentity},
      {"Softplus", LowerUnary, "Softplus"},
      {"Softsign", LowerUnary, "Softsign"},
      {"Sqrt", LowerUnary, "Sqrt"},
      {"Square", LowerSquare},
      {"SquaredDifference", LowerSquaredDifference},
      {"StopGradient", LowerIdentity},
      {"Sub", LowerBinary, "Sub"},
      {"Tan", LowerUnary, "Tan"},
      {"Tanh", LowerUnary, "Tanh"},
      {"TruncateDiv", LowerTruncateDiv},
      {"TruncateMod", LowerTruncateMod},
      {"UnicodeScript", LowerUnary, "dragoman.UnicodeScript"},
      {"Xdivy", LowerXdivy},
      {"Xlog1py", LowerXlog1py},
      {"Xlogy", LowerXlogy},
  };
  return kRows;
}

}  // namespace dragoman::tf
