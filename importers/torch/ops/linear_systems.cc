// SPDX-License-Identifier: Apache-2.0
// Determinants, inverses and solutions of systems of linear equations.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>

#include "core/lowering/complex.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/matrices.h"

namespace dragoman::torch {

Value* TakeMatrices(CallComposer& c, std::string_view name) {
  Value* a = c.Tensor(name);
  const DType part = RealPart(c.dtype(a));
  if (part != DType::kF32 && part != DType::kF64)
    return c.Fail("matrices of " + std::string(Name(c.dtype(a))));
  if (c.Rank(a) < 2 && !c.failed()) return c.Fail(InvalidInput("expected matrices"));
  return a;
}

Value* Transposed(Composer& c, Value* x) {
  const int rank = c.Rank(x);
  if (rank < 2 && !c.failed()) return c.Fail(InvalidInput("expected matrices"));
  return c.SwapAxes(x, rank - 2, rank - 1);
}

Value* Rows(Composer& c, Value* x) { return c.Size(x, c.Rank(x) - 2); }
Value* Columns(Composer& c, Value* x) { return c.Size(x, c.Rank(x) - 1); }

Value* OnDiagonal(Composer& c, Value* rows, Value* columns) {
  return c.Equal(c.Unsqueeze(c.Iota(rows), {1}), c.Iota(columns));
}

Value* DiagonalOf(Composer& c, Value* x) {
  Value* diagonal = c.Where(OnDiagonal(c, Rows(c, x), Columns(c, x)), x, 0);
  return c.ReduceSum(diagonal, {c.Rank(x) - 1});
}

Value* UnitLike(Composer& c, Value* x) {
  Value* rows = Rows(c, x);
  Value* unit = c.Cast(OnDiagonal(c, rows, rows), RealPart(c.dtype(x)));
  const int rank = c.Rank(x);
  Value* n = c.Vector(rows);
  if (rank == 2) return unit;
  return c.Expand(unit, c.ConcatSizes({c.SizeVector(x, 0, rank - 2), n, n}));
}

Value* Lower(Composer& c, Value* x) { return c.Op("Trilu", {x}, {{"upper", std::int64_t{0}}}); }
Value* Upper(Composer& c, Value* x) { return c.Op("Trilu", {x}); }

namespace {

// `x` with its leading sizes broadcast to those of `like` too.
Value* WithBatchOf(Composer& c, Value* x, Value* like) {
  const int rank = c.Rank(like);
  if (rank <= 2) return x;
  return c.Expand(x, c.ConcatSizes({c.SizeVector(like, 0, rank - 2), c.Ints({1, 1})}));
}

// Row rows[i] of each matrix of `b` becomes row i.
Value* PermuteRows(Composer& c, Value* b, Value* rows) {
  Value* indices = c.Unsqueeze(rows, {c.Rank(rows)});
  return c.Op("GatherElements", {b, c.Expand(indices, c.Shape(b))},
              {{"axis", std::int64_t{c.Rank(b) - 2}}});
}

Lu FactorLu(Composer& c, Value* a) {
  if (AnyComplex(c, {a})) return FactorComplexLu(c, a);
  const std::vector<Value*> results = c.Ops("dragoman.LuFactor", {a}, {}, 3);
  return {results[0], results[1], results[2]};
}

// The order of rows that exchanging each row i with row pivots[i] gives, of `n` rows.
Value* RowsOf(Composer& c, Value* pivots, std::int64_t n) {
  const int last = c.Rank(pivots) - 1;
  const std::optional<std::int64_t> count = c.KnownSize(pivots, last);
  constexpr std::int64_t kMostRows = 128;
  if (!count || n > kMostRows)
    return c.Fail("the pivots of matrices this large, or of unknown size");
  Value* one = c.Expand(c.Int(0), c.ConcatSizes({c.SizeVector(pivots, 0, last), c.Ints({1})}));
  Value* places = c.Iota(c.Int(n));
  Value* order = c.Add(one, places);
  for (std::int64_t i = 0; i < *count; ++i) {
    Value* other = c.Slice(pivots, last, i, i + 1);
    Value* here = c.Slice(order, last, i, i + 1);
    Value* there = c.Op("GatherElements", {order, other}, {{"axis", std::int64_t{last}}});
    order = c.Where(c.Equal(places, other), here, order);
    order = c.Where(c.Equal(places, c.Int(i)), there, order);
  }
  return order;
}

Value* SolveFactored(Composer& c, Value* factors, Value* rows, Value* b) {
  b = WithBatchOf(c, b, factors);
  const int rank = c.Rank(b);
  Value* sizes = rank > 2 ? c.ConcatSizes({c.SizeVector(b, 0, rank - 2), c.Ints({1})}) : nullptr;
  Value* order = sizes != nullptr ? c.Expand(rows, sizes) : rows;
  Value* half = SolveTriangular(c, factors, PermuteRows(c, b, order), {.unit = true});
  return SolveTriangular(c, factors, half, {.upper = true});
}

// The row of complex matrices, from 1, of a row of their blocks; 0 of 0.
Value* HalfRoundedUp(Composer& c, Value* row) { return c.Div(c.Add(row, 1), 2); }

// The position, from 1, of the first zero on the diagonal, or 0; int32.
Value* FirstZero(Composer& c, Value* factors) {
  const int rank = c.Rank(factors);
  Value* rows = Rows(c, factors);
  Value* zero = c.And(OnDiagonal(c, rows, Columns(c, factors)), c.Equal(factors, 0));
  Value* order = c.Unsqueeze(c.Add(c.Iota(rows), 1), {1});
  Value* none = c.Add(rows, 2);
  Value* least = c.Reduce("ReduceMin", c.Where(zero, order, none), {rank - 2, rank - 1}, false);
  Value* first = c.Min(least, none);  // also of matrices without elements
  return c.Cast(c.Where(c.Equal(first, none), 0, first), DType::kI32);
}

// The same of matrices that are not factored yet.
Value* SingularAt(Composer& c, Value* a) {
  if (!AnyComplex(c, {a})) return FirstZero(c, FactorLu(c, a).factors);
  return HalfRoundedUp(c, FirstZero(c, FactorLu(c, BlocksOf(c, a)).factors));
}

// Whether `b` holds a vector, not a matrix, for each matrix of `a`.
bool HoldsVectors(Composer& c, Value* a, Value* b) {
  const int rank_a = c.Rank(a);
  const int rank_b = c.Rank(b);
  if (rank_b == 1) return true;
  if (rank_b != rank_a - 1) return false;
  for (int i = 0; i < rank_b; ++i) {
    if (c.KnownSize(a, i) != c.KnownSize(b, i)) return false;
  }
  return true;
}

Value* SolveGiven(CallComposer& c, Value* a, Value* b) {
  const bool left = c.BoolOr("left", true);
  const bool vectors = HoldsVectors(c, a, b);
  if (vectors) b = c.Unsqueeze(b, {c.Rank(b)});
  if (!left && !vectors) return Transposed(c, Solve(c, Transposed(c, a), Transposed(c, b)));
  Value* x = Solve(c, a, b);
  return vectors ? c.Squeeze(x, {c.Rank(x) - 1}) : x;
}

// Unit matrices of the elements of `x`.
Value* UnitOf(Composer& c, Value* x) {
  Value* unit = UnitLike(c, x);
  return AnyComplex(c, {x}) ? FromParts(c, {unit, c.Mul(unit, 0)}) : unit;
}

// -1 for each row that was exchanged with another, else 1.
Value* SignsOf(Composer& c, const Lu& lu, DType dtype) {
  Value* exchanged = c.NotEqual(lu.pivots, c.Iota(c.Size(lu.pivots, c.Rank(lu.pivots) - 1)));
  return c.Cast(c.Where(exchanged, -1, c.Full(c.Shape(lu.pivots), 1, DType::kI64)), dtype);
}

// L and U of factors, as matrices of their own.
Value* LowerFactor(Composer& c, Value* factors) {
  Value* least = c.Min(Rows(c, factors), Columns(c, factors));
  Value* columns = c.Slice(factors, c.Rank(factors) - 1, c.Ints({0}), c.Vector(least), c.Ints({1}));
  Value* diagonal = OnDiagonal(c, Rows(c, columns), Columns(c, columns));
  return c.Where(diagonal, 1, Lower(c, columns));
}
Value* UpperFactor(Composer& c, Value* factors) {
  Value* least = c.Min(Rows(c, factors), Columns(c, factors));
  return Upper(c, c.Slice(factors, c.Rank(factors) - 2, c.Ints({0}), c.Vector(least), c.Ints({1})));
}
// P of A = P·L·U.
Value* PermutationOf(Composer& c, Value* rows, DType dtype) {
  const int last = c.Rank(rows) - 1;
  Value* places = c.Unsqueeze(c.Iota(c.Size(rows, last)), {1});
  Value* permutation = c.Cast(c.Equal(places, c.Unsqueeze(rows, {last})), RealPart(dtype));
  return IsComplex(dtype) ? FromParts(c, {permutation, c.Mul(permutation, 0)}) : permutation;
}

}  // namespace

Value* SolveTriangular(Composer& c, Value* a, Value* b, Triangle triangle) {
  if (AnyComplex(c, {a, b})) {
    Value* half = triangle.upper ? Upper(c, a) : Lower(c, a);
    if (triangle.unit) half = c.Where(OnDiagonal(c, Rows(c, a), Columns(c, a)), 1, half);
    return Solve(c, half, b);
  }
  Value* whole_a = WithBatchOf(c, a, b);
  Value* whole_b = WithBatchOf(c, b, a);
  return c.Op("dragoman.TriangularSolve", {whole_a, whole_b},
              {{"upper", std::int64_t{triangle.upper}}, {"unit", std::int64_t{triangle.unit}}});
}

Value* Solve(Composer& c, Value* a, Value* b) {
  if (AnyComplex(c, {a, b})) return FromBlocks(c, Solve(c, BlocksOf(c, a), BlocksOf(c, b)));
  const Lu lu = FactorLu(c, WithBatchOf(c, a, b));
  return SolveFactored(c, lu.factors, lu.rows, b);
}

Value* Inverse(Composer& c, Value* a) { return Solve(c, a, UnitLike(c, a)); }

// det, linalg_det, logdet
Result<Value*> LowerDeterminant(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, call.Declares("A") ? "A" : "self");
  Value* value = nullptr;
  if (AnyComplex(c, {a})) {
    const Lu lu = FactorLu(c, a);
    Value* diagonal = DiagonalOf(c, lu.factors);
    value = c.Reduce("ReduceProd", c.Mul(diagonal, SignsOf(c, lu, RealPart(c.dtype(a)))),
                     {c.Rank(diagonal) - 1}, false);
  } else {
    value = c.Op("Det", {a});
  }
  return c.Done(call.op().type == "logdet" ? c.Log(value) : value);
}

