// SPDX-License-Identifier: Apache-2.0
// Sorted lists, places in them, and permutations.
#include "importers/relay/ops/op_rows.h"

#include <string>
#include <vector>

namespace dragoman::relay {
namespace {

// The places along `axis` by value, of all elements.
std::vector<Value*> Sorted(Call& c, Value* x, std::int64_t axis, bool ascending) {
  const int along = c.Axis(axis, c.Rank(x));
  Value* count = c.failed() ? nullptr : c.Vector(c.Size(x, along));
  return c.Ops("TopK", {x, count},
               {{"axis", std::int64_t{along}}, {"largest", std::int64_t{!ascending}}}, 2);
}

// Zeros after a vector, up to as many elements as `like` has.
Value* Filled(Call& c, Value* vector, Value* like) {
  Value* missing = c.Sub(c.SizeVector(like, 0, 1), c.SizeVector(vector, 0, 1));
  return c.Op("Pad", {vector, c.ConcatSizes({c.Ints({0}), missing})});
}

Value* LowerSort(Call& c) {
  c.Ignore({"dtype"});
  Value* x = c.Tensor(0);
  const bool ascending = c.Bool("is_ascend", true);
  return Sorted(c, x, c.Int("axis", -1), ascending)[0];
}

Value* LowerArgSort(Call& c) {
  const DType dtype = c.Type("dtype", DType::kI32);
  Value* x = c.Tensor(0);
  const bool ascending = c.Bool("is_ascend", true);
  return c.Cast(Sorted(c, x, c.Int("axis", -1), ascending)[1], dtype);
}

// Values and their places, or one of them.
Abstract LowerTopK(Call& c, Given given) {
  Value* x = c.Tensor(0);
  const int axis = c.Axis(c.Int("axis", -1), c.Rank(x));
  Value* k = nullptr;
  if (given == Given::kAsOperand) {
    k = c.Index(1);
    c.Ignore({"k"});
    if (!c.failed()) k = c.Reshape(k, {1});
  } else {
    const std::int64_t count = c.RequiredInt("k");
    // None or less than 1: all of them.
    k = count > 0 ? c.Ints({count}) : c.failed() ? nullptr : c.Vector(c.Size(x, axis));
  }
  const bool ascending = c.Bool("is_ascend", false);
  const DType dtype = c.Type("dtype", DType::kI32);
  const std::string wanted = c.Text("ret_type", "both");
  c.ExpectText("ret_type", {"both", "values", "indices"});
  std::vector<Value*> results = c.Ops(
      "TopK", {x, k}, {{"axis", std::int64_t{axis}}, {"largest", std::int64_t{!ascending}}}, 2);
  results[1] = c.Cast(results[1], dtype);
  if (wanted == "both") return c.TupleOf(results);
  return c.NewTensor(results[wanted == "values" ? 0 : 1]);
}

// How many elements of a sorted list lie before each value.
Value* LowerSearchSorted(Call& c) {
  Value* list = c.Tensor(0);
  Value* values = c.Tensor(1);
  const bool right = c.Bool("right", false);
  const DType dtype = c.Type("dtype", DType::kI32);
  const int rank = c.Rank(values);
  const int list_rank = c.Rank(list);
  if (c.failed()) return nullptr;
  if (list_rank != 1 && list_rank != rank)
    return c.Fail(InvalidInput("a list of another number of axes than the values"));
  if (list_rank > 1) list = c.Unsqueeze(list, {list_rank - 1});
  Value* value = c.Unsqueeze(values, {rank});
  Value* before = right ? c.LessOrEqual(list, value) : c.Less(list, value);
  return c.ReduceSum(c.Cast(before, dtype), {rank});
}

// (values, where each is first, which each element is, how many there are[, how often]): vectors as
// long as the operand.
std::vector<Value*> LowerUnique(Call& c) {
  Value* x = c.Tensor(0);
  const bool sorted = c.Bool("sorted", true);
  const bool counts = c.Bool("return_counts", false);
  if (c.Rank(x) != 1 && !c.failed()) c.Fail("unique of a tensor that is not a vector");
  const std::vector<Value*> found =
      c.Ops("Unique", {x}, {{"sorted", std::int64_t{sorted}}}, std::size_t{4});
  if (c.failed()) return {};
  std::vector<Value*> results = {
      Filled(c, found[0], x), c.Cast(Filled(c, found[1], x), DType::kI32),
      c.Cast(found[2], DType::kI32), c.Cast(c.SizeVector(found[0], 0, 1), DType::kI32)};
  if (counts) results.push_back(c.Cast(Filled(c, found[3], x), DType::kI32));
  return results;
}

// The indices along each axis of a shape, one row an axis, of places in the flattened tensor.
Value* LowerUnravelIndex(Call& c) {
  Value* places = c.Tensor(0);
  const Ints shape = c.KnownInts(1, "a shape");
  if (c.failed()) return nullptr;
  Value* rest = c.Cast(places, DType::kI64);
  std::vector<Value*> rows(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] < 1) return c.Fail(InvalidInput("a shape without elements"));
    Value* above = c.Div(rest, c.Int(shape[i]));
    rows[i] = c.Unsqueeze(c.CastLike(c.Sub(rest, c.Mul(above, c.Int(shape[i]))), places), {0});
    rest = above;
  }
  return c.Concat(std::move(rows), 0);
}

Value* LowerInvertPermutation(Call& c) {
  Value* x = c.Tensor(0);
  return c.CastLike(Sorted(c, x, 0, true)[1], x);
}

}  // namespace

std::span<const OpRow> OrderRows() {
  static constexpr OpRow kRows[] = {
      {"argsort", LowerArgSort},
      {"dyn.topk", With<LowerTopK, Given::kAsOperand>},
      {"invert_permutation", LowerInvertPermutation},
      {"searchsorted", LowerSearchSorted},
      {"sort", LowerSort},
      {"topk", With<LowerTopK, Given::kAsAttribute>},
      {"unique", LowerUnique},
      {"unravel_index", LowerUnravelIndex},
  };
  return kRows;
}

}  // namespace dragoman::relay
