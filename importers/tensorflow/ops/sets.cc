// SPDX-License-Identifier: Apache-2.0
// Sets of numbers or texts along the last axis, of which each row of the other axes has one.
#include "importers/tensorflow/ops/op_rows.h"

#include <cstdint>
#include <string>
#include <vector>

#include "importers/tensorflow/ops/sparse_form.h"

namespace dragoman::tf {
namespace {

// Elements, which may come several times, and the row of each; sizes of all axes but the last.
struct Elements {
  Value* values = nullptr;  // (elements)
  Value* rows = nullptr;    // (elements), int64
  Value* groups = nullptr;  // (axes - 1), int64
};

Elements OfDense(Call& c, std::size_t i) {
  Value* x = c.Tensor(i);
  const int rank = c.Rank(x);
  if (!c.failed() && rank < 2) c.Fail(InvalidInput("sets of rank " + std::to_string(rank)));
  if (c.failed()) return {};
  Value* groups = c.SizeVector(x, 0, rank - 1);
  Value* number = c.Iota(c.ReduceAll("ReduceProd", groups));
  Value* sizes = c.ConcatSizes({c.Shape(number), c.SizeVector(x, rank - 1, 1)});
  Value* rows = c.Expand(c.Unsqueeze(number, {1}), sizes);
  return {c.Flatten(x), c.Flatten(rows), groups};
}

Elements OfSparse(Call& c, std::size_t first) {
  const SparseTensor x = TakeSparse(c, first);
  const std::int64_t axes = NumAxes(c, x.sizes);
  if (!c.failed() && axes < 2) c.Fail(InvalidInput("sets of rank " + std::to_string(axes)));
  if (c.failed()) return {};
  Value* groups = c.Slice(x.sizes, 0, 0, axes - 1);
  return {x.values, FlatNumbers(c, c.Slice(x.indices, 1, 0, axes - 1), groups), groups};
}

// The different values of both, in order; elements are numbers that count first by the row.
struct Numbered {
  Value* values = nullptr;
  Value* count = nullptr;  // of values, at least 1
  std::vector<Value*> sets;
};

Value* Different(Call& c, Value* numbers) {
  return c.Op("Unique", {numbers}, {{"sorted", std::int64_t{1}}});
}

Numbered Number(Call& c, const std::vector<Elements>& all) {
  std::vector<Value*> values;
  for (const Elements& some : all) values.push_back(some.values);
  const std::vector<Value*> unique =
      c.Ops("Unique", {c.Concat(values, 0)}, {{"sorted", std::int64_t{1}}}, 4);
  Numbered result{unique[0], c.Max(c.Size(unique[0], 0), 1), {}};
  Value* begin = c.Ints({0});
  for (const Elements& some : all) {
    Value* end = c.Add(begin, c.SizeVector(some.rows, 0, 1));
    Value* number = c.Slice(unique[2], 0, begin, end, c.Ints({1}));
    result.sets.push_back(Different(c, c.Add(c.Mul(some.rows, result.count), number)));
    begin = end;
  }
  return result;
}

// Numbers of `a` that are, or are not, in `b`.
Value* Kept(Call& c, Value* a, Value* b, bool in_both) {
  Value* found = c.GreaterOrEqual(c.Op("dragoman.FindSorted", {a, b}), 0);
  return c.Op("Compress", {a, in_both ? found : c.Not(found)}, {{"axis", std::int64_t{0}}});
}

Value* Combined(Call& c, Value* a, Value* b) {
  const std::string operation = c.TextAttribute("set_operation");
  if (operation == "a-b") return Kept(c, a, b, false);
  if (operation == "b-a") return Kept(c, b, a, false);
  if (operation == "intersection") return Kept(c, a, b, true);
  if (operation == "union") return Different(c, c.Concat({a, b}, 0));
  return c.Fail(InvalidInput("set_operation is '" + operation + "'"));
}

// How many elements each row has.
Value* CountInEachRow(Call& c, Value* rows, Value* groups) {
  Value* zeros = c.Full(c.Vector(c.ReduceAll("ReduceProd", groups)), 0, DType::kI64);
  Value* ones = c.Full(c.Shape(rows), 1, DType::kI64);
  return c.Op("ScatterND", {zeros, c.Unsqueeze(rows, {1}), ones}, {{"reduction", "add"}});
}

std::vector<Value*> SetOperation(Call& c, const Elements& a, const Elements& b) {
  if (c.failed()) return {};
  const Numbered numbered = Number(c, {a, b});
  Value* result = Combined(c, numbered.sets[0], numbered.sets[1]);
  Value* rows = c.Div(result, numbered.count);
  Value* counts = CountInEachRow(c, rows, a.groups);
  Value* starts = c.Op("CumSum", {counts, c.Int(0)}, {{"exclusive", std::int64_t{1}}});
  Value* place = c.Sub(c.Iota(c.Size(rows, 0)), c.Gather(starts, rows, 0));
  Value* indices = c.Concat({IndicesOf(c, rows, a.groups), c.Unsqueeze(place, {1})}, 1);
  Value* most = c.ReduceAll("ReduceMax", c.Concat({counts, c.Ints({0})}, 0));
  return {indices, c.Gather(numbered.values, c.Op("Mod", {result, numbered.count}), 0),
          c.ConcatSizes({a.groups, c.Vector(most)})};
}

std::vector<Value*> LowerDenseToDenseSetOperation(Call& c) {
  const Elements a = OfDense(c, 0);
  return SetOperation(c, a, OfDense(c, 1));
}

std::vector<Value*> LowerDenseToSparseSetOperation(Call& c) {
  const Elements a = OfDense(c, 0);
  return SetOperation(c, a, OfSparse(c, 1));
}

std::vector<Value*> LowerSparseToSparseSetOperation(Call& c) {
  const Elements a = OfSparse(c, 0);
  return SetOperation(c, a, OfSparse(c, 3));
}

Value* LowerSetSize(Call& c) {
  const Elements x = OfSparse(c, 0);
  if (c.failed()) return nullptr;
  const Numbered numbered = Number(c, {x});
  Value* rows = c.Div(numbered.sets[0], numbered.count);
  return c.Cast(c.Reshape(CountInEachRow(c, rows, x.groups), x.groups), DType::kI32);
}

}  // namespace

std::span<const OpRow> SetsRows() {
  static constexpr OpRow kRows[] = {
      {"DenseToDenseSetOperation", LowerDenseToDenseSetOperation},
      {"DenseToSparseSetOperation", LowerDenseToSparseSetOperation},
      {"SetSize", LowerSetSize},
      {"SparseToSparseSetOperation", LowerSparseToSparseSetOperation},
  };
  return kRows;
}

}  // namespace dragoman::tf
