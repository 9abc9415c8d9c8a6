// SPDX-License-Identifier: Apache-2.0
// How often numbers come in each row, as sparse tensors: an element for each number that does.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <vector>

#include "importers/tensorflow/ops/ragged_form.h"
#include "importers/tensorflow/ops/sparse_form.h"

namespace dragoman::tf {
namespace {

// What is counted: in rows, or, without a number of rows, in one that is not an axis of the result.
struct Counted {
  Value* rows = nullptr;     // (elements)
  Value* numbers = nullptr;  // (elements), int64
  Value* weights = nullptr;  // (elements); nullptr: 1 each
  Value* count = nullptr;    // of rows, 0-d
};

// Those from 0 up to below attribute maxlength, where that is given.
Counted Countable(Call& c, Counted x) {
  const std::int64_t limit = c.IntAttribute("maxlength");
  Value* counts = c.GreaterOrEqual(x.numbers, 0);
  if (limit > 0) counts = c.And(counts, c.Less(x.numbers, static_cast<double>(limit)));
  const auto left = [&](Value* value) {
    return c.Op("Compress", {value, counts}, {{"axis", std::int64_t{0}}});
  };
  x.rows = left(x.rows);
  x.numbers = left(x.numbers);
  if (x.weights != nullptr) x.weights = left(x.weights);
  return x;
}

// Each number counts with its weight, or with 1.
std::vector<Value*> CountSparsely(Call& c, Counted x) {
  const DType type = c.TypeAttribute("output_type");
  const bool binary = c.BoolAttribute("binary_output");
  const std::int64_t most = c.IntAttribute("maxlength");
  const std::int64_t least = std::max<std::int64_t>(c.IntAttribute("minlength"), 0);
  x = Countable(c, x);
  Value* seen = c.ReduceAll("ReduceMax", c.Concat({x.numbers, c.Ints({0})}, 0));
  Value* size = most >= 0 ? c.Int(most) : c.Max(c.Add(seen, 1), c.Int(least));
  // Rows and numbers together, so that they are sorted as the elements are.
  Value* width = c.Add(seen, 1);
  const std::vector<Value*> found =
      c.Ops("Unique", {c.Add(c.Mul(x.rows, width), x.numbers)}, {{"sorted", std::int64_t{1}}}, 4);
  if (c.failed()) return {};
  Value* values = c.Cast(found[3], type);
  if (binary) {
    values = c.Full(c.Shape(found[0]), 1, type);
  } else if (x.weights != nullptr) {
    Value* zeros = c.Full(c.Shape(found[0]), 0, type);
    values =
        c.Op("ScatterND", {zeros, c.Unsqueeze(found[2], {1}), x.weights}, {{"reduction", "add"}});
  }
  Value* numbers = c.Unsqueeze(c.Op("Mod", {found[0], width}), {1});
  if (x.count == nullptr) return {numbers, values, c.Vector(size)};
  Value* rows = c.Unsqueeze(c.Div(found[0], width), {1});
  return {c.Concat({rows, numbers}, 1), values, c.ConcatSizes({c.Vector(x.count), c.Vector(size)})};
}

// Operand `i`, of which there is one for each number, or none at all.
Value* TakeWeights(Call& c, std::size_t i) {
  Value* weights = c.Tensor(i);
  return HasWeights(c, weights) ? c.Flatten(weights) : nullptr;
}

Value* ZerosFor(Call& c, Value* numbers) {
  return c.Full(c.SizeVector(numbers, 0, 1), 0, DType::kI64);
}

std::vector<Value*> LowerDenseCountSparse(Call& c) {
  Value* x = c.Index(0);
  const int rank = c.Rank(x);
  Value* weights = TakeWeights(c, 1);
  if (!c.failed() && (rank < 1 || rank > 2))
    c.Fail(InvalidInput("numbers of rank " + std::to_string(rank)));
  if (c.failed()) return {};
  if (rank == 1) return CountSparsely(c, {ZerosFor(c, x), x, weights, nullptr});
  Value* count = c.Size(x, 0);
  Value* rows = c.Expand(c.Unsqueeze(c.Iota(count), {1}), c.Shape(x));
  return CountSparsely(c, {c.Flatten(rows), c.Flatten(x), weights, count});
}

std::vector<Value*> LowerSparseCountSparse(Call& c) {
  const SparseTensor x = TakeSparse(c, 0);
  Value* numbers = c.Cast(x.values, DType::kI64);
  Value* weights = TakeWeights(c, 3);
  const std::int64_t axes = NumAxes(c, x.sizes);
  if (c.failed()) return {};
  if (axes == 1) return CountSparsely(c, {ZerosFor(c, numbers), numbers, weights, nullptr});
  return CountSparsely(c, {c.Select(x.indices, 1, 0), numbers, weights, c.Select(x.sizes, 0, 0)});
}

std::vector<Value*> LowerRaggedCountSparse(Call& c) {
  Value* splits = c.Index(0);
  Value* numbers = c.Index(1);
  Value* weights = TakeWeights(c, 2);
  Value* rows = RowOfEach(c, splits, c.Size(numbers, 0));
  return CountSparsely(c, {rows, numbers, weights, c.Sub(c.Size(splits, 0), 1)});
}

}  // namespace

std::span<const OpRow> SparseCountsRows() {
  static constexpr OpRow kRows[] = {
      {"DenseCountSparseOutput", LowerDenseCountSparse},
      {"RaggedCountSparseOutput", LowerRaggedCountSparse},
      {"SparseCountSparseOutput", LowerSparseCountSparse},
  };
  return kRows;
}

}  // namespace dragoman::tf
