// SPDX-License-Identifier: Apache-2.0
// Operators that put tensors together or repeat them.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/script_lowerings.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// The tensors of a list, converted to their common element type.
std::vector<Value*> CommonTensors(CallComposer& c, std::string_view name = "tensors") {
  std::vector<Value*> values = c.Tensors(name);
  std::vector<PromotionOperand> operands;
  for (const Value* value : values)
    operands.push_back({c.dtype(value), PromotionClassOf(c.MaybeRank(value))});
  const DType dtype = ResultType(operands);
  if (dtype == DType::kUnknown && !values.empty())
    c.Fail("the element types of the list have no common one that is known");
  for (Value*& value : values) value = c.Cast(value, dtype);
  return values;
}

// Without the empty vectors that torch lets stand for anything.
std::vector<Value*> WithoutLegacyEmpty(const Composer& c, std::vector<Value*> values) {
  const auto is_empty = [&](const Value* value) {
    return c.MaybeRank(value) == 1 && c.KnownSize(value, 0) == 0;
  };
  if (!std::all_of(values.begin(), values.end(), is_empty)) std::erase_if(values, is_empty);
  return values;
}

Value* AtLeast(Composer& c, Value* x, int wanted) {
  const int rank = c.Rank(x);
  if (rank >= wanted) return x;
  if (wanted == 3)
    return c.Unsqueeze(x, rank == 2   ? std::vector<std::int64_t>{2}
                          : rank == 1 ? std::vector<std::int64_t>{0, 2}
                                      : std::vector<std::int64_t>{0, 1, 2});
  return c.Unsqueeze(x, AllAxes(wanted - rank));
}

Result<Value*> Stack(Call& call, int wanted, int axis) {
  CallComposer c(call);
  std::vector<Value*> values = CommonTensors(c);
  for (Value*& value : values) value = AtLeast(c, value, wanted);
  if (c.failed()) return c.Done(nullptr);
  if (values.empty()) return call.Invalid("no tensors");
  return c.Done(c.Concat(std::move(values), axis));
}

// Sequences (length, …) side by side, each padded to the longest.
Value* LowerPadSequence(CallComposer& c) {
  const std::vector<Value*> sequences = CommonTensors(c, "sequences");
  const bool batch_first = c.BoolOr("batch_first", false);
  if (c.failed() || sequences.empty()) return c.Fail("a list without tensors");
  Value* longest = c.Size(sequences[0], 0);
  for (Value* one : sequences) longest = c.Max(longest, c.Size(one, 0));
  Value* fill = c.Number(c.FloatOr("padding_value", 0), sequences[0]);
  const bool left = c.Has("padding_side") && c.Text("padding_side") == "left";
  std::vector<Value*> padded;
  for (Value* one : sequences) {
    Value* missing = c.Vector(c.Sub(longest, c.Size(one, 0)));
    const std::int64_t rest = c.Rank(one) - 1;
    Value* none = c.Full(c.Ints({rest}), 0, DType::kI64);
    Value* zero = c.Ints({0});
    Value* pads = c.Concat({left ? missing : zero, none, left ? zero : missing, none}, 0);
    padded.push_back(c.Unsqueeze(c.Op("Pad", {one, pads, fill}), {batch_first ? 0 : 1}));
  }
  return c.Concat(std::move(padded), batch_first ? 0 : 1);
}

// cat, concat, concatenate
Value* LowerCat(CallComposer& c) {
  const std::vector<Value*> values = WithoutLegacyEmpty(c, CommonTensors(c));
  if (c.failed() || values.empty()) return c.Fail("a list without tensors");
  std::int64_t axis = c.Int("dim");
  if (const std::optional<int> rank = c.MaybeRank(values[0])) axis = c.Axis(axis, *rank);
  return c.Concat(values, axis);
}

// Matrices along the diagonal of one; vectors count as rows.
Value* LowerBlockDiag(CallComposer& c) {
  std::vector<Value*> blocks;
  for (Value* block : CommonTensors(c))
    blocks.push_back(c.Rank(block) < 2 ? c.Reshape(block, {1, -1}) : block);
  // How many columns lie before each block, and in all.
  std::vector<Value*> before = {c.Ints({0})};
  for (Value* block : blocks) before.push_back(c.Add(before.back(), c.SizeVector(block, 1, 1)));
  std::vector<Value*> rows;
  for (std::size_t i = 0; i < blocks.size() && !c.failed(); ++i) {
    Value* after = c.Sub(before.back(), before[i + 1]);
    Value* pads = c.ConcatSizes({c.Ints({0}), before[i], c.Ints({0}), after});
    rows.push_back(c.Op("Pad", {blocks[i], pads, c.Number(0, blocks[i])}));
  }
  if (rows.empty()) return c.Fail("an empty list");
  return c.Concat(std::move(rows), 0);
}

