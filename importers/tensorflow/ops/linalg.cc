// SPDX-License-Identifier: Apache-2.0
// Factors of matrices, inverses and systems of linear equations.
#include "importers/tensorflow/ops/op_rows.h"

#include <optional>
#include <string>
#include <vector>

#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// Real float32 or float64 matrices in the last two axes.
Value* Matrices(Call& c, std::size_t i) {
  Value* x = c.Tensor(i);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 2) return c.Fail(InvalidInput("a matrix of rank " + std::to_string(rank)));
  if (c.dtype(x) != DType::kF32 && c.dtype(x) != DType::kF64)
    return c.Fail("matrices of " + std::string(Name(c.dtype(x))));
  return x;
}

Value* MatrixTransposed(Call& c, Value* x) {
  const int rank = c.Rank(x);
  return c.failed() ? nullptr : c.SwapAxes(x, rank - 2, rank - 1);
}

// What solves a x = b, by LU with pivots.
Value* Solve(Call& c, Value* a, Value* b) {
  const std::vector<Value*> factors = c.Ops("dragoman.LuFactor", {a}, {}, 3);
  const int rank = c.Rank(b);
  if (c.failed()) return nullptr;
  Value* line = c.Iota(c.Size(a, -1));
  Value* on_diagonal = c.Equal(c.Unsqueeze(line, {1}), line);
  Value* pivots = c.Where(on_diagonal, c.Abs(factors[0]), 1);
  c.Assert(c.Greater(c.ReduceAll("ReduceMin", pivots), 0), "a matrix is not invertible");
  // The rows of b in the order of the pivots.
  Value* rows = c.Expand(c.Unsqueeze(factors[2], {rank - 1}), c.Shape(b));
  Value* ordered = c.Op("GatherElements", {b, rows}, {{"axis", std::int64_t{rank - 2}}});
  Value* inner =
      c.Op("dragoman.TriangularSolve", {factors[0], ordered}, {{"unit", std::int64_t{1}}});
  return c.Op("dragoman.TriangularSolve", {factors[0], inner}, {{"upper", std::int64_t{1}}});
}

// The identity with the sizes of `like`.
Value* IdentityLike(Call& c, Value* like) {
  Value* line = c.Iota(c.Size(like, -1));
  Value* ones = c.Cast(c.Equal(c.Unsqueeze(line, {1}), line), c.dtype(like));
  return c.Expand(ones, c.Shape(like));
}

Value* LowerMatrixDeterminant(Call& c) { return c.Op("Det", {Matrices(c, 0)}); }
Value* LowerCholesky(Call& c) {
  const std::vector<Value*> results = c.Ops("dragoman.Cholesky", {Matrices(c, 0)}, {}, 2);
  if (c.failed()) return nullptr;
  c.Assert(c.Equal(c.ReduceAll("ReduceMax", c.Abs(results[1])), 0),
           "a matrix is not positive definite");
  return results[0];
}

Value* LowerMatrixInverse(Call& c) {
  Value* a = Matrices(c, 0);
  if (c.BoolAttribute("adjoint")) a = MatrixTransposed(c, a);
  if (c.failed()) return nullptr;
  return Solve(c, a, IdentityLike(c, a));
}

Value* LowerMatrixSolve(Call& c) {
  Value* a = Matrices(c, 0);
  if (c.BoolAttribute("adjoint")) a = MatrixTransposed(c, a);
  return Solve(c, a, Matrices(c, 1));
}

Value* LowerMatrixTriangularSolve(Call& c) {
  Value* a = Matrices(c, 0);
  Value* b = Matrices(c, 1);
  bool upper = !c.BoolAttribute("lower");
  if (c.BoolAttribute("adjoint")) {
    a = MatrixTransposed(c, a);
    upper = !upper;
  }
  if (c.failed()) return nullptr;
  if (c.Rank(a) != c.Rank(b)) return c.Fail("matrices of different ranks");
  return c.Op("dragoman.TriangularSolve", {a, b}, {{"upper", std::int64_t{upper}}});
}

// The sign, and the logarithm of the absolute value.
std::vector<Value*> LowerLogMatrixDeterminant(Call& c) {
  const std::vector<Value*> factors = c.Ops("dragoman.LuFactor", {Matrices(c, 0)}, {}, 3);
  const int rank = c.Rank(factors[0]);
  if (c.failed()) return {};
  Value* line = c.Iota(c.Size(factors[0], -1));
  Value* on_diagonal = c.Equal(c.Unsqueeze(line, {1}), line);
  Value* diagonal = c.Reduce("ReduceSum", c.Where(on_diagonal, factors[0], 0), {rank - 1}, false);
  // Each row that was moved turns the sign.
  Value* moved = c.NotEqual(factors[1], line);
  Value* sign = c.Where(moved, c.Neg(c.Op("Sign", {diagonal})), c.Op("Sign", {diagonal}));
  return {c.Reduce("ReduceProd", sign, {rank - 2}, false),
          c.ReduceSum(c.Log(c.Abs(diagonal)), {rank - 2})};
}

