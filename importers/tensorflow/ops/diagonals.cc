// SPDX-License-Identifier: Apache-2.0
// Diagonals of matrices, which stand in the last two axes: bands of them as the rows of a matrix,
// the highest first, each aligned to the left or to the right of its row.
#include "importers/tensorflow/ops/op_rows.h"

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/inference.h"

namespace dragoman::tf {
namespace {

// Diagonals lowest to highest (int64, rank 0), as far as they lie above the main one.
struct Band {
  Value* lowest = nullptr;
  Value* highest = nullptr;
  bool single = true;        // one diagonal, without an axis for it
  bool is_main = true;       // known to be the main one
  bool upper_right = false;  // diagonals above the main one end at the end of their row
  bool lower_right = false;
};

// A band has a row for each of its diagonals: a file states numbers that it need not hold.
constexpr std::int64_t kMostDiagonals = 1 << 16;

// Operand `i`, one number or two, and attribute align; the second version of the operators, which
// has none, aligns to the left.
Band TakeBand(Call& c, std::size_t i) {
  Band band{c.Int(0), c.Int(0)};
  if (i >= c.num_operands()) return band;
  Value* k = c.Flatten(c.Index(i));
  const std::optional<std::int64_t> count =
      c.failed() ? std::optional<std::int64_t>() : c.KnownSize(k, 0);
  if (c.failed()) return band;
  if (!count) {
    c.Fail("a number of diagonals known only at run time");
    return band;
  }
  if (*count < 1 || *count > 2) {
    c.Fail(InvalidInput("k is not one diagonal or two"));
    return band;
  }
  band.lowest = c.Select(k, 0, 0);
  band.highest = c.Select(k, 0, *count - 1);
  const std::optional<std::int64_t> low = c.KnownNumber(band.lowest);
  const std::optional<std::int64_t> high = c.KnownNumber(band.highest);
  const auto is_far = [](std::int64_t d) { return d < -kMostDiagonals || d > kMostDiagonals; };
  if (low && high && (*low > *high || is_far(*low) || is_far(*high)))
    c.Fail(InvalidInput("k is not a range of diagonals"));
  band.single = *count == 1 || (low && low == high);
  band.is_main = band.single && low == 0;
  if (!band.single && (!low || !high)) {
    // Equal ones would take an axis from the diagonals.
    c.Assert(c.Less(band.lowest, band.highest),
             "k of '" + c.node().name() + "' is not two diagonals in order");
  }
  const std::string align = c.Has("align") ? c.TextAttribute("align") : "LEFT_LEFT";
  band.upper_right = align.starts_with("RIGHT");
  band.lower_right = align.ends_with("RIGHT");
  return band;
}

// Numbers of rows and columns (int64, rank 0).
struct MatrixSizes {
  Value* rows = nullptr;
  Value* columns = nullptr;
};

MatrixSizes SizesOf(Call& c, Value* x) {
  const int rank = c.Rank(x);
  if (!c.failed() && rank < 2) c.Fail(InvalidInput("a matrix of rank " + std::to_string(rank)));
  if (c.failed()) return {};
  return {c.Size(x, rank - 2), c.Size(x, rank - 1)};
}

// The elements of diagonal `d`, a number or an int64 tensor.
Value* LengthOf(Call& c, const MatrixSizes& sizes, Value* d) {
  return c.Min(c.Add(sizes.rows, c.Min(d, 0)), c.Sub(sizes.columns, c.Max(d, 0)));
}

// Of the longest one of a band.
Value* LongestOf(Call& c, const MatrixSizes& sizes, const Band& band) {
  Value* rows = c.Add(sizes.rows, c.Min(band.highest, 0));
  Value* columns = c.Sub(sizes.columns, c.Max(band.lowest, 0));
  return c.Max(c.Min(rows, columns), 0);
}

// Where the elements of diagonals `d` begin in rows of `longest` elements.
Value* OffsetOf(Call& c, const Band& band, Value* d, Value* longest, Value* length) {
  const auto side = [&](bool right) { return right ? c.Sub(longest, length) : c.Mul(length, 0); };
  if (band.upper_right == band.lower_right) return side(band.upper_right);
  // The main one is aligned to the left if either side is.
  Value* left = band.upper_right ? c.LessOrEqual(d, 0) : c.GreaterOrEqual(d, 0);
  return c.Where(left, side(false), side(true));
}

// With the last two axes made one.
Value* JoinLastTwo(Call& c, Value* x) {
  return c.Reshape(x, c.ConcatSizes({c.SizeVector(x, 0, c.Rank(x) - 2), c.Ints({-1})}));
}

// `diagonals` (…, diagonals, longest) at the places of the band in matrices of these sizes, and
// `otherwise` at all others.
Value* Placed(Call& c, Value* diagonals, const Band& band, const MatrixSizes& sizes,
              Value* otherwise) {
  const int rank = c.Rank(diagonals);
  if (c.failed()) return nullptr;
  Value* row = c.Unsqueeze(c.Iota(sizes.rows), {1});
  Value* column = c.Unsqueeze(c.Iota(sizes.columns), {0});
  Value* d = c.Sub(column, row);
  Value* inside = c.And(c.GreaterOrEqual(d, band.lowest), c.LessOrEqual(d, band.highest));
  Value* longest = c.Size(diagonals, rank - 1);
  Value* offset = OffsetOf(c, band, d, longest, LengthOf(c, sizes, d));
  Value* at = c.Add(c.Sub(column, c.Max(d, 0)), offset);
  Value* place = c.Add(c.Mul(c.Sub(band.highest, d), longest), at);
  Value* elements = c.Gather(JoinLastTwo(c, diagonals), c.Where(inside, place, 0), rank - 2);
  return c.Where(inside, elements, otherwise);
}

// A size that is stated unless it is negative, else `least`.
Value* SizeOr(Call& c, Value* stated, Value* least) {
  if (const std::optional<std::int64_t> known = c.KnownNumber(stated))
    return *known < 0 ? least : stated;
  return c.Where(c.Less(stated, 0), least, stated);
}

// The sizes that MatrixDiag gives its matrices: those that are stated, else the least that hold
// the band, and a square if neither is.
MatrixSizes SizesAround(Call& c, const Band& band, Value* longest) {
  Value* rows = c.IndexNumber(2);
  Value* columns = c.IndexNumber(3);
  Value* least_rows = c.Sub(longest, c.Min(band.highest, 0));
  Value* least_columns = c.Add(longest, c.Max(band.lowest, 0));
  Value* side = c.Max(least_rows, least_columns);
  const std::optional<std::int64_t> known_rows = c.KnownNumber(rows);
  const std::optional<std::int64_t> known_columns = c.KnownNumber(columns);
  if (known_rows.value_or(0) < 0 && known_columns.value_or(0) < 0) return {side, side};
  MatrixSizes sizes{SizeOr(c, rows, least_rows), SizeOr(c, columns, least_columns)};
  if (!known_rows || !known_columns) {
    Value* is_free = c.And(c.Less(rows, 0), c.Less(columns, 0));
    sizes = {c.Where(is_free, side, sizes.rows), c.Where(is_free, side, sizes.columns)};
  }
  c.Assert(c.Equal(LongestOf(c, sizes, band), longest),
           "the sizes of '" + c.node().name() + "' do not belong to its diagonals");
  return sizes;
}

// The identity matrix of `size` rows, bool.
Value* OnDiagonal(Call& c, Value* size) {
  Value* line = c.Iota(size);
  return c.Equal(c.Unsqueeze(line, {0}), c.Unsqueeze(line, {1}));
}

// Axes x, y of a tensor as axes x, y, x, y of one that holds its elements where both agree.
Value* WholeDiagonal(Call& c, Value* x) {
  Value* flat = c.Flatten(x);
  Value* on = OnDiagonal(c, c.Size(flat, 0));
  Value* matrix = c.Where(on, c.Unsqueeze(flat, {1}), c.Number(0, flat));
  return c.MaybeRank(x) == 1 ? matrix : c.Reshape(matrix, c.ConcatSizes({c.Shape(x), c.Shape(x)}));
}

Value* MainDiagonalOf(Call& c, Value* x) {
  const int rank = c.Rank(x);
  const MatrixSizes sizes = SizesOf(c, x);
  if (c.failed()) return nullptr;
  Value* length = c.Min(sizes.rows, sizes.columns);
  // Element i of the diagonal is element i · (columns + 1) of the matrix.
  return c.Gather(JoinLastTwo(c, x), c.Mul(c.Iota(length), c.Add(sizes.columns, 1)), rank - 2);
}

// The reverse of WholeDiagonal.
Value* WholeDiagonalOf(Call& c, Value* x) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 2 || rank % 2 != 0)
    return c.Fail(InvalidInput("a tensor of rank " + std::to_string(rank)));
  if (rank == 2) return MainDiagonalOf(c, x);
  Value* sizes = c.SizeVector(x, 0, rank / 2);
  Value* side = c.Vector(c.ReduceAll("ReduceProd", sizes));
  return c.Reshape(MainDiagonalOf(c, c.Reshape(x, c.ConcatSizes({side, side}))), sizes);
}