Value* LowerStack(CallComposer& c) {
  std::vector<Value*> values = CommonTensors(c);
  if (c.failed() || values.empty()) return c.Fail("a list without tensors");
  std::int64_t axis = c.Int("dim");
  if (const std::optional<int> rank = c.MaybeRank(values[0])) axis = c.Axis(axis, *rank + 1);
  for (Value*& value : values) value = c.Unsqueeze(value, {axis});
  return c.Concat(std::move(values), axis);
}

Result<Value*> LowerHStack(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> values = c.Tensors("tensors");
  const bool vectors = !values.empty() && c.Rank(values[0]) < 2;
  if (c.failed()) return c.Done(nullptr);
  return Stack(call, 1, vectors ? 0 : 1);
}

// vstack, row_stack
Result<Value*> LowerVStack(Call& call) { return Stack(call, 2, 0); }
Result<Value*> LowerDStack(Call& call) { return Stack(call, 3, 2); }

Value* LowerColumnStack(CallComposer& c) {
  std::vector<Value*> values = CommonTensors(c);
  for (Value*& value : values) {
    const int rank = c.Rank(value);
    if (rank < 2) value = c.Reshape(value, {-1, 1});
  }
  if (c.failed() || values.empty()) return c.Fail("a list without tensors");
  return c.Concat(std::move(values), 1);
}

// repeat, tile: leading axes are added where there are more repeats than axes, or fewer for tile.
Result<Value*> LowerRepeat(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  std::vector<Number> repeats = c.Take(call.Scalars(call.Declares("dims") ? "dims" : "repeats"));
  while (static_cast<int>(repeats.size()) < rank) repeats.insert(repeats.begin(), Number::Int(1));
  const int added = static_cast<int>(repeats.size()) - rank;
  x = c.Unsqueeze(x, AllAxes(added));
  if (repeats.empty() || c.failed()) return c.Done(x);
  return c.Done(c.Op("Tile", {x, c.Take(call.NumberList(repeats))}));
}

// Each element `repeats` times, one after the other.
Value* LowerRepeatInterleave(CallComposer& c) {
  const bool alone = !c.call().Declares("self");
  Value* x = alone ? c.Iota(c.NumElements(c.Tensor("repeats"))) : c.Tensor("self");
  if (!c.Has("dim")) x = c.Flatten(x);
  const int axis = c.Has("dim") ? c.AxisArgument("dim", x) : 0;
  const Abstract repeats = c.Take(c.call().Argument("repeats"));
  const int rank = c.Rank(x);
  if (c.failed()) return x;
  if (repeats.Is<Number>()) {
    Value* times = c.Take(c.call().IntListValue("repeats"));
    std::vector<Value*> sizes(static_cast<std::size_t>(rank) + 1, c.Ints({1}));
    sizes[static_cast<std::size_t>(axis) + 1] = times;
    Value* repeated = c.Op("Tile", {c.Unsqueeze(x, {axis + 1}), c.ConcatSizes(std::move(sizes))});
    std::vector<Value*> shape;
    if (axis > 0) shape.push_back(c.SizeVector(x, 0, axis));
    shape.push_back(c.Mul(c.SizeVector(x, axis, 1), times));
    if (axis + 1 < rank) shape.push_back(c.SizeVector(x, axis + 1, rank - axis - 1));
    return c.Reshape(repeated, c.ConcatSizes(std::move(shape)));
  }
  Value* counts =
      c.Expand(c.Flatten(c.Cast(c.Tensor("repeats"), DType::kI64)), c.SizeVector(x, axis, 1));
  Value* ends = c.Op("CumSum", {counts, c.Int(0)});
  Value* total = c.ReduceSum(counts, {0});
  Value* places = c.Unsqueeze(c.Iota(total), {1});
  Value* passed = c.Cast(c.GreaterOrEqual(places, ends), DType::kI64);
  return c.Gather(x, c.ReduceSum(passed, {1}), axis);
}

}  // namespace