// slogdet, linalg_slogdet: the sign of the determinant and the logarithm of its size.
Result<Results> LowerLogDeterminant(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, call.Declares("A") ? "A" : "self");
  const Lu lu = FactorLu(c, a);
  Value* diagonal = DiagonalOf(c, lu.factors);
  const int last = c.Rank(diagonal) - 1;
  Value* signs = SignsOf(c, lu, RealPart(c.dtype(a)));
  if (!AnyComplex(c, {a})) {
    Value* sign = c.Reduce("ReduceProd", c.Mul(c.Op("Sign", {diagonal}), signs), {last}, false);
    return c.Done({sign, c.ReduceSum(c.Log(c.Abs(diagonal)), {last})});
  }
  const Parts parts = PartsOf(c, diagonal);
  Value* size = Magnitude(c, parts);
  Value* divisor = c.Where(c.Equal(size, 0), 1, size);
  Value* turned = FromParts(c, {c.Div(parts.re, divisor), c.Div(parts.im, divisor)});
  Value* sign = c.Reduce("ReduceProd", c.Mul(turned, signs), {last}, false);
  return c.Done({sign, c.ReduceSum(c.Log(size), {last})});
}

namespace {

// inverse, linalg_inv
Value* LowerInverse(CallComposer& c) {
  return Inverse(c, TakeMatrices(c, c.call().Declares("A") ? "A" : "self"));
}

Result<Results> LowerInverseEx(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, "A");
  return c.Done({Inverse(c, a), SingularAt(c, a)});
}

