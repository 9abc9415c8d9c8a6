// SPDX-License-Identifier: Apache-2.0
// Ragged tensors as sparse ones, rows of them, and counts in their rows.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/lists.h"
#include "importers/tensorflow/ops/ragged_form.h"

#include <string>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/sparse_form.h"

namespace dragoman::tf {

RaggedRows RowsOfSplits(Call& c, Value* splits) {
  Value* starts = c.Slice(splits, 0, 0, -1);
  return {starts, c.Sub(c.Slice(splits, 0, 1, kEnd), starts)};
}

Value* SplitsOf(Call& c, Value* lengths) {
  return c.Concat({c.Ints({0}), c.Op("CumSum", {lengths, c.Int(0)})}, 0);
}

Value* RowOfEach(Call& c, Value* splits, Value* count) {
  // Each row that ends at or before a value is one more before its own.
  Value* ends = c.Slice(splits, 0, 1, kEnd);
  Value* ones = c.Full(c.SizeVector(ends, 0, 1), 1, DType::kI64);
  Value* none = c.Full(c.Vector(c.Add(count, 1)), 0, DType::kI64);
  Value* marks = c.Op("ScatterND", {none, c.Unsqueeze(ends, {1}), ones}, {{"reduction", "add"}});
  return c.Op("CumSum", {c.Slice(marks, 0, 0, -1), c.Int(0)});
}

namespace {

// The axes within a value are axes of the sparse tensor, too.
std::vector<Value*> LowerRaggedTensorToSparse(Call& c) {
  const std::int64_t ragged = c.IntAttribute("RAGGED_RANK");
  if (!c.failed() && (ragged < 1 || ragged > kMaxAxes))
    c.Fail(InvalidInput("RAGGED_RANK out of range"));
  if (c.failed()) return {};
  Value* values = c.Tensor(static_cast<std::size_t>(ragged));
  const int rank = c.Rank(values);
  if (c.failed()) return {};
  Value* flat = c.Flatten(values);
  Value* number = c.Iota(c.Size(flat, 0));
  std::vector<Value*> columns;
  std::vector<Value*> sizes;
  Value* inner = c.SizeVector(values, 1, rank - 1);
  if (rank > 1) {
    Value* each = c.Max(c.ReduceAll("ReduceProd", inner), 1);
    columns.push_back(IndicesOf(c, c.Op("Mod", {number, each}), inner));
    sizes.push_back(inner);
    number = c.Div(number, each);
  }
  Value* count = c.Size(values, 0);
  for (auto i = static_cast<std::size_t>(ragged); i-- > 0 && !c.failed();) {
    Value* splits = c.Index(i);
    const RaggedRows rows = RowsOfSplits(c, splits);
    Value* row = c.Gather(RowOfEach(c, splits, count), number, 0);
    columns.insert(columns.begin(), c.Unsqueeze(c.Sub(number, c.Gather(rows.starts, row, 0)), {1}));
    sizes.insert(sizes.begin(),
                 c.Vector(c.ReduceAll("ReduceMax", c.Concat({rows.lengths, c.Ints({0})}, 0))));
    number = row;
    count = c.Size(rows.lengths, 0);
  }
  columns.insert(columns.begin(), c.Unsqueeze(number, {1}));
  sizes.insert(sizes.begin(), c.Vector(count));
  return {c.Concat(std::move(columns), 1), flat, c.ConcatSizes(std::move(sizes))};
}

// Rows by their numbers (rank 1); of each, the rows within it.
std::vector<Value*> LowerRaggedGather(Call& c) {
  const std::int64_t ragged = c.IntAttribute("PARAMS_RAGGED_RANK");
  if (!c.failed() && (ragged < 1 || ragged > kMaxAxes))
    c.Fail(InvalidInput("PARAMS_RAGGED_RANK out of range"));
  if (c.failed()) return {};
  const auto count = static_cast<std::size_t>(ragged);
  Value* values = c.Tensor(count);
  Value* places = c.Index(count + 1);
  if (c.failed()) return {};
  if (c.MaybeRank(places) != 1) {
    c.Fail("numbers of rows that are not of rank 1");
    return {};
  }
  std::vector<Value*> results;
  for (std::size_t i = 0; i < count && !c.failed(); ++i) {
    const RaggedRows rows = RowsOfSplits(c, c.Index(i));
    Value* splits = SplitsOf(c, c.Gather(rows.lengths, places, 0));
    results.push_back(c.CastLike(splits, c.Tensor(i)));
    Value* total = c.Select(splits, 0, -1);
    Value* row = RowOfEach(c, splits, total);
    Value* start = c.Gather(c.Gather(rows.starts, places, 0), row, 0);
    places = c.Add(start, c.Sub(c.Iota(total), c.Gather(splits, row, 0)));
  }
  results.push_back(c.Gather(values, places, 0));
  return results;
}

Value* LowerRaggedBincount(Call& c) {
  Value* splits = c.Index(0);
  Value* numbers = c.Index(1);
  Value* size = c.IndexNumber(2);
  Value* row = RowOfEach(c, splits, c.Size(numbers, 0));
  Value* count = c.Sub(c.Size(splits, 0), 1);
  return CountInRows(c, {row, count}, numbers, size, c.Tensor(3));
}

// A vector of variants, a row each: a list of the rows (lists.h). A single variant: the row itself.
std::vector<Abstract> LowerRaggedTensorToVariant(Call& c) {
  const std::int64_t ragged = c.IntAttribute("RAGGED_RANK");
  const bool batched = c.BoolAttribute("batched_input");
  if (c.failed()) return {};
  if (ragged == 0 && !batched) return {c.operand(0)};
  if (ragged != 1 || !batched) {
    c.Fail("rows that are ragged themselves are not supported");
    return {};
  }
  Value* lengths = RowsOfSplits(c, c.Index(0)).lengths;
  ListContents rows;
  rows.sequence = c.Op("SplitToSequence", {c.Tensor(1), lengths}, {{"axis", std::int64_t{0}}});
  if (c.failed()) return {};
  return {ListRef{c.heap().NewCell(std::move(rows))}};
}

std::vector<Abstract> LowerRaggedTensorFromVariant(Call& c) {
  const std::int64_t ragged = c.IntAttribute("output_ragged_rank");
  const DType type = c.TypeAttribute("Tvalues");
  const DType split_type = c.TypeAttribute("Tsplits");
  if (c.failed()) return {};
  if (ragged == 0) return {c.operand(0)};
  if (ragged != 1) {
    c.Fail("rows that are ragged themselves are not supported");
    return {};
  }
  const std::vector<Abstract> joined = JoinElements(c, c.operand(0), nullptr, type);
  if (c.failed()) return {};
  Value* splits = c.Cast(SplitsOf(c, c.TensorOf(joined[1])), split_type);
  if (c.failed()) return {};
  return {c.NewTensor(splits), joined[0]};
}

}  // namespace

std::span<const OpRow> RaggedRowsRows() {
  static constexpr OpRow kRows[] = {
      {"RaggedBincount", LowerRaggedBincount},
      {"RaggedGather", LowerRaggedGather},
      {"RaggedTensorFromVariant", LowerRaggedTensorFromVariant},
      {"RaggedTensorToSparse", LowerRaggedTensorToSparse},
      {"RaggedTensorToVariant", LowerRaggedTensorToVariant},
  };
  return kRows;
}

}  // namespace dragoman::tf
