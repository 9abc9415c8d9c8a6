// SPDX-License-Identifier: Apache-2.0
// Orthogonal factors, eigenvalues and singular values of matrices, and what follows from them.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/lowering/complex.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/matrices.h"

namespace dragoman::torch {
namespace {

struct Svd {
  Value* u;
  Value* s;
  Value* vh;
};

Svd FactorSvd(Composer& c, Value* x) {
  const std::vector<Value*> results = c.Ops("dragoman.Svd", {x}, {}, 3);
  return {results[0], results[1], results[2]};
}

double Epsilon(DType dtype) {
  return dtype == DType::kF64 ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

// The first argument, whose name differs from operator to operator.
Value* FirstMatrices(CallComposer& c) { return TakeMatrices(c, c.call().names().front()); }

// Of matrices of which half counts, as argument UPLO says, with that half below the diagonal.
Value* TakeSymmetric(CallComposer& c) {
  Value* a = FirstMatrices(c);
  const std::string half = c.Has("UPLO") ? c.Text("UPLO") : "L";
  return half == "U" || half == "u" ? Adjoint(c, a) : a;
}

Qr FactorQr(Composer& c, Value* x) {
  if (AnyComplex(c, {x})) return FactorComplexQr(c, x);
  const std::vector<Value*> results = c.Ops("dragoman.HouseholderQr", {x}, {}, 2);
  return {results[0], results[1]};
}

// The product of the reflections.
Value* ProductOf(Composer& c, const Qr& qr) {
  if (AnyComplex(c, {qr.factors, qr.tau})) return ComplexHouseholderProduct(c, qr);
  return c.Op("dragoman.HouseholderProduct", {qr.factors, qr.tau});
}

Value* FirstOf(Composer& c, Value* x, int axis, Value* count) {
  return c.Slice(x, axis, c.Ints({0}), c.Vector(count), c.Ints({1}));
}

// Of factors the first `columns` columns; zeros where there are not that many.
Value* Columnwise(Composer& c, Value* factors, Value* columns) {
  const int last = c.Rank(factors) - 1;
  Value* first = FirstOf(c, factors, last, columns);
  if (c.failed()) return nullptr;
  Value* missing = c.Vector(c.Sub(columns, Columns(c, first)));
  Value* before = c.Full(c.Ints({2 * last + 1}), 0, DType::kI64);
  return c.Op("Pad", {first, c.Concat({before, missing}, 0)});
}

enum class QrMode { kReduced, kComplete, kOnlyR };

Result<Results> FactorQr(CallComposer& c, QrMode mode) {
  Value* x = FirstMatrices(c);
  const Qr qr = FactorQr(c, x);
  Value* least = c.Min(Rows(c, x), Columns(c, x));
  Value* count = mode == QrMode::kComplete ? Rows(c, x) : least;
  Value* r = Upper(c, FirstOf(c, qr.factors, c.Rank(x) - 2, count));
  if (mode == QrMode::kOnlyR) {
    Value* nothing = c.Full(c.Ints({0}), 0, RealPart(c.dtype(x)));
    return c.Done({AnyComplex(c, {x}) ? FromParts(c, {nothing, nothing}) : nothing, r});
  }
  Value* columns = Columnwise(c, qr.factors, count);
  return c.Done({ProductOf(c, {columns, qr.tau}), r});
}

// As many orthonormal columns as rows, the first of which are those of x, m by k: they are those of
// the reflections that make x triangular, but for their signs.
Value* CompleteBasis(Composer& c, Value* x) {
  const Qr qr = FactorQr(c, x);
  Value* columns = Columnwise(c, qr.factors, Rows(c, x));
  Value* q = ProductOf(c, {columns, qr.tau});
  Value* on_diagonal = c.Where(OnDiagonal(c, Rows(c, x), Rows(c, x)), columns, 0);
  Value* diagonal = c.Reduce("ReduceSum", on_diagonal, {c.Rank(x) - 2}, true);
  return c.Where(c.Less(PartsOf(c, diagonal).re, 0), c.Op("Neg", {q}), q);
}

// Of complex matrices A: V from that of their blocks, and U from A·V, of which columns that belong
// to singular values of 0 are filled up.
Svd FactorComplexSvd(Composer& c, Value* x) {
  const Svd blocks = FactorSvd(c, BlocksOf(c, x));
  Value* s = c.Slice(blocks.s, c.Rank(blocks.s) - 1, 0, kEnd, 2);
  Value* v = VectorsFromBlocks(c, Transposed(c, blocks.vh));
  const int rank = c.Rank(v);
  const DType dtype = RealPart(c.dtype(x));
  if (c.failed()) return {};
  Value* largest = c.Reduce("ReduceMax", s, {rank - 2}, true);
  Value* count = c.Cast(c.Max(Rows(c, x), Columns(c, x)), dtype);
  Value* is_zero = c.LessOrEqual(s, c.Mul(c.Mul(largest, count), Epsilon(dtype)));
  Value* scale = c.Where(is_zero, 0, c.Div(1, c.Where(is_zero, 1, s)));
  Value* first = c.Mul(MatMul(c, x, v), c.Unsqueeze(scale, {rank - 2}));
  Value* u = FirstOf(c, CompleteBasis(c, first), rank - 1, Columns(c, v));
  return {u, s, Adjoint(c, v)};
}

// A tolerance argument, a number or a tensor of one for each matrix; nullptr if it is not given.
Value* TakeTolerance(CallComposer& c, std::string_view name, DType dtype) {
  if (!c.Has(name)) return nullptr;
  Value* value = c.As(name, dtype);
  return c.Rank(value) > 0 ? c.Unsqueeze(value, {c.Rank(value)}) : value;
}

// Singular values up to here count as zero: max(atol, rtol · largest).
Value* Cutoff(CallComposer& c, Value* x, Value* values) {
  const DType dtype = RealPart(c.dtype(x));
  Value* atol = TakeTolerance(c, "atol", dtype);
  Value* rtol = TakeTolerance(c, "rtol", dtype);
  if (rtol == nullptr) rtol = TakeTolerance(c, "rcond", dtype);
  const int last = c.Rank(values) - 1;
  Value* largest = c.Reduce("ReduceMax", values, {last}, true);
  if (rtol == nullptr) {
    Value* size = c.Cast(c.Max(Rows(c, x), Columns(c, x)), dtype);
    rtol = c.Mul(size, Epsilon(dtype));
    if (atol != nullptr) rtol = c.Where(c.Greater(atol, 0), 0, rtol);
  }
  Value* relative = c.Mul(rtol, largest);
  return atol != nullptr ? c.Max(atol, relative) : relative;
}

Value* PseudoInverse(Composer& c, const Svd& svd, Value* cutoff) {
  Value* kept = c.Greater(svd.s, cutoff);
  Value* inverse = c.Where(kept, c.Op("Reciprocal", {c.Where(kept, svd.s, 1)}), 0);
  Value* v = c.Mul(Transposed(c, svd.vh), c.Unsqueeze(inverse, {c.Rank(svd.s) - 1}));
  return MatMul(c, v, Transposed(c, svd.u));
}

Value* Symmetric(Composer& c, Value* x) {
  Value* lower = Lower(c, x);
  Value* diagonal = c.Where(OnDiagonal(c, Rows(c, x), Columns(c, x)), x, 0);
  return c.Sub(c.Add(lower, Adjoint(c, lower)), diagonal);
}

// The norm of order 1, infinity or Frobenius of each matrix.
Value* EntryNorm(CallComposer& c, Value* x, const Abstract& order) {
  const int last = c.Rank(x) - 1;
  if (AnyComplex(c, {x})) x = c.Abs(x);
  const auto* number = order.As<Number>();
  if (const auto* text = order.As<String>(); text != nullptr && text->text() == "fro")
    return VectorNorm(c, x, 2, {last - 1, last}, false);
  if (number == nullptr || !number->known()) return c.Fail("a norm of order " + Describe(order));
  const double p = number->AsDouble();
  const bool rows = std::isinf(p);
  if (!rows && std::abs(p) != 1) return c.Fail("a norm of order " + std::to_string(p));
  Value* sums = c.ReduceSum(c.Abs(x), {rows ? last : last - 1});
  return c.Reduce(p > 0 ? "ReduceMax" : "ReduceMin", sums, {last - 1}, false);
}

}  // namespace

// Those of the blocks of complex matrices come in pairs.
Value* SingularValues(Composer& c, Value* x) {
  if (!AnyComplex(c, {x})) return FactorSvd(c, x).s;
  Value* twice = FactorSvd(c, BlocksOf(c, x)).s;
  return c.Slice(twice, c.Rank(twice) - 1, 0, kEnd, 2);
}

namespace {

Result<Results> LowerLinalgQr(Call& call) {
  CallComposer c(call);
  const std::string mode = c.Has("mode") ? c.Text("mode") : "reduced";
  if (mode == "r") return FactorQr(c, QrMode::kOnlyR);
  if (mode != "reduced" && mode != "complete")
    return call.Invalid("mode '" + mode + "' is unknown");
  return FactorQr(c, mode == "reduced" ? QrMode::kReduced : QrMode::kComplete);
}

Result<Results> LowerQr(Call& call) {
  CallComposer c(call);
  return FactorQr(c, c.BoolOr("some", true) ? QrMode::kReduced : QrMode::kComplete);
}

Result<Results> LowerGeqrf(Call& call) {
  CallComposer c(call);
  const Qr qr = FactorQr(c, FirstMatrices(c));
  return c.Done({qr.factors, qr.tau});
}

// linalg_householder_product, orgqr
Value* LowerHouseholderProduct(CallComposer& c) {
  Value* factors = c.Tensor(c.call().Declares("input") ? "input" : "self");
  Value* tau = c.Tensor(c.call().Declares("tau") ? "tau" : "input2");
  return ProductOf(c, {factors, tau});
}

// The product of `other` and the square orthogonal matrix that factors and tau stand for.
Value* LowerOrmqr(CallComposer& c) {
  Value* factors = c.Tensor("self");
  Value* other = c.Tensor("input3");
  Value* columns = Columnwise(c, factors, Rows(c, factors));
  Value* q = ProductOf(c, {columns, c.Tensor("input2")});
  if (c.BoolOr("transpose", false)) q = Adjoint(c, q);
  return c.BoolOr("left", true) ? MatMul(c, q, other) : MatMul(c, other, q);
}

// The unitary factor, and the positive semidefinite one to its right.
Result<Results> LowerLinalgPolar(Call& call) {
  CallComposer c(call);
  const Svd svd = FactorSvd(c, FirstMatrices(c));
  Value* v = Transposed(c, svd.vh);
  Value* h = MatMul(c, c.Mul(v, c.Unsqueeze(svd.s, {c.Rank(svd.s) - 1})), svd.vh);
  return c.Done({MatMul(c, svd.u, svd.vh), h});
}

Result<Results> LowerEigh(Call& call) {
  CallComposer c(call);
  Value* x = TakeSymmetric(c);
  const bool values = call.op().type == "linalg_eigvalsh";
  const bool complex = AnyComplex(c, {x});
  const std::vector<Value*> results =
      c.Ops("dragoman.SymmetricEigen", {complex ? HermitianBlocksOf(c, x) : x}, {}, 2);
  Value* sizes = results[0];
  if (complex) sizes = c.Slice(sizes, c.Rank(sizes) - 1, 0, kEnd, 2);
  if (values) return c.Done({sizes});
  if (c.KnownSize(x, c.Rank(x) - 1) == 0) return c.Done({sizes, x});  // it has no vectors
  return c.Done({sizes, complex ? VectorsFromBlocks(c, results[1]) : results[1]});
}

// linalg_eig, linalg_eigvals, _linalg_eigvals
Result<Results> LowerEig(Call& call) {
  CallComposer c(call);
  Value* x = FirstMatrices(c);
  const bool complex = AnyComplex(c, {x});
  const bool vectors = call.op().type == "linalg_eig";
  const std::vector<Value*> pairs =
      c.Ops("dragoman.Eigen", {complex ? PairsOf(c, x) : x},
            {{"complex", std::int64_t{complex ? 1 : 0}}}, vectors ? 2 : 1);
  if (!vectors) return c.Done({FromPairs(c, pairs[0])});
  return c.Done({FromPairs(c, pairs[0]), FromPairs(c, pairs[1])});
}

// linalg_svd, and svd, whose last result is V, not its transpose.
Result<Results> LowerSvd(Call& call) {
  CallComposer c(call);
  Value* x = FirstMatrices(c);
  const bool older = call.op().type == "svd";
  const Svd svd = AnyComplex(c, {x}) ? FactorComplexSvd(c, x) : FactorSvd(c, x);
  if (c.failed()) return c.Done({x});
  const bool full = older ? !c.BoolOr("some", true) : c.BoolOr("full_matrices", true);
  const Shape& sizes = *x->type().shape();
  const Truth square = Equal(sizes[sizes.size() - 2], sizes.back());
  Value *u = svd.u, *v = Adjoint(c, svd.vh);
  if (full && square != Truth::kYes) {
    u = CompleteBasis(c, u);
    v = CompleteBasis(c, v);
  }
  return c.Done({u, svd.s, older ? v : Adjoint(c, v)});
}

Value* LowerSvdvals(CallComposer& c) { return SingularValues(c, FirstMatrices(c)); }

// linalg_pinv, pinverse
Value* LowerPinv(CallComposer& c) {
  Value* x = FirstMatrices(c);
  if (c.BoolOr("hermitian", false)) x = Symmetric(c, x);
  const bool complex = AnyComplex(c, {x});
  const Svd svd = FactorSvd(c, complex ? BlocksOf(c, x) : x);
  Value* inverse = PseudoInverse(c, svd, Cutoff(c, x, svd.s));
  return complex ? FromBlocks(c, inverse) : inverse;
}

Value* LowerMatrixRank(CallComposer& c) {
  Value* x = FirstMatrices(c);
  if (c.BoolOr("hermitian", false)) x = Symmetric(c, x);
  Value* values = SingularValues(c, x);
  Value* cutoff =
      c.Has("tol") ? TakeTolerance(c, "tol", RealPart(c.dtype(x))) : Cutoff(c, x, values);
  Value* counted = c.Cast(c.Greater(values, cutoff), DType::kI64);
  return c.ReduceSum(counted, {c.Rank(values) - 1});
}

Value* LowerCond(CallComposer& c) {
  Value* x = FirstMatrices(c);
  const Abstract order = c.Has("p") ? c.Take(c.call().Argument("p")) : Abstract(Number::Int(2));
  const auto* number = order.As<Number>();
  if (number != nullptr && number->known() && std::abs(number->AsDouble()) == 2) {
    Value* values = SingularValues(c, x);
    const int last = c.Rank(values) - 1;
    Value* largest = c.Reduce("ReduceMax", values, {last}, false);
    Value* least = c.Reduce("ReduceMin", values, {last}, false);
    return number->AsDouble() > 0 ? c.Div(largest, least) : c.Div(least, largest);
  }
  if (const auto* text = order.As<String>(); text != nullptr && text->text() == "nuc") {
    Value* inverse = SingularValues(c, Inverse(c, x));
    Value* values = SingularValues(c, x);
    const int last = c.Rank(values) - 1;
    return c.Mul(c.ReduceSum(values, {last}), c.ReduceSum(inverse, {last}));
  }
  return c.Mul(EntryNorm(c, x, order), EntryNorm(c, Inverse(c, x), order));
}

// Solution, residuals, rank, singular values; what the driver does not reckon is empty.
Result<Results> LowerLstsq(Call& call) {
  CallComposer c(call);
  Value* a = FirstMatrices(c);
  Value* b = c.Tensor(call.Declares("B") ? "B" : "b");
  const bool vectors = c.Rank(b) == c.Rank(a) - 1;
  if (vectors) b = c.Unsqueeze(b, {c.Rank(b)});
  const std::string driver = c.Has("driver") ? c.Text("driver") : "gelsy";
  const bool complex = AnyComplex(c, {a});
  const Svd svd = FactorSvd(c, complex ? BlocksOf(c, a) : a);
  Value* cutoff = Cutoff(c, a, svd.s);
  Value* inverse = PseudoInverse(c, svd, cutoff);
  Value* x = MatMul(c, complex ? FromBlocks(c, inverse) : inverse, b);
  Value* nothing = c.Full(c.Ints({0}), 0, RealPart(c.dtype(a)));
  const int last = c.Rank(a) - 1;
  const auto rows = c.KnownSize(a, last - 1);
  const auto columns = c.KnownSize(a, last);
  if (!rows || !columns) return call.Unsupported("matrices of unknown sizes; give --shape");
  Value* residuals = nothing;
  if (*rows > *columns && driver != "gelsy") {
    Value* rest = c.Abs(c.Sub(MatMul(c, a, x), b));
    residuals = c.ReduceSum(c.Mul(rest, rest), {c.Rank(rest) - 2});
  }
  // Those of blocks come in pairs.
  Value* sizes = complex ? c.Slice(svd.s, c.Rank(svd.s) - 1, 0, kEnd, 2) : svd.s;
  Value* rank = c.Full(c.Ints({0}), 0, DType::kI64);
  if (driver != "gels")
    rank = c.ReduceSum(c.Cast(c.Greater(sizes, cutoff), DType::kI64), {c.Rank(sizes) - 1});
  const bool values = driver == "gelsd" || driver == "gelss";
  return c.Done(
      {vectors ? c.Squeeze(x, {c.Rank(x) - 1}) : x, residuals, rank, values ? sizes : nothing});
}

}  // namespace

std::span<const OpRow> MatrixSpectraRows() {
  static constexpr OpRow kRows[] = {
      {"aten._linalg_eigh", LowerEigh, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten._linalg_eigvals", LowerEig, {.complex = true}},
      {"aten._linalg_svd", LowerSvd, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.geqrf", LowerGeqrf, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_cond", LowerCond, {.complex = true}},
      {"aten.linalg_eig", LowerEig, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_eigh", LowerEigh, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_eigvals", LowerEig, {.complex = true}},
      {"aten.linalg_eigvalsh", LowerEigh, {.complex = true}},
      {"aten.linalg_householder_product",
       LowerHouseholderProduct,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_lstsq", LowerLstsq, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_matrix_rank", LowerMatrixRank, {.complex = true}},
      {"aten.linalg_pinv", LowerPinv, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_polar", LowerLinalgPolar, {.order = ResultOrder::kUnknown}},
      {"aten.linalg_qr", LowerLinalgQr, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_svd", LowerSvd, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_svdvals", LowerSvdvals, {.complex = true}},
      {"aten.orgqr", LowerHouseholderProduct, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.ormqr", LowerOrmqr, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.pinverse", LowerPinv, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.qr", LowerQr, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.svd", LowerSvd, {.complex = true, .order = ResultOrder::kUnknown}},
  };
  return kRows;
}

}  // namespace dragoman::torch
