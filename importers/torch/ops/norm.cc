// SPDX-License-Identifier: Apache-2.0
// Norms of vectors and matrices.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/matrices.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/reduced_axes.h"

namespace dragoman::torch {

Value* VectorNorm(Composer& c, Value* x, double p, const std::vector<std::int64_t>& axes,
                  bool keep) {
  if (axes.empty()) return p == 0 ? c.CastLike(c.NotEqual(x, 0), x) : c.Abs(x);
  if (std::isinf(p)) return c.Reduce(p > 0 ? "ReduceMax" : "ReduceMin", c.Abs(x), axes, keep);
  Value* wide = c.Widen(x);
  const auto norm = [&]() -> Value* {
    if (p == 0) return c.ReduceSum(c.CastLike(c.NotEqual(x, 0), wide), axes, keep);
    if (p == 1) return c.Reduce("ReduceL1", wide, axes, keep);
    if (p == 2) return c.Reduce("ReduceL2", wide, axes, keep);
    return c.Pow(c.ReduceSum(c.Pow(c.Abs(wide), p), axes, keep), 1 / p);
  };
  return c.CastLike(norm(), x);
}

namespace {

double Order(CallComposer& c, std::string_view name) { return c.Has(name) ? c.Float(name) : 2; }

Value* Magnitudes(Composer& c, Value* x) { return IsComplex(c.dtype(x)) ? c.Abs(x) : x; }

Value* NormOperand(CallComposer& c) {
  Value* x = c.Tensor("self");
  const DType dtype = c.DTypeOr("dtype", c.dtype(x));
  return c.Cast(Magnitudes(c, x), RealPart(dtype));
}

// Complex elements stay complex: singular values are not those of their magnitudes.
Value* MatrixOperand(CallComposer& c) {
  Value* x = c.Tensor("self");
  return c.Cast(x, c.DTypeOr("dtype", c.dtype(x)));
}

// Singular values of the matrices that two axes make, along a last axis.
Value* ValuesOf(Composer& c, Value* x, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> permutation = AllAxes(c.Rank(x));
  if (c.failed()) return nullptr;
  for (std::int64_t axis : axes) std::erase(permutation, axis);
  permutation.insert(permutation.end(), axes.begin(), axes.end());
  return SingularValues(c, c.Transpose(x, std::move(permutation)));
}

Value* KeepAxes(Composer& c, Value* x, std::vector<std::int64_t> axes, bool keep) {
  std::sort(axes.begin(), axes.end());
  return keep ? c.Unsqueeze(x, std::move(axes)) : x;
}

Value* NuclearNorm(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep) {
  Value* values = ValuesOf(c, x, axes);
  return KeepAxes(c, c.ReduceSum(values, {c.Rank(values) - 1}), axes, keep);
}

// The largest, or least, of numbers that are not negative; 0 is the largest of none.
Value* Extreme(Composer& c, Value* x, bool largest, int axis, bool keep) {
  Value* found = c.Reduce(largest ? "ReduceMax" : "ReduceMin", x, {axis}, keep);
  const bool may_be_empty = c.KnownSize(x, axis).value_or(0) == 0;
  return largest && may_be_empty ? c.Max(found, 0) : found;
}

// Of order 2 or -2: the largest or least singular value.
Value* SpectralNorm(Composer& c, Value* x, double order, const std::vector<std::int64_t>& axes,
                    bool keep) {
  Value* values = ValuesOf(c, x, axes);
  Value* chosen = Extreme(c, values, order > 0, c.Rank(values) - 1, false);
  return KeepAxes(c, chosen, axes, keep);
}

// Over two axes: the largest or smallest of the sums along the other axis, or Frobenius.
Value* MatrixNorm(Composer& c, Value* x, double order, int rows, int columns, bool keep) {
  const int summed = std::abs(order) == 1 ? rows : columns;
  const int other = summed == rows ? columns : rows;
  if (std::abs(order) != 1 && !std::isinf(order))
    return c.Fail("the norm of order " + std::to_string(order) + " of a matrix");
  Value* sums = c.ReduceSum(c.Abs(x), {summed}, true);
  Value* chosen = Extreme(c, sums, order > 0, other, true);
  return keep ? chosen : c.Squeeze(chosen, {std::min(rows, columns), std::max(rows, columns)});
}

// Two axes in the order of argument `dim`.
std::vector<std::int64_t> MatrixAxes(CallComposer& c, Value* x) {
  const int rank = c.Rank(x);
  std::vector<std::int64_t> axes = {-2, -1};
  if (c.Has("dim")) axes = c.Take(c.call().IntList("dim", 2));
  axes.resize(2);
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  return axes;
}

Result<Value*> LowerMatrixNormOf(CallComposer& c, Value* x) {
  const std::vector<std::int64_t> axes = MatrixAxes(c, x);
  const bool keep = c.BoolOr("keepdim", false);
  const Abstract order = c.Take(c.call().Argument("ord"));
  if (order.Is<String>()) {
    const std::string text = c.Text("ord");
    if (text == "nuc") return c.Done(NuclearNorm(c, x, axes, keep));
    if (text != "fro") return c.call().Unsupported("ord = '" + text + "'");
    return c.Done(VectorNorm(c, Magnitudes(c, x), 2, axes, keep));
  }
  const double norm = c.Float("ord");
  if (std::abs(norm) == 2) return c.Done(SpectralNorm(c, x, norm, axes, keep));
  const int rows = static_cast<int>(axes[0]);
  return c.Done(MatrixNorm(c, x, norm, rows, static_cast<int>(axes[1]), keep));
}

// norm, frobenius_norm
Value* LowerNorm(CallComposer& c) {
  Value* x = NormOperand(c);
  const double p = c.call().Declares("p") ? Order(c, "p") : 2;
  const ReducedAxes axes = TakeAxes(c, x);
  return VectorNorm(c, axes.of, p, axes.axes, axes.keep);
}

Result<Value*> LowerLinalgVectorNorm(Call& call) {
  CallComposer c(call);
  Value* x = NormOperand(c);
  const double p = Order(c, "ord");
  const ReducedAxes axes = TakeAxes(c, x);
  return c.Done(VectorNorm(c, axes.of, p, axes.axes, axes.keep));
}

Result<Value*> LowerLinalgMatrixNorm(Call& call) {
  CallComposer c(call);
  return LowerMatrixNormOf(c, MatrixOperand(c));
}

// With an order, two axes make it the norm of a matrix.
Result<Value*> LowerLinalgNorm(Call& call) {
  CallComposer c(call);
  Value* x = MatrixOperand(c);
  const std::size_t axes =
      c.Has("dim") ? c.Take(call.IntList("dim")).size() : static_cast<std::size_t>(c.Rank(x));
  if (c.Has("ord") && axes == 2) return LowerMatrixNormOf(c, x);
  return LowerLinalgVectorNorm(call);
}

// The sum of singular values.
Value* LowerNuclearNorm(CallComposer& c) {
  Value* x = c.Tensor("self");
  return NuclearNorm(c, x, MatrixAxes(c, x), c.BoolOr("keepdim", false));
}

Value* LowerDist(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  Value* difference = c.Sub(x[0], x[1]);
  return VectorNorm(c, c.Flatten(Magnitudes(c, difference)), Order(c, "p"), {0}, false);
}

}  // namespace

std::span<const OpRow> NormRows() {
  static constexpr OpRow kRows[] = {
      {"aten.dist", LowerDist, {.complex = true}},
      {"aten.frobenius_norm", LowerNorm, {.complex = true}},
      {"aten.linalg_matrix_norm", LowerLinalgMatrixNorm, {.complex = true}},
      {"aten.linalg_norm", LowerLinalgNorm, {.complex = true}},
      {"aten.linalg_vector_norm", LowerLinalgVectorNorm, {.complex = true}},
      {"aten.norm", LowerNorm, {.complex = true}},
      {"aten.nuclear_norm", LowerNuclearNorm, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
