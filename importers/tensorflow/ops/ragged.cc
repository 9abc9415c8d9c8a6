// SPDX-License-Identifier: Apache-2.0
// Ragged tensors: the values of all rows one after the other, and where each row ends (row splits)
// or which row each value is of.
#include "importers/tensorflow/ops/op_rows.h"

#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/ragged_form.h"

namespace dragoman::tf {
namespace {

// `rows` gives for each value, in order, its row, of which there are `count` (0-d).
RaggedRows RowsOfNumbers(Call& c, Value* rows, Value* count) {
  Value* none = c.Full(c.Vector(count), 0, DType::kI64);
  Value* ones = c.Full(c.Shape(rows), 1, DType::kI64);
  Value* lengths = c.Op("ScatterND", {none, c.Unsqueeze(rows, {1}), ones}, {{"reduction", "add"}});
  return {c.Op("CumSum", {lengths, c.Int(0)}, {{"exclusive", std::int64_t{1}}}), lengths};
}

// The values of each row side by side, with `filler` (of the sizes of a value) after the last;
// `width` (0-d) of them.
Value* Pad(Call& c, Value* values, const RaggedRows& rows, Value* width, Value* filler) {
  Value* column = c.Iota(width);
  Value* is_value = c.Less(column, c.Unsqueeze(rows.lengths, {1}));
  Value* place = c.Add(c.Unsqueeze(rows.starts, {1}), column);
  // The filler stands after all values.
  Value* all = c.Concat({values, c.Unsqueeze(filler, {0})}, 0);
  return c.Gather(all, c.Where(is_value, place, c.Size(values, 0)), 0);
}

Value* Widest(Call& c, const RaggedRows& rows) {
  // No row at all has no maximum.
  return c.ReduceAll("ReduceMax", c.Concat({rows.lengths, c.Ints({0})}, 0));
}

std::vector<std::string> PartitionTypes(Call& c) {
  const Attribute* attribute = c.attribute("row_partition_types");
  const std::optional<Attribute::Strings> types =
      attribute != nullptr ? AsStrings(*attribute) : std::nullopt;
  if (types) return *types;
  c.Fail(InvalidInput("attribute row_partition_types is missing"));
  return {};
}

// The rows of each ragged axis, the outermost first, from operand 3 on.
std::vector<RaggedRows> TakePartitions(Call& c) {
  std::vector<RaggedRows> axes;
  Value* count = nullptr;
  std::size_t next = 3;
  for (const std::string& type : PartitionTypes(c)) {
    if (c.failed()) return {};
    if (type == "FIRST_DIM_SIZE") {
      count = c.IndexNumber(next++);
    } else if (type == "ROW_SPLITS") {
      axes.push_back(RowsOfSplits(c, c.Index(next++)));
    } else if (type == "VALUE_ROWIDS") {
      // As many rows as the axis outside has values.
      if (!axes.empty()) count = c.ReduceAll("ReduceSum", axes.back().lengths);
      if (count == nullptr) {
        c.Fail(InvalidInput("row_partition_types does not begin with the number of rows"));
        return {};
      }
      axes.push_back(RowsOfNumbers(c, c.Index(next++), count));
    } else {
      c.Fail("the partition " + type + " is not supported");
    }
  }
  if (axes.empty()) c.Fail(InvalidInput("there are no rows"));
  return axes;
}

// Entry `axis` of the stated sizes where it is one (not -1), else `size`; both 0-d.
Value* StatedOr(Call& c, Value* sizes, int axis, Value* size) {
  if (sizes == nullptr) return size;
  Value* stated = c.Select(sizes, 0, axis);
  if (const std::optional<std::int64_t> known = c.KnownNumber(stated))
    return *known < 0 ? size : c.Int(*known);
  return c.Where(c.Less(stated, 0), size, stated);
}

Value* LowerRaggedTensorToTensor(Call& c) {
  Value* sizes = c.Index(0);
  Value* values = c.Tensor(1);
  const std::vector<RaggedRows> axes = TakePartitions(c);
  const int size_rank = c.Rank(sizes);
  const int rank = c.Rank(values);
  if (c.failed()) return nullptr;
  if (size_rank == 0) sizes = nullptr;  // nothing is stated
  const int ragged = static_cast<int>(axes.size());
  Value* filler = c.Expand(c.CastLike(c.Tensor(2), values), c.SizeVector(values, 1, rank - 1));
  for (int axis = ragged; axis > 0 && !c.failed(); --axis) {
    const RaggedRows& rows = axes[static_cast<std::size_t>(axis - 1)];
    Value* width = StatedOr(c, sizes, axis, Widest(c, rows));
    values = Pad(c, values, rows, width, filler);
    filler = c.Expand(filler, c.SizeVector(values, 1, rank - 1 + ragged - axis + 1));
  }
  // RaggedRows that are stated beyond those there are hold fillers only; further ones are left out.
  if (sizes == nullptr) return values;
  Value* count = c.Size(values, 0);
  Value* wanted = StatedOr(c, sizes, 0, count);
  if (wanted == count || c.failed()) return values;
  Value* all = c.Concat({values, c.Unsqueeze(filler, {0})}, 0);
  return c.Gather(all, c.Min(c.Iota(wanted), count), 0);
}

// From starts, limits and deltas (of rank 1, or one number for all) the numbers of each row, as
// Range gives them: row splits and values.
std::vector<Value*> LowerRaggedRange(Call& c) {
  Value* limits = c.Tensor(1);
  Value* starts = c.Tensor(0);
  Value* deltas = c.Tensor(2);
  const DType type = c.dtype(starts);
  const DType split_type = c.TypeAttribute("Tsplits");
  if (c.failed()) return {};
  const DType wide_type = IsInteger(type) ? DType::kI64 : type;
  const auto wide = [&](Value* x) { return c.Cast(x, wide_type); };
  Value* step = wide(deltas);
  // Up to `limit`, which is left out, in steps of either sign.
  Value* reach = c.Sub(wide(limits), wide(starts));
  Value* down = c.Less(step, 0);
  Value* distance = c.Where(down, c.Neg(reach), reach);
  Value* stride = c.Abs(step);
  c.Assert(c.Greater(c.ReduceAll("ReduceMin", stride), 0), "a delta is 0");
  Value* lengths = nullptr;
  if (IsInteger(type)) {
    lengths = c.Div(c.Add(distance, c.Sub(stride, 1)), c.Max(stride, 1));
  } else {
    lengths = c.Cast(c.Op("Ceil", {c.Div(distance, stride)}), DType::kI64);
  }
  lengths = c.Flatten(c.Max(lengths, 0));
  Value* shape = c.Shape(lengths);
  Value* splits = SplitsOf(c, lengths);
  Value* total = c.ReduceAll("ReduceSum", lengths);
  Value* places = c.Iota(total);
  Value* row = RowOfEach(c, splits, total);
  const auto of_row = [&](Value* x) {
    return c.Gather(c.Expand(c.Flatten(wide(x)), shape), row, 0);
  };
  Value* number = wide(c.Sub(places, c.Gather(splits, row, 0)));
  Value* values = c.Add(of_row(starts), c.Mul(number, of_row(deltas)));
  return {c.Cast(splits, split_type), c.Cast(values, type)};
}

}  // namespace

std::span<const OpRow> RaggedTensorRows() {
  static constexpr OpRow kRows[] = {
      {"RaggedRange", LowerRaggedRange},
      {"RaggedTensorToTensor", LowerRaggedTensorToTensor},
  };
  return kRows;
}

}  // namespace dragoman::tf
