// SPDX-License-Identifier: Apache-2.0
// Views of some of a tensor's elements: select, slice, split, diagonal…
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ir/node_attributes.h"
#include "core/lowering/heap.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// The results of one Split, each a view of its own. `sizes` is nullptr for equal parts.
struct Parts {
  int axis;
  std::size_t count;
  Value* sizes;
};

// A Split like the one wanted that this graph has already.
Node* FindSplit(Composer& c, Value* base, const Parts& parts) {
  for (const Use* use = base->first_use(); use != nullptr; use = use->next()) {
    Node* node = use->user();
    if (node == nullptr || node->op().type != "Split" || node->graph() != &c.builder().graph() ||
        node->num_results() != parts.count) {
      continue;
    }
    Value* sizes = node->operand(1);
    if (IntAttribute(*node, "axis", 0) == parts.axis && sizes == parts.sizes) return node;
  }
  return nullptr;
}

Value* PartOf(Composer& c, Value* base, const Parts& parts, std::size_t i) {
  if (c.failed() || parts.count == 1) return base;
  if (Node* split = FindSplit(c, base, parts)) return split->result(i);
  std::vector<NamedAttribute> attributes = {{"axis", std::int64_t{parts.axis}}};
  std::vector<Value*> operands = {base};
  if (parts.sizes != nullptr) {
    operands.push_back(parts.sizes);
  } else {
    attributes.push_back({"num_outputs", static_cast<std::int64_t>(parts.count)});
  }
  return c.Ops("Split", std::move(operands), std::move(attributes), parts.count)[i];
}

// What replaces part `i` of `base`: all parts put together again.
Value* PutPart(Composer& c, Value* base, const Parts& parts, std::size_t i, Value* value) {
  std::vector<Value*> all;
  for (std::size_t j = 0; j < parts.count; ++j)
    all.push_back(j == i ? value : PartOf(c, base, parts, j));
  return c.Concat(std::move(all), parts.axis);
}

Result<Results> LowerParts(CallComposer& c, const Parts& parts) {
  std::vector<Abstract> items;
  for (std::size_t i = 0; i < parts.count && !c.failed(); ++i) {
    View view;
    view.get = [=](Composer& inner, Value* base) { return PartOf(inner, base, parts, i); };
    view.put = [=](Composer& inner, Value* base, Value* value) {
      return PutPart(inner, base, parts, i, value);
    };
    view.contiguous = parts.axis == 0;
    view.steps = [](std::vector<Dim> base) { return base; };
    items.push_back(MakeView(c, std::move(view)));
  }
  return c.DoneWith({c.call().NewList(std::move(items))});
}

// Into parts of these sizes.
Result<Results> LowerSizes(CallComposer& c, int axis, const std::vector<std::int64_t>& sizes) {
  const std::size_t count = sizes.size();
  bool equal = true;
  for (std::int64_t size : sizes) equal = equal && size == sizes.front();
  Value* operand = equal || c.failed() ? nullptr : c.Ints(sizes);
  return LowerParts(c, {axis, count, operand});
}

// From each index, of rank 1, up to the next, as slices do it.
Result<Results> SplitAt(CallComposer& c, Value* x, int axis, const std::vector<Value*>& indices) {
  std::vector<Abstract> items;
  SliceBounds bounds;
  bounds.axis = axis;
  bounds.start = c.Ints({0});
  for (std::size_t i = 0; i <= indices.size() && !c.failed(); ++i) {
    bounds.end = i < indices.size() ? indices[i] : c.Ints({kEnd});
    items.push_back(MakeView(c, SliceView(c, x, bounds)));
    bounds.start = bounds.end;
  }
  return c.DoneWith({c.call().NewList(std::move(items))});
}

// The elements of a vector of known size, each of rank 1.
std::vector<Value*> TakeItems(CallComposer& c, std::string_view name) {
  Value* vector = c.Cast(c.Tensor(name), DType::kI64);
  const std::optional<std::int64_t> count = c.KnownSize(vector, 0);
  if (!count) c.Fail("a number of indices not known; state the inputs' sizes with --shape");
  std::vector<Value*> items;
  for (std::int64_t i = 0; i < count.value_or(0); ++i)
    items.push_back(c.Slice(vector, 0, i, i + 1));
  return items;
}