// Views of the tensors of a list, one each.
template <class ViewOf>
Result<Results> ViewsOfList(CallComposer& c, ViewOf view_of) {
  const Abstract list = c.Take(c.call().Argument("tensors"));
  std::vector<Abstract> views;
  for (std::size_t i = 0; !c.failed() && i < ItemsOf(list)->size(); ++i)
    views.push_back(view_of((*ItemsOf(list))[i], i));
  return c.DoneWith({c.call().NewList(std::move(views))});
}

namespace {

Result<Results> LowerBroadcastTensors(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> values = c.Tensors("tensors");
  Value* together = nullptr;
  for (Value* value : values) {
    Value* zeros = c.Full(c.Shape(value), 0, DType::kBool);
    together = together == nullptr ? zeros : c.Or(together, zeros);
  }
  Value* shape = together != nullptr ? c.Shape(together) : nullptr;
  return ViewsOfList(c, [&](const Abstract& tensor, std::size_t i) {
    return MakeView(c, tensor, ExpandView(c, values[i], shape));
  });
}

// Each vector along an axis of its own; with "xy" the first two axes change places.
Result<Results> LowerMeshgrid(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> values = c.Tensors("tensors");
  const bool swapped = c.Has("indexing") && c.Text("indexing") == "xy" && values.size() > 1;
  std::vector<Value*> sizes;
  for (Value* value : values) sizes.push_back(c.Reshape(c.NumElements(value), {1}));
  if (swapped) std::swap(sizes[0], sizes[1]);
  Value* shape = sizes.empty() ? nullptr : c.ConcatSizes(sizes);
  return ViewsOfList(c, [&](const Abstract& tensor, std::size_t i) {
    std::vector<std::int64_t> along(values.size(), 1);
    along[swapped && i < 2 ? 1 - i : i] = -1;
    Value* line = c.Ints(along);
    const Abstract upright = MakeView(c, tensor, ReshapeView(c, values[i], line));
    return MakeView(c, upright, ExpandView(c, c.Reshape(values[i], line), shape));
  });
}

Value* LowerKron(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  const int rank = std::max(c.Rank(x[0]), c.Rank(x[1]));
  const auto of_rank = [&](Value* part) {
    std::vector<std::int64_t> added(static_cast<std::size_t>(rank - c.Rank(part)));
    std::iota(added.begin(), added.end(), 0);
    return added.empty() ? part : c.Unsqueeze(part, added);
  };
  if (c.failed()) return nullptr;
  Value* a = of_rank(x[0]);
  Value* b = of_rank(x[1]);
  std::vector<std::int64_t> inner;
  std::vector<std::int64_t> outer;
  for (int axis = 0; axis < rank; ++axis) {
    inner.push_back(2 * axis + 1);
    outer.push_back(2 * axis);
  }
  const bool holds = c.dtype(a) == DType::kBool;
  Value* product = c.Op(holds ? "And" : "Mul", {c.Unsqueeze(a, inner), c.Unsqueeze(b, outer)});
  return c.Reshape(product, c.Mul(c.Shape(a), c.Shape(b)));
}

}  // namespace

std::span<const OpRow> JoinRows() {
  static constexpr OpRow kRows[] = {
      {"aten.block_diag", LowerBlockDiag, {.complex = true}},
      {"aten.broadcast_tensors", LowerBroadcastTensors, {.complex = true}},
      {"aten.cat", LowerCat, {.complex = true, .grid = kOperandGrid}},
      {"aten.column_stack", LowerColumnStack, {.complex = true}},
      {"aten.concat", LowerCat, {.complex = true}},
      {"aten.concatenate", LowerCat, {.complex = true}},
      {"aten.dstack", LowerDStack, {.complex = true}},
      {"aten.hstack", LowerHStack, {.complex = true}},
      {"aten.kron", LowerKron, {.complex = true}},
      {"aten.meshgrid", LowerMeshgrid, {.complex = true}},
      {"aten.pad_sequence", LowerPadSequence},
      {"aten.repeat", LowerRepeat, {.complex = true}},
      {"aten.repeat_interleave", LowerRepeatInterleave, {.complex = true}},
      {"aten.row_stack", LowerVStack, {.complex = true}},
      {"aten.stack", LowerStack, {.complex = true, .grid = kOperandGrid}},
      {"aten.tile", LowerRepeat, {.complex = true}},
      {"aten.vstack", LowerVStack, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
