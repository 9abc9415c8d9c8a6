// SPDX-License-Identifier: Apache-2.0
// How often numbers come, and where they lie in an order.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/lowering/math.h"

namespace dragoman::tf {

// No weights are one axis without elements.
bool HasWeights(Call& c, const Value* weights) {
  const std::optional<Ints> sizes = c.failed() ? std::nullopt : c.KnownSizes(weights);
  if (sizes) return std::find(sizes->begin(), sizes->end(), 0) == sizes->end();
  const std::optional<int> rank = c.failed() ? std::nullopt : c.MaybeRank(weights);
  if (rank && *rank > 1) return true;
  c.Fail("weights whose number is not known; state it with --shape");
  return false;
}

Value* CountInRows(Call& c, const RowNumbers& rows, Value* numbers, Value* size, Value* weights) {
  const DType type = c.dtype(weights);
  const bool binary = c.BoolOr("binary_output", false);
  const bool weighted = !binary && HasWeights(c, weights);
  Value* each = weighted ? c.Flatten(weights) : c.Full(c.SizeVector(numbers, 0, 1), 1, type);
  Value* cells = c.Mul(rows.count, size);
  // Other numbers go to one place more.
  Value* counts = c.And(c.GreaterOrEqual(numbers, 0), c.Less(numbers, size));
  Value* place = c.Where(counts, c.Add(c.Mul(rows.rows, size), numbers), cells);
  Value* zeros = c.Full(c.Vector(c.Add(cells, 1)), 0, type);
  Value* found = c.Op("ScatterND", {zeros, c.Unsqueeze(place, {1}), each}, {{"reduction", "add"}});
  found = c.Slice(found, 0, 0, -1);
  if (binary) found = c.Min(found, 1);
  return c.Reshape(found, c.ConcatSizes({c.Vector(rows.count), c.Vector(size)}));
}

namespace {

Value* LowerBincount(Call& c) {
  Value* x = c.Flatten(c.Index(0));
  Value* size = c.IndexNumber(1);
  Value* none = c.Full(c.SizeVector(x, 0, 1), 0, DType::kI64);
  return c.Squeeze(CountInRows(c, {none, c.Int(1)}, x, size, c.Tensor(2)), {0});
}

Value* LowerDenseBincount(Call& c) {
  Value* x = c.Index(0);
  Value* size = c.IndexNumber(1);
  Value* weights = c.Tensor(2);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 1 || rank > 2) return c.Fail(InvalidInput("numbers of rank " + std::to_string(rank)));
  if (rank == 1) {
    Value* none = c.Full(c.SizeVector(x, 0, 1), 0, DType::kI64);
    return c.Squeeze(CountInRows(c, {none, c.Int(1)}, x, size, weights), {0});
  }
  Value* count = c.Size(x, 0);
  Value* rows = c.Expand(c.Unsqueeze(c.Iota(count), {1}), c.Shape(x));
  return CountInRows(c, {c.Flatten(rows), count}, c.Flatten(x), size, weights);
}

// How many values lie in each of `nbins` equal parts of a range; what is outside is at its ends.
Value* LowerHistogramFixedWidth(Call& c) {
  Value* values = c.Flatten(c.Tensor(0));
  Value* range = c.Tensor(1);
  Value* bins = c.IndexNumber(2);
  const DType type = c.TypeAttribute("dtype");
  Value* low = c.Select(range, 0, 0);
  Value* step =
      c.Div(c.Cast(c.Sub(c.Select(range, 0, 1), low), DType::kF64), c.Cast(bins, DType::kF64));
  Value* above = c.Cast(c.Sub(c.Max(values, low), low), DType::kF64);
  Value* last = c.Cast(c.Sub(bins, 1), DType::kF64);
  Value* bin = c.Cast(c.Min(c.Div(above, step), last), DType::kI64);
  Value* zeros = c.Full(c.Vector(bins), 0, type);
  Value* ones = c.Full(c.SizeVector(values, 0, 1), 1, type);
  return c.Op("ScatterND", {zeros, c.Unsqueeze(bin, {1}), ones}, {{"reduction", "add"}});
}

// The nth smallest (or largest) of each row.
Value* LowerNthElement(Call& c) {
  Value* x = c.Tensor(0);
  Value* n = c.IndexNumber(1);
  const std::int64_t largest = c.BoolAttribute("reverse");
  const std::vector<Value*> sorted =
      c.Ops("TopK", {x, c.Vector(c.Add(n, 1))},
            {{"axis", std::int64_t{-1}}, {"largest", largest}, {"sorted", std::int64_t{1}}}, 2);
  return c.Gather(sorted[0], n, c.Rank(x) - 1);
}

// (axes, numbers), or (axes) for one number.
Value* LowerUnravelIndex(Call& c) {
  Value* numbers = c.Tensor(0);
  const DType type = c.dtype(numbers);
  Value* sizes = c.Index(1);
  const int rank = c.Rank(numbers);
  const std::optional<std::int64_t> axes = c.failed() ? std::nullopt : c.KnownSize(sizes, 0);
  if (c.failed()) return nullptr;
  if (!axes || *axes < 1 || *axes > kMaxAxes)
    return c.Fail("a number of axes known only at run time");
  Value* rest = c.Flatten(c.Index(0));
  std::vector<Value*> rows(static_cast<std::size_t>(*axes));
  for (std::int64_t i = *axes; i-- > 0;) {
    Value* size = c.Select(sizes, 0, i);
    rows[static_cast<std::size_t>(i)] = c.Unsqueeze(c.Op("Mod", {rest, size}), {0});
    rest = c.Div(rest, size);
  }
  Value* all = c.Cast(c.Concat(std::move(rows), 0), type);
  return rank == 0 ? c.Squeeze(all, {1}) : all;
}

}  // namespace

std::span<const OpRow> CountsRows() {
  static constexpr OpRow kRows[] = {
      {"Bincount", LowerBincount},
      {"DenseBincount", LowerDenseBincount},
      {"HistogramFixedWidth", LowerHistogramFixedWidth},
      {"NthElement", LowerNthElement},
      {"UnravelIndex", LowerUnravelIndex},
  };
  return kRows;
}

}  // namespace dragoman::tf