std::int64_t NeedSize(CallComposer& c, Value* x, int axis) {
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  if (!size && !c.failed()) {
    c.Fail("the number of parts depends on the size of axis " + std::to_string(axis) +
           ", which is not known; state the inputs' sizes with --shape");
  }
  return size.value_or(0);
}

// A list whose length is known only at run time.
Result<Results> RunTimeParts(CallComposer& c, Value* parts) {
  const Abstract self = c.Take(c.call().Argument("self"));
  if (const auto* tensor = self.As<TensorRef>()) tensor->storage->is_item = true;
  return c.DoneWith({ListRef{c.call().heap().NewCell(ListContents{{}, parts, std::nullopt})}});
}

// Parts of `size`, the last of which may be smaller.
Result<Results> LowerPartsOf(CallComposer& c, Value* x, int axis, std::int64_t size) {
  if (size > 0 && !c.KnownSize(x, axis) && !c.failed())
    return RunTimeParts(c,
                        c.Op("SplitToSequence", {x, c.Int(size)}, {{"axis", std::int64_t{axis}}}));
  const std::int64_t total = NeedSize(c, x, axis);
  if (size < 0 || (size == 0 && total > 0)) return c.call().Invalid("parts must have a size");
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = total; left > 0; left -= size) sizes.push_back(std::min(left, size));
  if (sizes.empty()) sizes.push_back(0);
  return LowerSizes(c, axis, sizes);
}

Value* Bound(CallComposer& c, std::string_view name, std::int64_t otherwise) {
  if (!c.Has(name)) return c.Ints({otherwise});
  const Number number = c.Take(c.call().Scalar(name));
  return c.failed() ? nullptr : c.Take(c.call().NumberList(std::span(&number, 1)));
}

// hsplit, vsplit, dsplit: along the first to third axis, hsplit of vectors along their only one.
int SplitAxis(CallComposer& c, Value* x) {
  if (c.call().Declares("dim")) return c.AxisArgument("dim", x);
  const char kind = c.call().op().type[0];
  if (kind == 'h') return c.Rank(x) == 1 ? 0 : 1;
  return kind == 'v' ? 0 : 2;
}

Result<Results> LowerSelect(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisOf(c.Int("dim"), x);
  return LowerView(c, SelectView(c, axis, c.Take(call.IntValue("index"))));
}

}  // namespace

View TakeSliceView(CallComposer& c) {
  Value* x = c.Tensor("self");
  SliceBounds bounds;
  bounds.axis = c.AxisOf(c.Int("dim"), x);
  bounds.start = Bound(c, "start", 0);
  bounds.end = Bound(c, "end", kEnd);
  bounds.step = Bound(c, "step", 1);
  if (c.failed()) return View();
  const auto step = c.builder().KnownInts(bounds.step);
  if (step && step->front() < 1) c.Fail(InvalidInput("the step of a slice must be positive"));
  if (!step) {
    Value* is_positive = c.Greater(c.Squeeze(bounds.step, {0}), 0);
    c.Assert(is_positive, "the step of a slice must be positive");
  }
  return SliceView(c, x, bounds);
}