Value* LowerLinalgSolve(CallComposer& c) {
  return SolveGiven(c, TakeMatrices(c, "A"), c.Tensor("B"));
}

}  // namespace

Result<Results> LowerLinalgSolveEx(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, "A");
  return c.Done({SolveGiven(c, a, c.Tensor("B")), SingularAt(c, a)});
}

namespace {

Value* LowerSolveTriangular(CallComposer& c) {
  Value* a = TakeMatrices(c, "self");
  Value* b = TakeMatrices(c, "B");
  const Triangle triangle{c.Bool("upper"), c.BoolOr("unitriangular", false)};
  if (c.BoolOr("left", true)) return SolveTriangular(c, a, b, triangle);
  const Triangle other{!triangle.upper, triangle.unit};
  return Transposed(c, SolveTriangular(c, Transposed(c, a), Transposed(c, b), other));
}

// triangular_solve: the solution, and the matrices.
Result<Results> LowerTriangularSolve(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, "A");
  const bool transposed = c.BoolOr("transpose", false);
  const Triangle triangle{c.BoolOr("upper", true) != transposed, c.BoolOr("unitriangular", false)};
  Value* x =
      SolveTriangular(c, transposed ? Transposed(c, a) : a, TakeMatrices(c, "self"), triangle);
  return c.Done({x, c.Op("Identity", {a})});
}

