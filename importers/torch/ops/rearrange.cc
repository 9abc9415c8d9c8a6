// SPDX-License-Identifier: Apache-2.0
// Operators that move elements to other places: flip, roll, triangles, diagonals, pixel shuffles…
#include "importers/torch/ops/op_rows.h"

#include <limits>
#include <utility>

#include "core/lowering/number_value.h"
#include "core/support/floor_division.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

Value* Flip(Composer& c, Value* x, int axis) {
  constexpr std::int64_t kBegin = std::numeric_limits<std::int64_t>::min();
  return c.Slice(x, axis, -1, kBegin, -1);
}

// The last `shift` elements of an axis come first; a shift may be negative or beyond the size.
Value* Roll(Composer& c, Value* x, int axis, const Number& shift) {
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  if (size == 0) return x;
  if (size && shift.known()) {
    const std::int64_t moved = FloorRemainder(shift.AsInt(), *size);
    if (moved == 0) return x;
    return c.Concat({c.Slice(x, axis, *size - moved, kEnd), c.Slice(x, axis, 0, *size - moved)},
                    axis);
  }
  Value* count = c.SizeVector(x, axis, 1);
  Value* moved = shift.known() ? c.Ints({shift.AsInt()})
                               : c.Vector(c.Take(NumberValue(c.builder(), shift, DType::kI64)));
  // An axis without elements has none to move, and no remainder.
  Value* divisor = size ? count : c.Max(count, 1);
  Value* first = c.Sub(count, c.Op("Mod", {moved, divisor}));
  Value* one = c.Ints({1});
  Value* tail = c.Slice(x, axis, first, c.Ints({kEnd}), one);
  Value* rolled = c.Concat({tail, c.Slice(x, axis, c.Ints({0}), first, one)}, axis);
  return WithSizesOf(c, rolled, x);
}

Result<Value*> KeptTriangle(Call& call, bool upper) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const DType type = c.dtype(x);
  const bool direct = type != DType::kBF16;
  Value* offset = c.Take(call.IntValue("diagonal"));
  Value* cut = c.Op("Trilu", {direct ? x : c.Cast(x, DType::kF32), offset},
                    {{"upper", std::int64_t{upper}}});
  return c.Done(c.Cast(cut, type));
}

// Elements where row - column of the axes is -offset, as a last axis.
Value* Diagonal(Composer& c, Value* x, std::int64_t offset, int first, int second) {
  const int rank = c.Rank(x);
  std::vector<std::int64_t> permutation;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != first && axis != second) permutation.push_back(axis);
  }
  permutation.push_back(first);
  permutation.push_back(second);
  x = c.Transpose(x, std::move(permutation));
  Value* rows = c.Size(x, rank - 2);
  Value* columns = c.Size(x, rank - 1);
  Value* count = offset >= 0 ? c.Min(rows, c.Sub(columns, c.Int(offset)))
                             : c.Min(c.Add(rows, c.Int(offset)), columns);
  Value* places = c.Iota(c.Max(count, c.Int(0)));
  Value* row = offset >= 0 ? places : c.Sub(places, c.Int(offset));
  Value* column = offset >= 0 ? c.Add(places, c.Int(offset)) : places;
  Value* flat = c.Add(c.Mul(row, columns), column);
  Value* lines = MergedSize(c, x, rank - 2, 2);
  if (rank > 2) lines = c.ConcatSizes({c.SizeVector(x, 0, rank - 2), lines});
  return c.Gather(c.Reshape(x, lines), flat, rank - 2);
}

// The last axis on the diagonal of two new ones, zeros elsewhere.
Value* EmbedDiagonal(Composer& c, Value* x, std::int64_t offset, int first, int second) {
  const int rank = c.Rank(x) + 1;
  Value* size = c.Size(x, rank - 2);
  Value* grown = c.Add(size, c.Int(std::abs(offset)));
  Value* rows = c.Unsqueeze(c.Iota(grown), {1});
  Value* columns = c.Iota(grown);
  Value* on_diagonal = c.Equal(c.Add(rows, c.Int(offset)), columns);
  Value* source = offset >= 0 ? rows : columns;
  Value* clamped = c.Min(source, c.Sub(size, 1));
  Value* shape = c.ConcatSizes({c.Vector(grown), c.Vector(grown)});
  Value* spread = c.Gather(x, c.Expand(c.Max(clamped, 0), shape), rank - 2);
  Value* matrix = c.Where(on_diagonal, spread, 0);
  std::vector<std::int64_t> permutation;
  int next = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis == first) {
      permutation.push_back(rank - 2);
    } else if (axis == second) {
      permutation.push_back(rank - 1);
    } else {
      permutation.push_back(next++);
    }
  }
  return c.Transpose(matrix, std::move(permutation));
}

