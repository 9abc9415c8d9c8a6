// SPDX-License-Identifier: Apache-2.0
// Places given by several tensors, by leading axes that both operands share, or by diagonals.
#include "importers/relay/ops/advanced_indexing.h"
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/lowering/indices.h"
#include "core/lowering/math.h"

namespace dragoman::relay {
namespace {

// As NumPy indexes the leading axes with tensors that broadcast.
Value* LowerAdvancedIndex(Call& c) {
  std::vector<Value*> tensors = c.Tensors(0);
  if (c.failed()) return nullptr;
  if (tensors.size() < 2) return c.Fail(InvalidInput("a tuple without indices"));
  Value* sum = nullptr;
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    tensors[i] = c.Cast(tensors[i], DType::kI64);
    sum = sum == nullptr ? tensors[i] : c.Add(sum, tensors[i]);
  }
  const int rank = c.Rank(sum);
  std::vector<Value*> columns;
  for (std::size_t i = 1; i < tensors.size(); ++i)
    columns.push_back(c.Unsqueeze(c.Expand(tensors[i], c.Shape(sum)), {rank}));
  return c.Op("GatherND", {tensors[0], c.Concat(std::move(columns), rank)});
}

}  // namespace

Value* TakeByBatch(Call& c, Value* x, Value* indices, int axis, int batch) {
  const int rank = c.Rank(x);
  const int index_rank = c.Rank(indices);
  if (c.failed()) return nullptr;
  if (batch > axis || batch > index_rank)
    return c.Fail(InvalidInput("batch_dims is " + std::to_string(batch)));
  Ints order = AllAxes(rank);
  std::rotate(order.begin() + batch, order.begin() + axis, order.begin() + axis + 1);
  Value* moved = axis == batch ? x : c.Transpose(x, order);
  Value* y = c.Op("GatherND", {moved, c.Unsqueeze(indices, {index_rank})},
                  {{"batch_dims", std::int64_t{batch}}});
  // The axes between stand after those of the indices.
  Ints back = AllAxes(rank + index_rank - batch - 1);
  const auto from = back.begin() + batch;
  std::rotate(from, from + (index_rank - batch), from + (index_rank - batch) + (axis - batch));
  return axis == batch || index_rank == batch ? y : c.Transpose(y, back);
}

namespace {

// Diagonals k1 to k2 of matrices become those of operand 1, one per row from k2 down.
Value* LowerMatrixSetDiag(Call& c) {
  Value* x = c.Tensor(0);
  Value* diagonals = c.Tensor(1);
  const std::int64_t low = c.Int("k1", 0);
  const std::int64_t high = c.Int("k2", 0);
  const bool super_right = c.Bool("super_diag_right_align", true);
  const bool sub_right = c.Bool("sub_diag_right_align", false);
  const int rank = c.Rank(x);
  const int diagonal_rank = c.Rank(diagonals);
  if (c.failed()) return nullptr;
  const std::optional<std::int64_t> rows = c.KnownSize(x, rank - 2);
  const std::optional<std::int64_t> columns = c.KnownSize(x, rank - 1);
  const std::optional<std::int64_t> longest = c.KnownSize(diagonals, diagonal_rank - 1);
  if (!rows || !columns || !longest) return c.Fail("matrices whose sizes are not known");
  if (low > high || low <= -*rows || high >= *columns)
    return c.Fail(InvalidInput("diagonals that the matrices do not have"));
  Ints places;
  Ints is_on;
  for (std::int64_t i = 0; i < *rows; ++i) {
    for (std::int64_t j = 0; j < *columns; ++j) {
      const std::int64_t k = j - i;
      const std::int64_t length =
          std::min(*columns - std::max<std::int64_t>(k, 0), *rows + std::min<std::int64_t>(k, 0));
      const bool right = low != high && (k >= 0 ? super_right : sub_right);
      const std::int64_t at = std::min(i, j) + (right ? *longest - length : 0);
      const bool on = k >= low && k <= high;
      places.push_back(on ? (high - k) * *longest + at : 0);
      is_on.push_back(on);
    }
  }
  const int leading = diagonal_rank - (low == high ? 1 : 2);
  std::vector<Value*> lead;
  if (leading > 0) lead.push_back(c.SizeVector(diagonals, 0, leading));
  lead.push_back(c.Ints({-1}));
  Value* flat = c.Reshape(diagonals, c.ConcatSizes(std::move(lead)));
  const Ints shape = {*rows, *columns};
  Value* spread = c.Gather(flat, c.Reshape(c.Ints(std::move(places)), shape), leading);
  Value* chosen = c.Cast(c.Reshape(c.Ints(std::move(is_on)), shape), DType::kBool);
  return c.Where(chosen, spread, x);
}

// A tensor of one value but for those at some places.
Value* LowerSparseToDense(Call& c, Given given) {
  Value* places = c.Index(0);
  Value* values = c.Tensor(1);
  const int rank = c.Rank(places);
  if (c.failed()) return nullptr;
  Value* shape = nullptr;
  std::size_t fill = 2;
  if (given == Given::kAsOperand) {
    c.Ignore({"output_shape"});
    shape = c.Index(fill++);
  } else {
    shape = c.Ints(c.RequiredInts("output_shape"));
  }
  Value* rest = c.num_operands() > fill ? c.CastLike(c.Tensor(fill), values) : c.Number(0, values);
  Value* all = c.Expand(rest, shape);
  // A number, or a list of them, in a vector; or a row of indices each.
  if (rank == 0) places = c.Reshape(places, {1, 1});
  if (rank == 1) places = c.Unsqueeze(places, {1});
  Value* count = c.SizeVector(places, 0, 1);
  return c.Op("ScatterND", {all, places, c.Expand(values, count)});
}

}  // namespace

std::span<const OpRow> AdvancedIndexingRows() {
  static constexpr OpRow kRows[] = {
      {"adv_index", LowerAdvancedIndex},
      {"dyn.sparse_to_dense", With<LowerSparseToDense, Given::kAsOperand>},
      {"matrix_set_diag", LowerMatrixSetDiag},
      {"sparse_to_dense", With<LowerSparseToDense, Given::kAsAttribute>},
  };
  return kRows;
}

}  // namespace dragoman::relay
