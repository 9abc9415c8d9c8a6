// SPDX-License-Identifier: Apache-2.0
// Crosses of features: for each row, every choice of one value of each column, as one text or one
// hash.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "importers/tensorflow/ops/ragged_form.h"

namespace dragoman::tf {
namespace {

// The values of all rows one after the other.
struct Column {
  Value* values = nullptr;
  RaggedRows rows;
};

Column SparseColumn(Call& c, Value* indices, Value* values, Value* count) {
  Value* none = c.Full(c.Vector(count), 0, DType::kI64);
  Value* rows = c.Unsqueeze(c.Select(indices, 1, 0), {1});
  Value* ones = c.Full(c.SizeVector(indices, 0, 1), 1, DType::kI64);
  Value* lengths = c.Op("ScatterND", {none, rows, ones}, {{"reduction", "add"}});
  return {values, RowsOfSplits(c, SplitsOf(c, lengths))};
}

Column DenseColumn(Call& c, Value* values, Value* count) {
  Value* width = c.Size(values, 1);
  Value* starts = c.Mul(c.Iota(count), width);
  return {c.Flatten(values), {starts, c.Expand(width, c.Vector(count))}};
}

// Operands: indices, values and sizes of `sparse` columns, then dense ones up to operand `end`.
std::vector<Column> TakeColumns(Call& c, std::size_t sparse, std::size_t end, Value** count) {
  if (c.failed() || 3 * sparse > end || end == 0 || end > c.num_operands()) {
    c.Fail(InvalidInput("its operands are not as many as it states"));
    return {};
  }
  *count = sparse > 0 ? c.Select(c.Index(2 * sparse), 0, 0) : c.Size(c.Tensor(0), 0);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < sparse; ++i)
    columns.push_back(SparseColumn(c, c.Index(i), c.Tensor(sparse + i), *count));
  for (std::size_t i = 3 * sparse; i < end; ++i)
    columns.push_back(DenseColumn(c, c.Tensor(i), *count));
  return columns;
}

// The chosen values of each column, as many as there are crosses; those of the last column change
// first.
struct Crosses {
  std::vector<Value*> values;
  Value* indices = nullptr;
  Value* sizes = nullptr;
};

Crosses Cross(Call& c, const std::vector<Column>& columns, Value* count) {
  Value* lengths = nullptr;
  for (const Column& column : columns)
    lengths = lengths == nullptr ? column.rows.lengths : c.Mul(lengths, column.rows.lengths);
  if (c.failed()) return {};
  Value* splits = SplitsOf(c, lengths);
  Value* total = c.Select(splits, 0, -1);
  Value* row = RowOfEach(c, splits, total);
  Value* place = c.Sub(c.Iota(total), c.Gather(splits, row, 0));
  Crosses crosses;
  crosses.indices = c.Concat({c.Unsqueeze(row, {1}), c.Unsqueeze(place, {1})}, 1);
  Value* most = c.ReduceAll("ReduceMax", c.Concat({lengths, c.Ints({0})}, 0));
  crosses.sizes = c.ConcatSizes({c.Vector(count), c.Vector(most)});
  crosses.values.resize(columns.size());
  for (std::size_t i = columns.size(); i-- > 0 && !c.failed();) {
    const Column& column = columns[i];
    Value* length = c.Gather(column.rows.lengths, row, 0);
    Value* at = c.Add(c.Gather(column.rows.starts, row, 0), c.Op("Mod", {place, length}));
    crosses.values[i] = c.Gather(column.values, at, 0);
    place = c.Div(place, length);
  }
  return crosses;
}

Value* Word(Call& c, std::uint64_t bits) {
  return c.failed() ? nullptr
                    : c.builder().Constant(dragoman::Tensor::Of<std::uint64_t>(
                          {}, std::vector<std::uint64_t>{bits}));
}

// TensorFlow's FingerprintCat64.
Value* JoinedHash(Call& c, Value* a, Value* b) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  Value* factor = Word(c, kFactor);
  const auto mixed = [&](Value* x) {
    Value* high = c.Op("BitShift", {x, Word(c, 47)}, {{"direction", "RIGHT"}});
    return c.Op("BitwiseXor", {x, high});
  };
  Value* hash = c.Op("BitwiseXor", {a, factor});
  hash = c.Op("BitwiseXor", {hash, c.Mul(mixed(c.Mul(b, factor)), factor)});
  hash = c.Mul(hash, factor);
  return mixed(c.Mul(mixed(hash), factor));
}

