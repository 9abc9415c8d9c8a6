#include "importers/tensorflow/ops/tables.h"

#include <vector>

#include "importers/tensorflow/ops/lowerings.h"

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
bool AreNumbers(const Tensor& keys) {
  if (!IsInteger(keys.dtype())) return false;
  for (std::int64_t i = 0; i < keys.size(); ++i) {
    if (keys.IntAt(i) != i) return false;
  }
  return true;
}

// Which row of the table has each element of `x` as its key, and whether there is one.
struct Rows {
  Value* number = nullptr;
  Value* found = nullptr;
};

Rows FindRows(Call& c, const Tensor& keys, Value* x) {
  if (AreNumbers(keys)) {
    Value* number = c.Cast(x, DType::kI64);
    Value* found = c.And(c.GreaterOrEqual(number, 0),
                         c.Less(number, c.Number(static_cast<double>(keys.size()), DType::kI64)));
    return {c.Where(found, number, c.Int(0)), found};
  }
  Value* constant = c.builder().Constant(keys);
  // One behind the last axis, whatever the rank is.
  Value* hits = c.Equal(c.Op("Unsqueeze", {x, c.Ints({-1})}), constant);
  Value* number = c.Op("ArgMax", {c.Cast(hits, DType::kI32)},
                       {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}});
  return {number, c.Equal(c.Gather(constant, number, 0), x)};
}

}  // namespace

Value* LowerLookupTableFind(Call& c) {
  const TableContents* contents = ContentsOf(c);
  if (contents == nullptr) return nullptr;
  Value* x = c.Tensor(1);
  Value* otherwise = c.Tensor(2);
  if (c.failed()) return nullptr;
  if (c.dtype(x) != contents->keys.dtype() || c.dtype(otherwise) != contents->values.dtype())
    return c.Fail(InvalidInput("the table has keys or values of another type"));
  if (contents->keys.size() == 0) return c.Expand(otherwise, c.Shape(x));
  const Rows rows = FindRows(c, contents->keys, x);
  Value* value = c.Gather(c.builder().Constant(contents->values), rows.number, 0);
  return c.Where(rows.found, value, otherwise);
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

}  // namespace dragoman::tf