Value* LowerFlip(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  for (std::int64_t axis : c.Take(c.call().IntList("dims"))) {
    const int counted = c.Axis(axis, rank);
    if (rank > 0) x = Flip(c, x, counted);
  }
  return x;
}

// fliplr, flipud
Value* LowerFlipAxis(CallComposer& c) {
  return Flip(c, c.Tensor("self"), c.call().op().type == "fliplr" ? 1 : 0);
}

// Turns the plane of two axes by quarters.
Value* LowerRot90(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const std::vector<std::int64_t> axes = c.Take(c.call().IntList("dims"));
  if (c.failed()) return nullptr;
  if (axes.size() != 2) return c.Fail(c.call().Invalid("dims must be two axes"));
  const int a = c.Axis(axes[0], rank);
  const int b = c.Axis(axes[1], rank);
  const std::int64_t rotations = ((c.Int("k") % 4) + 4) % 4;
  if (rotations == 1) return c.SwapAxes(Flip(c, x, b), a, b);
  if (rotations == 2) return Flip(c, Flip(c, x, a), b);
  return rotations == 3 ? c.SwapAxes(Flip(c, x, a), a, b) : x;
}

Value* LowerRoll(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::vector<Number> shifts = c.Take(c.call().Scalars("shifts"));
  const std::vector<std::int64_t> axes = c.Take(c.call().IntList("dims"));
  if (c.failed()) return nullptr;
  if (axes.empty() && shifts.size() == 1)
    return c.Reshape(Roll(c, c.Flatten(x), 0, shifts[0]), c.Shape(x));
  if (axes.size() != shifts.size())
    return c.Fail(c.call().Invalid("shifts and dims differ in length"));
  for (std::size_t i = 0; i < axes.size(); ++i)
    x = Roll(c, x, c.Axis(axes[i], c.Rank(x)), shifts[i]);
  return x;
}

Result<Value*> LowerTril(Call& call) { return KeptTriangle(call, false); }
Result<Value*> LowerTriu(Call& call) { return KeptTriangle(call, true); }

}  // namespace

View TakeDiagonalView(CallComposer& c) {
  Value* x = c.Tensor(c.call().Declares("A") ? "A" : "self");
  const int first = c.AxisArgument("dim1", x);
  const int second = c.AxisArgument("dim2", x);
  const std::int64_t offset = c.Int("offset");
  if (first == second) c.Fail(InvalidInput("dim1 and dim2 are equal"));
  View view;
  view.get = [=](Composer& inner, Value* base) {
    return Diagonal(inner, base, offset, first, second);
  };
  view.steps = [=](std::vector<Dim> base) {
    const Dim along =
        base[static_cast<std::size_t>(first)] + base[static_cast<std::size_t>(second)];
    base.erase(base.begin() + std::max(first, second));
    base.erase(base.begin() + std::min(first, second));
    base.push_back(along);
    return base;
  };
  return view;
}

namespace {

Result<Results> LowerDiagonal(Call& call) {
  CallComposer c(call);
  return LowerView(c, TakeDiagonalView(c));
}

Result<Results> LowerLinalgDiagonal(Call& call) {
  CallComposer c(call);
  const Abstract matrices = c.Take(call.Argument("A"));
  return c.DoneWith({MakeView(c, matrices, TakeDiagonalView(c))});
}

Value* LowerDiagEmbed(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x) + 1;
  const int first = c.Axis(c.Int("dim1"), rank);
  return EmbedDiagonal(c, x, c.Int("offset"), first, c.Axis(c.Int("dim2"), rank));
}

// A vector becomes a matrix, a matrix its diagonal.
Value* LowerDiag(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::int64_t offset = c.Int("diagonal");
  if (c.Rank(x) == 1) return EmbedDiagonal(c, x, offset, 0, 1);
  return Diagonal(c, x, offset, 0, 1);
}