// An integer counts as its own hash.
Value* HashOf(Call& c, Value* x) {
  if (!c.failed() && c.dtype(x) == DType::kString)
    x = c.Op("dragoman.HashBucket", {x}, {{"hash", "farm"}, {"buckets", std::int64_t{0}}});
  return c.Cast(x, DType::kU64);
}

Value* InBuckets(Call& c, Value* hash, std::int64_t buckets) {
  if (buckets < 0) return c.Fail(InvalidInput("a negative number of buckets"));
  const std::int64_t divisor = buckets > 0 ? buckets : std::numeric_limits<std::int64_t>::max();
  hash = c.Op("Mod", {hash, Word(c, static_cast<std::uint64_t>(divisor))});
  return c.Cast(hash, DType::kI64);
}

Value* Joined(Call& c, const std::vector<Value*>& values, Value* separator) {
  Value* joined = nullptr;
  for (Value* value : values) {
    if (!c.failed() && c.dtype(value) != DType::kString) value = c.Cast(value, DType::kString);
    joined = joined == nullptr
                 ? value
                 : c.Op("StringConcat", {c.Op("StringConcat", {joined, separator}), value});
  }
  return joined;
}

std::size_t SparseColumns(Call& c) {
  const std::int64_t count = c.IntAttribute("N");
  return count < 0 || c.failed() ? c.num_operands() : static_cast<std::size_t>(count);
}

std::vector<Value*> LowerSparseCross(Call& c) {
  Value* count = nullptr;
  const std::vector<Column> columns = TakeColumns(c, SparseColumns(c), c.num_operands(), &count);
  const Crosses crosses = Cross(c, columns, count);
  const bool hashed = c.BoolAttribute("hashed_output");
  if (c.failed()) return {};
  if (!hashed) {
    return {crosses.indices, Joined(c, crosses.values, TextConstant(c, "_X_")), crosses.sizes};
  }
  Value* hash = Word(c, static_cast<std::uint64_t>(c.IntAttribute("hash_key")));
  for (Value* value : crosses.values) hash = JoinedHash(c, hash, HashOf(c, value));
  return {crosses.indices, InBuckets(c, hash, c.IntAttribute("num_buckets")), crosses.sizes};
}

std::vector<Value*> LowerSparseCrossV2(Call& c) {
  Value* count = nullptr;
  const std::size_t last = c.num_operands() - 1;
  const std::vector<Column> columns = TakeColumns(c, SparseColumns(c), last, &count);
  const Crosses crosses = Cross(c, columns, count);
  return {crosses.indices, Joined(c, crosses.values, c.Tensor(last)), crosses.sizes};
}

// Of sparse columns of integers TensorFlow hashes four bytes, and a strong hash has a key.
std::vector<Value*> LowerSparseCrossHashed(Call& c) {
  Value* count = nullptr;
  const std::size_t sparse = SparseColumns(c);
  const std::size_t end = c.num_operands() - 3;
  const std::vector<Column> columns = TakeColumns(c, sparse, end, &count);
  const std::int64_t buckets = c.KnownInt(end, "the number of buckets");
  const bool strong = c.KnownInt(end + 1, "whether the hash is strong") != 0;
  for (std::size_t i = 0; i < sparse && !c.failed(); ++i) {
    if (c.dtype(columns[i].values) != DType::kString) c.Fail("hashes of sparse integers");
  }
  if (strong) c.Fail("a strong hash");
  const Crosses crosses = Cross(c, columns, count);
  if (c.failed()) return {};
  Value* hash = HashOf(c, crosses.values.front());
  for (std::size_t i = 1; i < crosses.values.size(); ++i)
    hash = JoinedHash(c, hash, HashOf(c, crosses.values[i]));
  return {crosses.indices, InBuckets(c, hash, buckets), crosses.sizes};
}

}  // namespace

std::span<const OpRow> SparseCrossRows() {
  static constexpr OpRow kRows[] = {
      {"SparseCross", LowerSparseCross},
      {"SparseCrossHashed", LowerSparseCrossHashed},
      {"SparseCrossV2", LowerSparseCrossV2},
  };
  return kRows;
}

}  // namespace dragoman::tf