std::vector<Value*> LowerSymmetricEigen(Call& c) {
  return c.Ops("dragoman.SymmetricEigen", {Matrices(c, 0)}, {}, 2);
}

// Values in the first row, vectors in the columns below.
Value* LowerSelfAdjointEig(Call& c) {
  const std::vector<Value*> found = LowerSymmetricEigen(c);
  const int rank = c.Rank(found[1]);
  if (c.failed()) return nullptr;
  return c.Concat({c.Unsqueeze(found[0], {rank - 2}), found[1]}, rank - 2);
}

// Both factors in one matrix, and the order of its rows.
std::vector<Value*> LowerLu(Call& c) {
  const DType index = c.TypeAttribute("output_idx_type");
  const std::vector<Value*> factors = c.Ops("dragoman.LuFactor", {Matrices(c, 0)}, {}, 3);
  return {factors[0], c.Cast(factors[2], index)};
}

// The least squares solution of a x = b by the normal equations, of the least norm if there are
// fewer rows than columns.
Value* LowerMatrixSolveLs(Call& c) {
  Value* a = Matrices(c, 0);
  Value* b = Matrices(c, 1);
  Value* regularizer = c.Reshape(c.CastLike(c.Tensor(2), a), Ints());
  const int rank = c.Rank(a);
  if (c.failed()) return nullptr;
  const std::optional<std::int64_t> rows = c.KnownSize(a, rank - 2);
  const std::optional<std::int64_t> columns = c.KnownSize(a, rank - 1);
  if (!rows || !columns)
    return c.Fail("the sizes of the matrix are not known; state them with --shape");
  Value* turned = MatrixTransposed(c, a);
  const bool wide = *rows < *columns;
  Value* square = wide ? MatMul(c, a, turned) : MatMul(c, turned, a);
  square = c.Add(square, c.Mul(IdentityLike(c, square), regularizer));
  return wide ? MatMul(c, turned, Solve(c, square, b)) : Solve(c, square, MatMul(c, turned, b));
}

// Diagonals (…, 1, rows) above, on and below the main one, times a matrix (…, rows, columns). What
// the upper one holds at its end and the lower one at its beginning does not count.
Value* LowerTridiagonalMatMul(Call& c) {
  Value* x = c.Tensor(3);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  const auto diagonal = [&](std::size_t i) { return MatrixTransposed(c, c.Tensor(i)); };
  Value* none = c.Full(c.Shape(c.Slice(x, rank - 2, 0, 1)), 0, c.dtype(x));
  Value* after = c.Concat({c.Slice(x, rank - 2, 1, kEnd), none}, rank - 2);
  Value* before = c.Concat({none, c.Slice(x, rank - 2, 0, -1)}, rank - 2);
  return c.Add(c.Add(c.Mul(diagonal(0), after), c.Mul(diagonal(1), x)), c.Mul(diagonal(2), before));
}

// Of diagonals (…, 3, n) above, on and below the main one: what solves the system with pivots, or
// without, where the result is the same.
Value* LowerTridiagonalSolve(Call& c) {
  Value* diagonals = Matrices(c, 0);
  Value* b = Matrices(c, 1);
  const int rank = c.Rank(diagonals);
  if (c.failed()) return nullptr;
  if (c.BoolAttribute("perturb_singular")) return c.Fail("perturb_singular is not supported");
  if (c.KnownSize(diagonals, rank - 2).value_or(3) != 3)
    return c.Fail(InvalidInput("the operand does not hold three diagonals"));
  Value* line = c.Iota(c.Size(diagonals, -1));
  Value* row = c.Unsqueeze(line, {1});
  // An element above the main diagonal is at the place of its row, and so is one below.
  const auto placed = [&](std::int64_t i, Value* column) {
    Value* entries = c.Unsqueeze(c.Select(diagonals, rank - 2, i), {rank - 1});
    return c.Where(c.Equal(line, column), entries, 0);
  };
  Value* above = placed(0, c.Add(row, c.Int(1)));
  Value* below = placed(2, c.Sub(row, c.Int(1)));
  return Solve(c, c.Add(c.Add(above, placed(1, row)), below), b);
}