// Of the last two axes, or of all axes of a tensor at once.
enum class Diagonal { kOfMatrices, kWhole };

Value* LowerMatrixDiag(Call& c, Diagonal diagonal) {
  Value* diagonals = c.Tensor(0);
  const int rank = c.Rank(diagonals);
  if (c.failed()) return nullptr;
  if (diagonal == Diagonal::kWhole) return WholeDiagonal(c, diagonals);
  if (rank < 1) return c.Fail(InvalidInput("a diagonal of rank 0"));
  const Band band = TakeBand(c, 1);
  Value* longest = c.Size(diagonals, rank - 1);
  if (c.num_operands() < 5)
    return c.Where(OnDiagonal(c, longest), c.Unsqueeze(diagonals, {rank}), c.Number(0, diagonals));
  const MatrixSizes sizes = SizesAround(c, band, longest);
  const bool is_square = sizes.rows == sizes.columns;
  if (band.is_main && is_square)
    return c.Where(OnDiagonal(c, longest), c.Unsqueeze(diagonals, {rank}), c.Tensor(4));
  if (band.single) diagonals = c.Unsqueeze(diagonals, {rank - 1});
  return Placed(c, diagonals, band, sizes, c.Tensor(4));
}

Value* LowerMatrixSetDiag(Call& c) {
  Value* x = c.Tensor(0);
  Value* diagonals = c.Tensor(1);
  const MatrixSizes sizes = SizesOf(c, x);
  const Band band = TakeBand(c, 2);
  const int rank = c.Rank(diagonals);
  if (c.failed()) return nullptr;
  const Shape& shape = *x->type().shape();
  const auto axis = static_cast<int>(shape.size()) - 1;
  const bool is_square = Equal(shape[shape.size() - 2], shape.back()) == Truth::kYes;
  if (band.is_main && is_square)
    return c.Where(OnDiagonal(c, sizes.rows), c.Unsqueeze(diagonals, {axis}), x);
  if (rank < (band.single ? 1 : 2))
    return c.Fail(InvalidInput("diagonals of rank " + std::to_string(rank)));
  c.Assert(c.Equal(LongestOf(c, sizes, band), c.Size(diagonals, rank - 1)),
           "the diagonals of '" + c.node().name() + "' do not belong to its matrix");
  if (band.single) diagonals = c.Unsqueeze(diagonals, {rank - 1});
  return Placed(c, diagonals, band, sizes, x);
}

