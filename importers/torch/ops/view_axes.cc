// SPDX-License-Identifier: Apache-2.0
// Views that put axes into another order, or repeat elements along some.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "core/lowering/complex.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

using Permutation = std::vector<std::int64_t>;

View Permuting(Permutation permutation) {
  Permutation inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  View view;
  view.contiguous = std::is_sorted(permutation.begin(), permutation.end());
  view.steps = [permutation](const std::vector<Dim>& base) {
    std::vector<Dim> steps;
    for (std::int64_t axis : permutation) steps.push_back(base[static_cast<std::size_t>(axis)]);
    return steps;
  };
  view.get = [permutation = std::move(permutation)](Composer& c, Value* base) {
    return c.Transpose(base, permutation);
  };
  view.put = [inverse = std::move(inverse)](Composer& c, Value*, Value* value) {
    return c.Transpose(value, inverse);
  };
  return view;
}

Result<Results> SwapAxes(CallComposer& c, int rank, int a, int b) {
  if (c.failed()) return c.DoneWith({});
  Permutation permutation = AllAxes(rank);
  if (rank > 0) {
    std::swap(permutation[static_cast<std::size_t>(a)], permutation[static_cast<std::size_t>(b)]);
  }
  return LowerView(c, Permuting(std::move(permutation)));
}

View ConjugateTransposed(int a, int b) {
  View view;
  view.steps = [=](std::vector<Dim> base) {
    std::swap(base[static_cast<std::size_t>(a)], base[static_cast<std::size_t>(b)]);
    return base;
  };
  view.get = [=](Composer& c, Value* base) { return Conjugate(c, c.SwapAxes(base, a, b)); };
  view.put = [=](Composer& c, Value*, Value* value) {
    return Conjugate(c, c.SwapAxes(value, a, b));
  };
  return view;
}

// transpose, swapaxes, swapdims
Result<Results> LowerTranspose(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const bool axes = call.Declares("axis0");
  const int a = c.AxisArgument(axes ? "axis0" : "dim0", x);
  const int b = c.AxisArgument(axes ? "axis1" : "dim1", x);
  return SwapAxes(c, c.Rank(x), a, b);
}

// t: of at most two axes
Result<Results> LowerT(Call& call) {
  CallComposer c(call);
  const int rank = c.Rank(c.Tensor("self"));
  if (rank > 2) return call.Invalid("t() of a tensor of rank " + std::to_string(rank));
  return rank < 2 ? LowerAlias(c) : SwapAxes(c, rank, 0, 1);
}

// mT, mH, adjoint
Result<Results> LowerMatrixTranspose(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  if (c.failed()) return c.DoneWith({});
  if (IsComplex(c.dtype(x)) && call.op().type != "mT") {
    if (rank < 2) return call.Invalid("it needs two axes");
    return LowerView(c, ConjugateTransposed(rank - 2, rank - 1));
  }
  if (rank < 2) return rank == 0 ? LowerAlias(c) : call.Invalid("it needs two axes");
  return SwapAxes(c, rank, rank - 2, rank - 1);
}

// numpy_T, H
Result<Results> LowerReverseAxes(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x)) && call.op().type == "matrix_H" && !c.failed())
    return LowerView(c, c.Rank(x) == 2 ? ConjugateTransposed(0, 1) : ConjugateView());
  Permutation permutation = AllAxes(c.Rank(x));
  std::reverse(permutation.begin(), permutation.end());
  return LowerView(c, Permuting(std::move(permutation)));
}

Result<Results> LowerPermute(Call& call) {
  CallComposer c(call);
  const int rank = c.Rank(c.Tensor("self"));
  Permutation permutation = c.Take(call.IntList("dims"));
  for (std::int64_t& axis : permutation) axis = c.Axis(axis, rank);
  Permutation sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  if (!c.failed() && sorted != AllAxes(rank)) return call.Invalid("dims is not a permutation");
  return LowerView(c, Permuting(std::move(permutation)));
}

// movedim, moveaxis
Result<Results> LowerMoveAxes(Call& call) {
  CallComposer c(call);
  const int rank = c.Rank(c.Tensor("self"));
  const std::vector<std::int64_t> from = c.Take(call.IntList("source"));
  const std::vector<std::int64_t> to = c.Take(call.IntList("destination"));
  if (from.size() != to.size()) return call.Invalid("source and destination differ in length");
  Permutation permutation(static_cast<std::size_t>(rank), -1);
  std::vector<std::int64_t> rest = AllAxes(rank);
  for (std::size_t i = 0; i < from.size() && rank > 0; ++i) {
    const int axis = c.Axis(from[i], rank);
    permutation[static_cast<std::size_t>(c.Axis(to[i], rank))] = axis;
    std::erase(rest, axis);
  }
  auto next = rest.begin();
  for (std::int64_t& axis : permutation) {
    if (axis == -1 && next != rest.end()) axis = *next++;
  }
  Permutation sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != AllAxes(rank)) return call.Invalid("an axis is repeated");
  return LowerView(c, Permuting(std::move(permutation)));
}

// expand, broadcast_to: a size of -1 stays as it is.
Result<Results> LowerExpand(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  std::vector<Number> sizes = c.Take(call.Scalars("size"));
  const bool keeps = std::any_of(sizes.begin(), sizes.end(), [](const Number& size) {
    return size.known() && size.AsInt() == -1;
  });
  if (!keeps) return LowerView(c, ExpandView(c, x, c.Take(call.NumberList(sizes))));
  const int added = static_cast<int>(sizes.size()) - c.Rank(x);
  for (int i = 0; i < static_cast<int>(sizes.size()) && !c.failed(); ++i) {
    Number& size = sizes[static_cast<std::size_t>(i)];
    if (!size.known() || size.AsInt() != -1) continue;
    if (i < added) return call.Invalid("-1 stands for an axis that is new");
    size = c.Take(call.SizeOf(x, i - added));
  }
  return LowerView(c, ExpandView(c, x, c.Take(call.NumberList(sizes))));
}

Result<Results> LowerExpandAs(Call& call) {
  CallComposer c(call);
  return LowerView(c, ExpandView(c, c.Tensor("self"), c.Shape(c.Tensor("other"))));
}

}  // namespace

std::span<const OpRow> ViewAxesRows() {
  static constexpr OpRow kRows[] = {
      {"aten.adjoint", LowerMatrixTranspose, {.complex = true}},
      {"aten.broadcast_to", LowerExpand, {.complex = true}},
      {"aten.expand", LowerExpand, {.complex = true}},
      {"aten.expand_as", LowerExpandAs, {.complex = true}},
      {"aten.expand_copy", LowerExpand, {.complex = true}},
      {"aten.mH", LowerMatrixTranspose, {.complex = true}},
      {"aten.mT", LowerMatrixTranspose, {.complex = true}},
      {"aten.matrix_H", LowerReverseAxes, {.complex = true}},
      {"aten.moveaxis", LowerMoveAxes, {.complex = true}},
      {"aten.movedim", LowerMoveAxes, {.complex = true}},
      {"aten.numpy_T", LowerReverseAxes, {.complex = true}},
      {"aten.permute", LowerPermute, {.complex = true}},
      {"aten.permute_copy", LowerPermute, {.complex = true}},
      {"aten.swapaxes", LowerTranspose, {.complex = true}},
      {"aten.swapdims", LowerTranspose, {.complex = true}},
      {"aten.t", LowerT, {.complex = true}},
      {"aten.t_copy", LowerT, {.complex = true}},
      {"aten.transpose", LowerTranspose, {.complex = true}},
      {"aten.transpose_copy", LowerTranspose, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