// cholesky, linalg_cholesky, linalg_cholesky_ex
Result<Results> LowerCholesky(Call& call) {
  CallComposer c(call);
  const bool upper = c.BoolOr("upper", false);
  Value* a = TakeMatrices(c, "self");
  if (upper) a = Adjoint(c, a);
  const bool complex = AnyComplex(c, {a});
  const std::vector<Value*> factored =
      c.Ops("dragoman.Cholesky", {complex ? HermitianBlocksOf(c, a) : a}, {}, 2);
  Value* factor = complex ? FromBlocks(c, factored[0]) : factored[0];
  if (upper) factor = Adjoint(c, factor);
  if (call.op().type != "linalg_cholesky_ex") return c.Done({factor});
  Value* failed_at = complex ? HalfRoundedUp(c, factored[1]) : factored[1];
  return c.Done({factor, c.Cast(failed_at, DType::kI32)});
}

// cholesky_solve, cholesky_inverse: of the matrix whose factor is given.
Value* LowerCholeskySolve(CallComposer& c) {
  const bool inverse = c.call().op().type == "cholesky_inverse";
  Value* factor = TakeMatrices(c, inverse ? "self" : "input2");
  if (c.BoolOr("upper", false)) factor = Adjoint(c, factor);
  Value* b = inverse ? UnitLike(c, factor) : TakeMatrices(c, "self");
  Value* half = SolveTriangular(c, factor, b, {});
  return SolveTriangular(c, Adjoint(c, factor), half, {.upper = true});
}

// linalg_lu_factor, linalg_lu_factor_ex, _lu_with_info: pivots count from 1.
Result<Results> LowerLuFactor(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, call.Declares("A") ? "A" : "self");
  if (!c.BoolOr("pivot", true)) return call.Unsupported("pivot = False");
  const Lu lu = FactorLu(c, a);
  Value* pivots = c.Cast(c.Add(lu.pivots, 1), DType::kI32);
  if (call.op().type == "linalg_lu_factor") return c.Done({lu.factors, pivots});
  return c.Done({lu.factors, pivots, FirstZero(c, lu.factors)});
}