namespace {

Result<Results> LowerSlice(Call& call) {
  CallComposer c(call);
  return LowerView(c, TakeSliceView(c));
}

Result<Results> LowerNarrow(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  SliceBounds bounds;
  bounds.axis = c.AxisOf(c.Int("dim"), x);
  Value* start = c.Take(call.IntValue("start"));
  Value* length = c.Take(call.IntValue("length"));
  const std::optional<std::vector<std::int64_t>> first = call.builder().KnownInts(start);
  const std::optional<std::vector<std::int64_t>> count = call.builder().KnownInts(length);
  const std::optional<std::int64_t> size = c.KnownSize(x, bounds.axis);
  if (first && first->front() < 0 && size) start = c.Int(first->front() + *size);
  bounds.start = c.Vector(start);
  bounds.end = c.Vector(c.Add(start, length));
  if (first && count && first->front() >= 0) {
    bounds.start = c.Ints({first->front()});
    bounds.end = c.Ints({first->front() + count->front()});
  }
  return LowerView(c, SliceView(c, x, bounds));
}

// split, unsafe_split, split_with_sizes
Result<Results> LowerSplit(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  const std::string_view name = call.Declares("split_sizes") ? "split_sizes" : "split_size";
  const Abstract argument = c.Take(call.Argument(name));
  if (argument.Is<Number>()) return LowerPartsOf(c, x, axis, c.Int(name));
  const std::vector<Number> sizes = c.Take(call.Scalars(name));
  const bool known =
      std::all_of(sizes.begin(), sizes.end(), [](const Number& n) { return n.known(); });
  if (known) return LowerSizes(c, axis, c.Take(call.IntList(name)));
  return LowerParts(c, {axis, sizes.size(), c.Take(call.NumberList(sizes))});
}

// chunk, unsafe_chunk: as many parts, or fewer, of one size but for the last.
Result<Results> LowerChunk(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  const std::int64_t chunks = c.Int("chunks");
  if (c.failed()) return c.Done({});
  if (chunks < 1) return call.Invalid("chunks must be positive");
  if (chunks == 1) return LowerParts(c, {axis, 1, nullptr});
  const std::int64_t size = (NeedSize(c, x, axis) + chunks - 1) / chunks;
  if (size > 0 || c.failed()) return LowerPartsOf(c, x, axis, size);
  return LowerSizes(c, axis, std::vector<std::int64_t>(static_cast<std::size_t>(chunks), 0));
}

// tensor_split, hsplit, vsplit, dsplit: at indices, or into parts that differ by one at most.
Result<Results> LowerTensorSplit(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = SplitAxis(c, x);
  if (call.Declares("tensor_indices_or_sections") &&
      c.Rank(c.Tensor("tensor_indices_or_sections")) == 1) {
    return SplitAt(c, x, axis, TakeItems(c, "tensor_indices_or_sections"));
  }
  if (call.Declares("indices")) {
    std::vector<Value*> indices;
    for (const Number& index : c.Take(call.Scalars("indices")))
      indices.push_back(c.Vector(c.Take(call.NumberValue(index, DType::kI64))));
    return SplitAt(c, x, axis, indices);
  }
  const std::int64_t total = NeedSize(c, x, axis);
  const std::int64_t sections =
      c.Int(call.Declares("sections") ? "sections" : "tensor_indices_or_sections");
  if (c.failed()) return c.Done({});
  if (sections < 1) return call.Invalid("sections must be positive");
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < sections; ++i)
    sizes.push_back(total / sections + (i < total % sections ? 1 : 0));
  return LowerSizes(c, axis, sizes);
}

Result<Results> LowerUnbind(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  if (!c.KnownSize(x, axis) && !c.failed())
    return RunTimeParts(c, c.Op("SplitToSequence", {x},
                                {{"axis", std::int64_t{axis}}, {"keepdims", std::int64_t{0}}}));
  const std::int64_t count = NeedSize(c, x, axis);
  std::vector<Abstract> items;
  for (std::int64_t i = 0; i < count && !c.failed(); ++i)
    items.push_back(MakeView(c, SelectView(c, axis, c.Int(i))));
  return c.DoneWith({call.NewList(std::move(items))});
}

}  // namespace

std::span<const OpRow> ViewPartsRows() {
  static constexpr OpRow kRows[] = {
      {"aten.chunk", LowerChunk, {.complex = true}},
      {"aten.dsplit", LowerTensorSplit, {.complex = true}},
      {"aten.hsplit", LowerTensorSplit, {.complex = true}},
      {"aten.narrow", LowerNarrow, {.complex = true}},
      {"aten.narrow_copy", LowerNarrow, {.complex = true}},
      {"aten.select", LowerSelect, {.complex = true}},
      {"aten.select_copy", LowerSelect, {.complex = true}},
      {"aten.slice", LowerSlice, {.complex = true}},
      {"aten.slice_copy", LowerSlice, {.complex = true}},
      {"aten.split", LowerSplit, {.complex = true}},
      {"aten.split_copy", LowerSplit, {.complex = true}},
      {"aten.split_with_sizes", LowerSplit, {.complex = true}},
      {"aten.split_with_sizes_copy", LowerSplit, {.complex = true}},
      {"aten.tensor_split", LowerTensorSplit, {.complex = true}},
      {"aten.unbind", LowerUnbind, {.complex = true}},
      {"aten.unbind_copy", LowerUnbind, {.complex = true}},
      {"aten.unsafe_chunk", LowerChunk, {.complex = true}},
      {"aten.unsafe_split", LowerSplit, {.complex = true}},
      {"aten.unsafe_split_with_sizes", LowerSplit, {.complex = true}},
      {"aten.vsplit", LowerTensorSplit, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
