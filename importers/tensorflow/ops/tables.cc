// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/tables.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace dragoman::tf {
namespace {

const TableContents* ContentsOf(Call& c) {
  const auto* table = c.operand(0).As<TableRef>();
  if (c.failed()) return nullptr;
  if (table == nullptr) {
    c.Fail("a table that is " + Describe(c.operand(0)));
    return nullptr;
  }
  if (table->contents().ok()) return &*table->contents();
  c.Fail(table->contents().error());
  return nullptr;
}

// Whether the keys are 0, 1, 2, …, as those of a vocabulary that is looked up by number.
bool AreNumbers(const dragoman::Tensor& keys) {
  if (!IsInteger(keys.dtype())) return false;
  for (std::int64_t i = 0; i < keys.size(); ++i) {
    if (keys.IntAt(i) != i) return false;
  }
  return true;
}

// Keys in ascending order, and the row of the table that each is from.
struct SortedKeys {
  dragoman::Tensor keys;
  Ints rows;
};

// Whether key `a` comes before key `b`, as FindSorted has it.
bool ComesBefore(const dragoman::Tensor& keys, std::int64_t a, std::int64_t b) {
  if (keys.dtype() == DType::kString)
    return keys.strings()[static_cast<std::size_t>(a)] <
           keys.strings()[static_cast<std::size_t>(b)];
  if (IsInteger(keys.dtype())) return keys.IntAt(a) < keys.IntAt(b);
  return keys.FloatAt(a) < keys.FloatAt(b);
}

Result<dragoman::Tensor> Reordered(const dragoman::Tensor& tensor, const Ints& order) {
  const auto count = static_cast<std::int64_t>(order.size());
  if (tensor.dtype() == DType::kString) {
    std::vector<std::string> strings;
    for (const std::int64_t row : order)
      strings.push_back(tensor.strings()[static_cast<std::size_t>(row)]);
    return dragoman::Tensor::MakeStrings({count}, std::move(strings));
  }
  const std::size_t width = static_cast<std::size_t>(Info(tensor.dtype()).bits) / 8;
  std::vector<std::byte> bytes;
  for (const std::int64_t row : order) {
    const auto element = tensor.bytes().subspan(static_cast<std::size_t>(row) * width, width);
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  return dragoman::Tensor::Make(tensor.dtype(), {count}, Buffer::Copy(bytes));
}

// Of equal keys the first, as the row that is found.
Result<SortedKeys> Sort(const dragoman::Tensor& keys) {
  Ints order(static_cast<std::size_t>(keys.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return ComesBefore(keys, a, b); });
  const auto same = std::unique(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return !ComesBefore(keys, a, b) && !ComesBefore(keys, b, a);
  });
  order.erase(same, order.end());
  DRAGOMAN_ASSIGN(dragoman::Tensor sorted, Reordered(keys, order));
  return SortedKeys{std::move(sorted), std::move(order)};
}

// Which row of the table has each element of `x` as its key, and whether there is one.
struct Rows {
  Value* number = nullptr;
  Value* found = nullptr;
};

Rows FindRows(Call& c, const dragoman::Tensor& keys, Value* x) {
  if (AreNumbers(keys)) {
    Value* number = c.Cast(x, DType::kI64);
    Value* found = c.And(c.GreaterOrEqual(number, 0),
                         c.Less(number, c.Number(static_cast<double>(keys.size()), DType::kI64)));
    return {c.Where(found, number, c.Int(0)), found};
  }
  const SortedKeys sorted = c.Take(Sort(keys));
  if (c.failed()) return {};
  Value* place = c.Op("dragoman.FindSorted", {x, c.builder().Constant(sorted.keys)});
  Value* found = c.GreaterOrEqual(place, 0);
  return {c.Gather(c.Ints(sorted.rows), c.Max(place, 0), 0), found};
}

Value* LowerLookupTableFind(Call& c) {
  const TableContents* contents = ContentsOf(c);
  if (contents == nullptr) return nullptr;
  Value* x = c.Tensor(1);
  Value* otherwise = c.Tensor(2);
  if (c.failed()) return nullptr;
  if (c.dtype(x) != contents->keys.dtype() || c.dtype(otherwise) != contents->values.dtype())
    return c.Fail(InvalidInput("the table has keys or values of another type"));
  if (contents->keys.size() == 0)
    return c.Expand(otherwise, c.ConcatSizes({c.Shape(x), c.Shape(otherwise)}));
  const Rows rows = FindRows(c, contents->keys, x);
  Value* value = c.Gather(c.builder().Constant(contents->values), rows.number, 0);
  if (contents->values.rank() == 1) return c.Where(rows.found, value, otherwise);
  // A value has axes of its own, after those of the keys that are looked up.
  const int rank = c.Rank(x);
  Ints own_axes;
  for (int i = 1; i < contents->values.rank(); ++i) own_axes.push_back(rank + i - 1);
  return c.Where(c.Unsqueeze(rows.found, own_axes), value, otherwise);
}

Value* LowerLookupTableSize(Call& c) {
  const TableContents* contents = ContentsOf(c);
  return contents != nullptr ? c.Int(contents->keys.size()) : nullptr;
}

std::vector<Value*> LowerLookupTableExport(Call& c) {
  const TableContents* contents = ContentsOf(c);
  if (contents == nullptr) return {};
  return {c.builder().Constant(contents->keys), c.builder().Constant(contents->values)};
}

std::vector<Abstract> LowerTableChange(Call& c) {
  c.Fail("a table that changes while the model runs is not supported");
  return {};
}

}  // namespace

std::span<const OpRow> TablesRows() {
  static constexpr OpRow kRows[] = {
      {"LookupTableExport", LowerLookupTableExport},
      {"LookupTableExportV2", LowerLookupTableExport},
      {"LookupTableFind", LowerLookupTableFind},
      {"LookupTableFindV2", LowerLookupTableFind},
      {"LookupTableImport", LowerTableChange},
      {"LookupTableImportV2", LowerTableChange},
      {"LookupTableInsert", LowerTableChange},
      {"LookupTableInsertV2", LowerTableChange},
      {"LookupTableRemoveV2", LowerTableChange},
      {"LookupTableSize", LowerLookupTableSize},
      {"LookupTableSizeV2", LowerLookupTableSize},
  };
  return kRows;
}

}  // namespace dragoman::tf