// linalg_lu: P, L, U.
Result<Results> LowerLu(Call& call) {
  CallComposer c(call);
  Value* a = TakeMatrices(c, "A");
  if (!c.BoolOr("pivot", true)) return call.Unsupported("pivot = False");
  const Lu lu = FactorLu(c, a);
  return c.Done({PermutationOf(c, lu.rows, c.dtype(a)), LowerFactor(c, lu.factors),
                 UpperFactor(c, lu.factors)});
}

Result<Results> LowerLuUnpack(Call& call) {
  CallComposer c(call);
  Value* factors = TakeMatrices(c, "LU_data");
  Value* pivots = c.Sub(c.Cast(c.Tensor("LU_pivots"), DType::kI64), 1);
  const std::optional<std::int64_t> n = c.KnownSize(factors, c.Rank(factors) - 2);
  if (!n) return call.Unsupported("matrices whose sizes are known only at run time; give --shape");
  Value* nothing = c.Full(c.Ints({0}), 0, RealPart(c.dtype(factors)));
  if (AnyComplex(c, {factors})) nothing = FromParts(c, {nothing, nothing});
  Value* p = nothing;
  if (c.BoolOr("unpack_pivots", true))
    p = PermutationOf(c, RowsOf(c, pivots, *n), c.dtype(factors));
  if (!c.BoolOr("unpack_data", true)) return c.Done({p, nothing, nothing});
  return c.Done({p, LowerFactor(c, factors), UpperFactor(c, factors)});
}

// lu_solve, linalg_lu_solve
Value* LowerLuSolve(CallComposer& c) {
  const bool older = c.call().op().type == "lu_solve";
  Value* factors = TakeMatrices(c, older ? "LU_data" : "LU");
  Value* pivots = c.Sub(c.Cast(c.Tensor(older ? "LU_pivots" : "pivots"), DType::kI64), 1);
  const std::optional<std::int64_t> n = c.KnownSize(factors, c.Rank(factors) - 1);
  if (!n) return c.Refuse("matrices whose sizes are known only at run time; give --shape");
  Value* b = TakeMatrices(c, older ? "self" : "B");
  const bool left = c.BoolOr("left", true);
  const bool adjoint = c.BoolOr("adjoint", false);
  Value* rows = RowsOf(c, pivots, *n);
  if (left && !adjoint) return SolveFactored(c, WithBatchOf(c, factors, b), rows, b);
  // X·A = B is A*·X* = B*, and the other way round.
  Value* product = MatMul(c, LowerFactor(c, factors), UpperFactor(c, factors));
  Value* a = MatMul(c, PermutationOf(c, rows, c.dtype(factors)), product);
  if (left) return Solve(c, Adjoint(c, a), b);
  return Adjoint(c, Solve(c, adjoint ? a : Adjoint(c, a), Adjoint(c, b)));
}

Value* LowerMatrixPower(CallComposer& c) {
  Value* x = TakeMatrices(c, "self");
  std::int64_t n = c.Int("n");
  if (c.failed()) return nullptr;
  if (n < 0) x = Inverse(c, x);
  n = std::abs(n);
  Value* power = nullptr;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) power = power == nullptr ? x : MatMul(c, power, x);
    if (n > 1) x = MatMul(c, x, x);
  }
  return power != nullptr ? power : UnitOf(c, x);
}

// Taylor's series of x / 2¹⁰, squared ten times.
Value* LowerMatrixExp(CallComposer& c) {
  Value* given = c.Tensor("self");
  if (!c.failed() && c.Rank(given) < 2) return c.Fail(c.call().Invalid("expected matrices"));
  constexpr int kSquarings = 10;
  constexpr int kTerms = 12;
  const DType wide = IsComplex(c.dtype(given)) ? DType::kC128 : DType::kF64;
  Value* x = c.Mul(c.Cast(given, wide), 1.0 / (1 << kSquarings));
  Value* sum = UnitOf(c, x);
  Value* unit = sum;
  for (int k = kTerms; k > 0; --k) sum = c.Add(unit, c.Div(MatMul(c, x, sum), k));
  for (int i = 0; i < kSquarings; ++i) sum = MatMul(c, sum, sum);
  return c.CastLike(sum, given);
}

