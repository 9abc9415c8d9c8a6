// SPDX-License-Identifier: Apache-2.0
// Operators on lists of tensors or sets of elements: products of sets, membership.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/script_lowerings.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// All combinations of one element of each vector.
Result<Results> LowerCartesianProd(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> values = c.Tensors("tensors");
  if (values.size() == 1) return c.DoneWith({ItemsOf(c.Take(call.Argument("tensors")))->front()});
  std::vector<Value*> sizes;
  for (Value* value : values) sizes.push_back(c.SizeVector(value, 0, 1));
  if (c.failed() || sizes.empty()) return c.Done({c.Fail("an empty list")});
  Value* shape = c.ConcatSizes(sizes);
  std::vector<Value*> columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value* along = AlongAxis(c, values[i], static_cast<int>(i), static_cast<int>(values.size()));
    columns.push_back(c.Reshape(c.Expand(along, shape), {-1, 1}));
  }
  return c.Done({c.Concat(std::move(columns), 1)});
}

// Subsets of `chosen` (1 at least) of the places 0 to count - 1 in lexicographic order, one after
// the other; `repeats` allows a place several times. nullopt: there are too many.
std::optional<std::vector<std::int64_t>> Subsets(std::int64_t count, std::int64_t chosen,
                                                 bool repeats) {
  constexpr std::size_t kMost = 1 << 20;
  const std::int64_t gap = repeats ? 0 : 1;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> subset;
  for (std::int64_t k = 0; k < chosen; ++k) subset.push_back(k * gap);
  while (subset.back() < count) {
    all.insert(all.end(), subset.begin(), subset.end());
    if (all.size() > kMost) return std::nullopt;
    std::int64_t k = chosen - 1;
    while (k >= 0 && subset[static_cast<std::size_t>(k)] == count - 1 - (chosen - 1 - k) * gap) --k;
    if (k < 0) break;
    std::int64_t place = subset[static_cast<std::size_t>(k)] + 1;
    for (; k < chosen; ++k, place += gap) subset[static_cast<std::size_t>(k)] = place;
  }
  return all;
}

// Subsets of a vector's elements, of which `with_replacement` lets one be chosen several times.
Value* LowerCombinations(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::optional<std::int64_t> count = c.KnownSize(x, 0);
  const std::int64_t chosen = c.Int("r");
  constexpr std::int64_t kMostChosen = 64;
  if (!count || chosen < 1 || chosen > kMostChosen)
    return c.Refuse("r = " + std::to_string(chosen) + ", or of an unknown number");
  std::optional<std::vector<std::int64_t>> places =
      Subsets(*count, chosen, c.Bool("with_replacement"));
  if (!places) return c.Refuse("so many subsets");
  const std::int64_t subsets = std::ssize(*places) / chosen;
  Value* rows = c.Reshape(c.Ints(std::move(*places)), {subsets, chosen});
  return c.Gather(x, rows, 0);
}

Value* LowerIsIn(CallComposer& c) {
  const bool one_element = c.call().Declares("element");
  const bool one_test = c.call().Declares("test_element");
  const std::vector<Value*> x = c.Promoted(
      {one_element ? "element" : "elements", one_test ? "test_element" : "test_elements"});
  Value* same = c.Equal(c.Unsqueeze(x[0], {-1}), c.Flatten(x[1]));
  const int last = c.Rank(x[0]);
  Value* found = c.Reduce("ReduceMax", same, {last}, false);
  return c.Bool("invert") ? c.Not(found) : found;
}

// The size of an axis of which two lists of sizes say `a` and `b`. What is known only at run time
// is one or as large as the other.
Result<Number> BroadcastSize(Call& call, const Number& a, const Number& b) {
  const Number one = Number::Int(1);
  if (a == one || a == b) return b;
  if (b == one) return a;
  if (a.known() && b.known())
    return call.Invalid("the sizes " + std::to_string(a.AsInt()) + " and " +
                        std::to_string(b.AsInt()) + " cannot be broadcast together");
  if (a.known() || b.known()) return a.known() ? a : b;
  Composer c(call.builder());
  Value* larger = c.Where(c.Equal(a.symbolic(), c.Int(1)), b.symbolic(), a.symbolic());
  DRAGOMAN_TRY(c.status());
  return Number{Number::Kind::kInt, larger};
}

// _infer_size, broadcast_shapes: what two lists of sizes are when broadcast together.
Result<Results> LowerBroadcastShapes(Call& call) {
  const std::vector<Abstract>* lists[] = {ItemsOf(call.arguments()[0]),
                                          ItemsOf(call.arguments()[1])};
  if (lists[0] == nullptr || lists[1] == nullptr)
    return call.Unsupported("numbers of axes that are not known; state them with --shape");
  const std::size_t rank = std::max(lists[0]->size(), lists[1]->size());
  const auto size_at = [&](const std::vector<Abstract>& list, std::size_t i) -> Result<Number> {
    const std::size_t lacking = rank - list.size();
    if (i < lacking) return Number::Int(1);
    const auto* size = list[i - lacking].As<Number>();
    if (size == nullptr) return call.Invalid("a list of sizes has " + Describe(list[i - lacking]));
    return *size;
  };
  std::vector<Abstract> sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    DRAGOMAN_ASSIGN(const Number a, size_at(*lists[0], i));
    DRAGOMAN_ASSIGN(const Number b, size_at(*lists[1], i));
    DRAGOMAN_ASSIGN(const Number size, BroadcastSize(call, a, b));
    sizes.emplace_back(size);
  }
  return Results{call.NewList(std::move(sizes))};
}