// Q and R of `x`; `whole`: Q is square.
std::vector<Value*> QrFactors(Call& c, Value* x, bool whole) {
  const std::vector<Value*> parts = c.Ops("dragoman.HouseholderQr", {x}, {}, 2);
  const int rank = c.failed() ? 2 : c.Rank(x);
  const auto first = [&](Value* value, int axis, Value* count) {
    return c.Slice(value, axis, c.Ints({0}), c.Vector(count), c.Ints({1}));
  };
  Value* rows = c.Size(x, rank - 2);
  Value* columns = c.Size(x, rank - 1);
  Value* count = whole ? rows : c.Min(rows, columns);
  Value* r = c.Op("Trilu", {first(parts[0], rank - 2, count)}, {{"upper", std::int64_t{1}}});
  // As many columns of factors as q has: those that are missing are zeros.
  Value* factors = first(parts[0], rank - 1, count);
  Value* missing = c.Vector(c.Max(c.Sub(count, columns), 0));
  if (c.failed()) return {};
  const Ints before(static_cast<std::size_t>(2 * rank - 1), 0);
  factors = c.Op("Pad", {factors, c.ConcatSizes({c.Ints(before), missing})});
  return {c.Op("dragoman.HouseholderProduct", {factors, parts[1]}), r};
}

std::vector<Value*> LowerQr(Call& c) {
  return QrFactors(c, Matrices(c, 0), c.BoolAttribute("full_matrices"));
}

// Orthonormal columns, with others in place of those that are zeros, which are the last, and after
// them as many more as make a square matrix.
Value* Completed(Call& c, Value* columns) {
  const std::vector<Value*> factors = QrFactors(c, columns, true);
  if (c.failed()) return nullptr;
  Value* q = factors[0];
  const int rank = c.Rank(columns);
  const auto part = [&](Value* first, Value* end) {
    return c.Slice(q, rank - 1, first, end, c.Ints({1}));
  };
  Value* count = c.Vector(c.Size(columns, rank - 1));
  Value* is_zero = c.Equal(c.Reduce("ReduceSum", c.Abs(columns), {rank - 2}, true), 0);
  Value* own = c.Where(is_zero, part(c.Ints({0}), count), columns);
  return c.Concat({own, part(count, c.Ints({kEnd}))}, rank - 1);
}

// Singular values, and vectors in columns, of which nobody reads those that were not asked for.
std::vector<Value*> LowerSvd(Call& c) {
  const bool whole = c.BoolAttribute("compute_uv") && c.BoolAttribute("full_matrices");
  const std::vector<Value*> parts = c.Ops("dragoman.Svd", {Matrices(c, 0)}, {}, 3);
  Value* u = parts[0];
  Value* v = MatrixTransposed(c, parts[2]);
  return {parts[1], whole ? Completed(c, u) : u, whole ? Completed(c, v) : v};
}

}  // namespace

std::span<const OpRow> LinalgRows() {
  static constexpr OpRow kRows[] = {
      {"BatchCholesky", LowerCholesky},
      {"BatchMatrixDeterminant", LowerMatrixDeterminant},
      {"BatchMatrixInverse", LowerMatrixInverse},
      {"BatchMatrixSolve", LowerMatrixSolve},
      {"BatchMatrixSolveLs", LowerMatrixSolveLs},
      {"BatchMatrixTriangularSolve", LowerMatrixTriangularSolve},
      {"BatchSelfAdjointEig", LowerSelfAdjointEig},
      {"BatchSelfAdjointEigV2", LowerSymmetricEigen},
      {"BatchSvd", LowerSvd},
      {"Cholesky", LowerCholesky},
      {"LogMatrixDeterminant", LowerLogMatrixDeterminant},
      {"Lu", LowerLu},
      {"MatrixDeterminant", LowerMatrixDeterminant},
      {"MatrixInverse", LowerMatrixInverse},
      {"MatrixSolve", LowerMatrixSolve},
      {"MatrixSolveLs", LowerMatrixSolveLs},
      {"MatrixTriangularSolve", LowerMatrixTriangularSolve},
      {"Qr", LowerQr},
      {"SelfAdjointEig", LowerSelfAdjointEig},
      {"SelfAdjointEigV2", LowerSymmetricEigen},
      {"Svd", LowerSvd},
      {"TridiagonalMatMul", LowerTridiagonalMatMul},
      {"TridiagonalSolve", LowerTridiagonalSolve},
  };
  return kRows;
}

}  // namespace dragoman::tf