Value* LowerDiagFlat(CallComposer& c) {
  return EmbedDiagonal(c, c.Flatten(c.Tensor("self")), c.Int("offset"), 0, 1);
}

// Channels r² c + … become blocks of r x r; leading axes are kept.
Value* LowerPixelShuffle(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const std::int64_t r = c.Int("upscale_factor");
  if (rank == 4) {
    return c.Op("DepthToSpace", {x}, {{"blocksize", r}, {"mode", "CRD"}});
  }
  if (c.failed()) return nullptr;
  if (rank < 3) return c.Fail(c.call().Invalid("it needs three axes"));
  Value* lead = c.ConcatSizes({MergedSize(c, x, 0, rank - 3), c.SizeVector(x, rank - 3, 3)});
  Value* y = c.Op("DepthToSpace", {c.Reshape(x, lead)}, {{"blocksize", r}, {"mode", "CRD"}});
  Value* tail = c.SizeVector(y, 1, 3);
  return c.Reshape(y, rank == 3 ? tail : c.ConcatSizes({c.SizeVector(x, 0, rank - 3), tail}));
}

Value* LowerPixelUnshuffle(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const std::int64_t r = c.Int("downscale_factor");
  if (c.failed()) return nullptr;
  if (rank < 3 || r < 1) return c.Fail(c.call().Invalid("it needs three axes and a factor"));
  const auto size = [&](int axis) { return c.SizeVector(x, axis, 1); };
  Value* factor = c.Ints({r});
  Value* rows = c.Div(size(rank - 2), factor);
  Value* columns = c.Div(size(rank - 1), factor);
  Value* leading = rank == 4 ? size(0) : MergedSize(c, x, 0, rank - 3);
  Value* blocks =
      c.Reshape(x, c.ConcatSizes({leading, size(rank - 3), rows, factor, columns, factor}));
  Value* ordered = c.Transpose(blocks, {0, 1, 3, 5, 2, 4});
  std::vector<Value*> sizes = {c.Mul(size(rank - 3), c.Ints({r * r})), rows, columns};
  if (rank > 3) sizes.insert(sizes.begin(), c.SizeVector(x, 0, rank - 3));
  return c.Reshape(ordered, c.ConcatSizes(std::move(sizes)));
}

Value* LowerChannelShuffle(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 3) return c.Fail(c.call().Invalid("it needs three axes"));
  const std::int64_t groups = c.Int("groups");
  Value* split = c.ConcatSizes({c.SizeVector(x, 0, 1), c.Ints({groups}),
                                MergedSize(c, x, 1, 1, groups), c.SizeVector(x, 2, rank - 2)});
  return c.Reshape(c.SwapAxes(c.Reshape(x, split), 1, 2), c.Shape(x));
}

}  // namespace

std::span<const OpRow> RearrangeRows() {
  static constexpr OpRow kRows[] = {
      {"aten.channel_shuffle", LowerChannelShuffle, {.complex = true}},
      {"aten.diag", LowerDiag, {.complex = true}},
      {"aten.diag_embed", LowerDiagEmbed, {.complex = true}},
      {"aten.diagflat", LowerDiagFlat, {.complex = true}},
      {"aten.diagonal", LowerDiagonal, {.complex = true}},
      {"aten.diagonal_copy", LowerDiagonal, {.complex = true}},
      {"aten.flip", LowerFlip, {.complex = true}},
      {"aten.fliplr", LowerFlipAxis, {.complex = true}},
      {"aten.flipud", LowerFlipAxis, {.complex = true}},
      {"aten.linalg_diagonal", LowerLinalgDiagonal, {.complex = true}},
      {"aten.native_channel_shuffle", LowerChannelShuffle, {.complex = true}},
      {"aten.pixel_shuffle", LowerPixelShuffle, {.complex = true}},
      {"aten.pixel_unshuffle", LowerPixelUnshuffle, {.complex = true}},
      {"aten.roll", LowerRoll, {.complex = true}},
      {"aten.rot90", LowerRot90, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.tril", LowerTril, {.complex = true}},
      {"aten.triu", LowerTriu, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