// The chunks of each tensor, padded with zeros to one size and flattened after `dim`, side by
// side.
Value* LowerChunkCat(CallComposer& c) {
  const std::int64_t axis = c.Int("dim");
  const std::int64_t chunks = c.Int("num_chunks");
  std::vector<Value*> parts;
  for (Value* value : c.Tensors("tensors")) {
    const int at = c.Axis(axis, c.Rank(value));
    const std::optional<std::int64_t> size = c.KnownSize(value, at);
    if (c.failed() || !size || chunks < 1)
      return c.Refuse("sizes that are not known; state them with --shape");
    const std::int64_t rows = std::max<std::int64_t>((*size + chunks - 1) / chunks, 1);
    std::vector<std::int64_t> pads(2 * static_cast<std::size_t>(c.Rank(value)), 0);
    pads[static_cast<std::size_t>(c.Rank(value) + at)] = rows * chunks - *size;
    Value* padded = c.Op("Pad", {value, c.Ints(std::move(pads)), c.Number(0, value)});
    Value* shape = c.Ints({chunks, -1});
    if (at > 0) shape = c.ConcatSizes({c.SizeVector(value, 0, at), shape});
    parts.push_back(c.Reshape(padded, shape));
  }
  if (c.failed()) return nullptr;
  if (parts.empty()) return c.Fail(c.call().Invalid("an empty list"));
  return c.Concat(std::move(parts), -1);
}

// equal: one answer for the whole of two tensors of the same sizes.
Result<Results> LowerEqual(Call& call) {
  CallComposer c(call);
  Value* a = c.Tensor("self");
  Value* b = c.Tensor("other");
  const std::optional<std::vector<std::int64_t>> sizes_a = c.KnownSizes(a);
  const std::optional<std::vector<std::int64_t>> sizes_b = c.KnownSizes(b);
  if (c.failed() || !sizes_a || !sizes_b)
    return call.Unsupported("sizes that are not known; state them with --shape");
  if (*sizes_a != *sizes_b) return Results{Number::Bool(false)};
  Value* same = c.ReduceAll("ReduceMin", c.Equal(a, b));
  if (c.failed()) return c.DoneWith({});
  return Results{call.NewNumber(Number::Kind::kBool, same)};
}

Result<Results> LowerAllClose(Call& call) {
  CallComposer c(call);
  Value* close = c.Take(LowerIsClose(call));
  Value* all = c.ReduceAll("ReduceMin", close);
  if (c.failed()) return c.DoneWith({});
  return Results{call.NewNumber(Number::Kind::kBool, all)};
}

// Of a triangle whose size is known at run time.
Value* OpenTriangleIndices(CallComposer& c, bool lower, std::int64_t offset) {
  Value* rows = c.Iota(c.Take(c.call().IntValue("row")));
  Value* columns = c.Iota(c.Take(c.call().IntValue("col")));
  Value* beyond = c.Sub(columns, c.Unsqueeze(rows, {1}));
  const auto limit = static_cast<double>(offset);
  Value* inside = lower ? c.LessOrEqual(beyond, limit) : c.GreaterOrEqual(beyond, limit);
  return c.Cast(c.Op("NonZero", {inside}), c.DTypeOr("dtype", DType::kI64));
}

// tril_indices, triu_indices: rows and columns.
Value* LowerTriangleIndices(CallComposer& c) {
  const bool is_known =
      c.Take(c.call().Scalar("row")).known() && c.Take(c.call().Scalar("col")).known();
  if (!is_known)
    return OpenTriangleIndices(c, c.call().op().type == "tril_indices", c.Int("offset"));
  const std::int64_t rows = c.Int("row");
  const std::int64_t columns = c.Int("col");
  const std::int64_t offset = c.Int("offset");
  const bool lower = c.call().op().type == "tril_indices";
  std::vector<std::int64_t> row_list;
  std::vector<std::int64_t> column_list;
  constexpr std::int64_t kMaxSize = 4096;
  if (rows > kMaxSize || columns > kMaxSize) return c.Refuse("triangles of this size");
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (lower ? j - i > offset : j - i < offset) continue;
      row_list.push_back(i);
      column_list.push_back(j);
    }
  }
  row_list.insert(row_list.end(), column_list.begin(), column_list.end());
  Value* both =
      c.Reshape(c.Ints(std::move(row_list)), {2, static_cast<std::int64_t>(column_list.size())});
  return c.Cast(both, c.DTypeOr("dtype", DType::kI64));
}

}  // namespace

std::span<const OpRow> ListsRows() {
  static constexpr OpRow kRows[] = {
      {"aten._chunk_cat", LowerChunkCat, {.complex = true}},
      {"aten._infer_size", LowerBroadcastShapes},
      {"aten.allclose", LowerAllClose, {.complex = true}},
      {"aten.broadcast_shapes", LowerBroadcastShapes},
      {"aten.cartesian_prod", LowerCartesianProd, {.complex = true}},
      {"aten.combinations", LowerCombinations, {.complex = true}},
      {"aten.equal", LowerEqual, {.complex = true}},
      {"aten.isin", LowerIsIn},
      {"aten.tril_indices", LowerTriangleIndices},
      {"aten.triu_indices", LowerTriangleIndices},
  };
  return kRows;
}

}  // namespace dragoman::torch