Value* LowerTensorInverse(CallComposer& c) {
  Value* x = c.Tensor("self");
  const auto split = static_cast<int>(c.IntOr("ind", 2));
  const int rank = c.Rank(x);
  if (split < 1 || split > rank) return c.Fail(c.call().Invalid("ind is out of range"));
  Value* first = c.SizeVector(x, 0, split);
  Value* second = split < rank ? c.SizeVector(x, split, rank - split) : c.Ints({});
  Value* n = c.Reduce("ReduceProd", first, {0}, true);
  Value* matrix = c.Reshape(x, c.ConcatSizes({n, n}));
  return c.Reshape(Inverse(c, matrix), c.ConcatSizes({second, first}));
}

// All axes of a tensor, of which `last` stand after the others.
std::vector<std::int64_t> WithLast(Composer& c, const std::vector<std::int64_t>& last, int rank) {
  std::vector<std::int64_t> moved, axes;
  for (const std::int64_t axis : last) moved.push_back(c.Axis(axis, rank));
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (std::ranges::count(moved, axis) == 0) axes.push_back(axis);
  }
  axes.insert(axes.end(), moved.begin(), moved.end());
  if (!c.failed() && std::ssize(axes) != rank) c.Fail(InvalidInput("dims name an axis twice"));
  return axes;
}

Value* LowerTensorSolve(CallComposer& c) {
  Value* a = c.Tensor("self");
  Value* b = c.Tensor("other");
  const int rank = c.Rank(a);
  if (c.Has("dims")) a = c.Transpose(a, WithLast(c, c.Take(c.call().IntList("dims")), rank));
  const int split = c.Rank(b);
  Value* sizes = split < rank ? c.SizeVector(a, split, rank - split) : c.Ints({});
  Value* n = c.Vector(c.NumElements(b));
  Value* matrix = c.Reshape(a, c.ConcatSizes({n, n}));
  Value* column = c.Reshape(b, c.ConcatSizes({n, c.Ints({1})}));
  return c.Reshape(Solve(c, matrix, column), sizes);
}

}  // namespace

std::span<const OpRow> LinearSystemsRows() {
  static constexpr OpRow kRows[] = {
      {"aten._lu_with_info", LowerLuFactor, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.cholesky", LowerCholesky, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.cholesky_inverse",
       LowerCholeskySolve,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.cholesky_solve",
       LowerCholeskySolve,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.det", LowerDeterminant, {.complex = true}},
      {"aten.inverse", LowerInverse, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_cholesky", LowerCholesky, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_cholesky_ex", LowerCholesky, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_det", LowerDeterminant, {.complex = true}},
      {"aten.linalg_inv", LowerInverse, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_inv_ex", LowerInverseEx, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_lu", LowerLu, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_lu_factor", LowerLuFactor, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_lu_factor_ex",
       LowerLuFactor,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_lu_solve", LowerLuSolve, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_matrix_exp", LowerMatrixExp, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_matrix_power",
       LowerMatrixPower,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_slogdet", LowerLogDeterminant, {.complex = true}},
      {"aten.linalg_solve", LowerLinalgSolve, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_solve_ex",
       LowerLinalgSolveEx,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_solve_triangular",
       LowerSolveTriangular,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_tensorinv",
       LowerTensorInverse,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_tensorsolve",
       LowerTensorSolve,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.logdet", LowerDeterminant, {.complex = true}},
      {"aten.lu_solve", LowerLuSolve, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.lu_unpack", LowerLuUnpack, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.matrix_exp", LowerMatrixExp, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.matrix_power", LowerMatrixPower, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.slogdet", LowerLogDeterminant, {.complex = true}},
      {"aten.triangular_solve",
       LowerTriangularSolve,
       {.complex = true, .order = ResultOrder::kUnknown}},
  };
  return kRows;
}

}  // namespace dragoman::torch