Value* LowerMatrixDiagPart(Call& c, Diagonal diagonal) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (diagonal == Diagonal::kWhole) return WholeDiagonalOf(c, x);
  const MatrixSizes sizes = SizesOf(c, x);
  const Band band = TakeBand(c, 1);
  if (c.failed()) return nullptr;
  if (band.is_main) return MainDiagonalOf(c, x);
  Value* count = c.Add(c.Sub(band.highest, band.lowest), 1);
  Value* d = c.Unsqueeze(c.Sub(band.highest, c.Iota(count)), {1});
  Value* longest = LongestOf(c, sizes, band);
  Value* length = LengthOf(c, sizes, d);
  Value* at = c.Sub(c.Iota(longest), OffsetOf(c, band, d, longest, length));
  Value* inside = c.And(c.GreaterOrEqual(at, 0), c.Less(at, length));
  Value* row = c.Sub(at, c.Min(d, 0));
  Value* column = c.Add(at, c.Max(d, 0));
  Value* place = c.Where(inside, c.Add(c.Mul(row, sizes.columns), column), 0);
  Value* elements = c.Where(inside, c.Gather(JoinLastTwo(c, x), place, rank - 2), c.Tensor(2));
  return band.single ? c.Squeeze(elements, {rank - 2}) : elements;
}

// Of diagonals (…, diagonals, n) of a triangular matrix, each element at the place of its row.
Value* LowerBandedTriangularSolve(Call& c) {
  Value* diagonals = c.Tensor(0);
  Value* b = c.Tensor(1);
  const int rank = c.Rank(diagonals);
  if (!c.failed() && rank < 2) c.Fail(InvalidInput("diagonals of rank " + std::to_string(rank)));
  if (!c.failed() && rank != c.Rank(b)) c.Fail("matrices of different ranks");
  if (c.failed()) return nullptr;
  const bool lower = c.BoolAttribute("lower"), adjoint = c.BoolAttribute("adjoint");
  Value* last = c.Sub(c.Size(diagonals, rank - 2), 1);
  const Band band = {.lowest = lower ? c.Neg(last) : c.Int(0),
                     .highest = lower ? c.Int(0) : last,
                     .lower_right = lower};
  Value* side = c.Size(diagonals, rank - 1);
  Value* a = Placed(c, diagonals, band, {side, side}, c.Number(0, diagonals));
  if (adjoint) a = c.SwapAxes(a, rank - 2, rank - 1);
  return c.Op("dragoman.TriangularSolve", {a, b}, {{"upper", std::int64_t{lower == adjoint}}});
}

}  // namespace

std::span<const OpRow> DiagonalsRows() {
  static constexpr OpRow kRows[] = {
      {"BandedTriangularSolve", LowerBandedTriangularSolve},
      {"BatchMatrixDiag", With<LowerMatrixDiag, Diagonal::kOfMatrices>},
      {"BatchMatrixDiagPart", With<LowerMatrixDiagPart, Diagonal::kOfMatrices>},
      {"BatchMatrixSetDiag", LowerMatrixSetDiag},
      {"Diag", With<LowerMatrixDiag, Diagonal::kWhole>},
      {"DiagPart", With<LowerMatrixDiagPart, Diagonal::kWhole>},
      {"MatrixDiag", With<LowerMatrixDiag, Diagonal::kOfMatrices>},
      {"MatrixDiagPart", With<LowerMatrixDiagPart, Diagonal::kOfMatrices>},
      {"MatrixDiagPartV2", With<LowerMatrixDiagPart, Diagonal::kOfMatrices>},
      {"MatrixDiagPartV3", With<LowerMatrixDiagPart, Diagonal::kOfMatrices>},
      {"MatrixDiagV2", With<LowerMatrixDiag, Diagonal::kOfMatrices>},
      {"MatrixDiagV3", With<LowerMatrixDiag, Diagonal::kOfMatrices>},
      {"MatrixSetDiag", LowerMatrixSetDiag},
      {"MatrixSetDiagV2", LowerMatrixSetDiag},
      {"MatrixSetDiagV3", LowerMatrixSetDiag},
  };
  return kRows;
}

}  // namespace dragoman::tf
