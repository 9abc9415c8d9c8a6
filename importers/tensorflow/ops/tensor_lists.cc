// SPDX-License-Identifier: Apache-2.0
// TensorLists.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/lowering/math.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/lists.h"

namespace dragoman::tf {
namespace {

using Results = std::vector<Abstract>;

// Sizes of an element, as an int64 vector, if all of them are known not to be negative.
Value* KnownElementSizes(Call& c, Value* sizes) {
  if (sizes == nullptr || c.MaybeRank(sizes) != 1) return nullptr;
  if (const std::optional<Ints> known = c.builder().KnownInts(sizes)) {
    const bool open = std::any_of(known->begin(), known->end(), [](auto size) { return size < 0; });
    return open ? nullptr : c.Ints(*known);
  }
  const Knowledge knowledge = c.builder().inference().Know(sizes);
  if (!knowledge.elements) return nullptr;
  for (const Dim& size : *knowledge.elements) {
    if (RangeOf(size).lower < 0) return nullptr;
  }
  return c.Cast(sizes, DType::kI64);
}

// Whether elements are variants: rows of a ragged tensor, which have sizes of their own.
bool HasVariants(Call& c) {
  const Attribute* type = c.attribute("element_dtype");
  return type != nullptr && !AsDType(*type);
}

DType ElementTypeOf(Call& c) {
  return HasVariants(c) ? DType::kUnknown : c.TypeAttribute("element_dtype");
}

Value* Stacked(Call& c, std::size_t list, std::optional<std::size_t> sizes) {
  Value* given = nullptr;
  if (sizes && *sizes < c.num_operands()) given = KnownElementSizes(c, c.Tensor(*sizes));
  const DType dtype =
      c.Has("element_dtype") ? c.TypeAttribute("element_dtype") : c.TypeAttribute("dtype");
  return StackElements(c, c.operand(list), given, dtype);
}

Results LowerTensorListReserve(Call& c) {
  if (HasVariants(c)) return {c.heap().NewList({})};
  Value* sizes = KnownElementSizes(c, c.Tensor(0));
  Value* length = c.IndexNumber(1);
  return {ReservedList(c, length, sizes, c.TypeAttribute("element_dtype"))};
}

Results LowerEmptyTensorList(Call& c) { return {c.heap().NewList({})}; }

Results LowerTensorListFromTensor(Call& c) {
  if (ListOf(c.operand(0)) != nullptr) return {c.operand(0)};
  return {c.NewTensor(c.Tensor(0))};
}

Value* LowerTensorListGetItem(Call& c) {
  Value* index = c.Tensor(1);
  Value* sizes = c.num_operands() > 2 ? KnownElementSizes(c, c.Tensor(2)) : nullptr;
  return ListElement(c, c.operand(0), index, sizes, ElementTypeOf(c));
}

Results LowerTensorListSetItem(Call& c) {
  Value* index = c.Tensor(1);
  const bool grows = HasVariants(c) || c.BoolOr("resize_if_index_out_of_bounds", false);
  return {ListWithElement(c, c.operand(0), index, c.Tensor(2), grows)};
}

Results LowerTensorListPushBack(Call& c) {
  Value* element = c.Tensor(1);
  const Abstract& list = c.operand(0);
  if (c.failed()) return {};
  const ListContents* contents = ListOf(list);
  if (contents != nullptr && contents->sequence == nullptr) {
    std::vector<Abstract> items = contents->items;
    items.push_back(c.NewTensor(element));
    return {c.heap().NewList(std::move(items))};
  }
  if (contents != nullptr) {
    ListContents grown;
    grown.sequence = c.Op("SequenceInsert", {contents->sequence, element});
    return {ListRef{c.heap().NewCell(std::move(grown))}};
  }
  Value* rows = c.Concat({c.TensorOf(list), c.Unsqueeze(element, {0})}, 0);
  if (c.failed()) return {};
  return {c.NewTensor(rows)};
}

Results LowerTensorListPopBack(Call& c) {
  const Abstract& list = c.operand(0);
  if (c.failed()) return {};
  const ListContents* contents = ListOf(list);
  if (contents != nullptr && contents->sequence == nullptr) {
    if (contents->items.empty()) {
      c.Fail(InvalidInput("taking an element of an empty list"));
      return {};
    }
    std::vector<Abstract> items = contents->items;
    Abstract last = std::move(items.back());
    items.pop_back();
    return {c.heap().NewList(std::move(items)), std::move(last)};
  }
  if (contents != nullptr) {
    Value* last = c.Op("SequenceAt", {contents->sequence, c.Int(-1)});
    ListContents rest;
    rest.sequence = c.Op("SequenceErase", {contents->sequence});
    if (c.failed()) return {};
    return {ListRef{c.heap().NewCell(std::move(rest))}, c.NewTensor(last)};
  }
  Value* rows = c.TensorOf(list);
  Value* last = c.Select(rows, 0, -1);
  Value* rest = c.Slice(rows, 0, 0, -1);
  if (c.failed()) return {};
  return {c.NewTensor(rest), c.NewTensor(last)};
}

Results LowerTensorListStack(Call& c) {
  if (HasVariants(c)) return {c.operand(0)};
  Value* rows = Stacked(c, 0, 1);
  if (c.failed()) return {};
  return {c.NewTensor(rows)};
}

Value* LowerTensorListGather(Call& c) {
  Value* rows = Stacked(c, 0, 2);
  return c.Gather(rows, c.Tensor(1), 0);
}

Results LowerTensorListScatter(Call& c) {
  Value* rows = c.Tensor(0);
  Value* indices = c.Index(1);
  Value* length = nullptr;
  if (c.num_operands() > 3) {
    const std::optional<Ints> stated = c.MaybeKnownInts(3);
    if (!stated || stated->empty() || stated->front() >= 0) length = c.IndexNumber(3);
  }
  return {ListOfRows(c, rows, indices, length)};
}

Value* LowerTensorListLength(Call& c) { return c.Cast(ListLength(c, c.operand(0)), DType::kI32); }

// -1 where it is not known, as of a list without elements.
Value* LowerTensorListElementShape(Call& c) {
  const Abstract& list = c.operand(0);
  const DType to = c.TypeAttribute("shape_type");
  if (c.failed()) return nullptr;
  if (const Abstract* first = FirstElement(list)) return c.Cast(c.Shape(c.TensorOf(*first)), to);
  if (!list.Is<TensorRef>()) return c.Cast(c.Int(-1), to);
  Value* rows = c.TensorOf(list);
  const int rank = c.Rank(rows);
  return c.failed() ? nullptr : c.Cast(c.SizeVector(rows, 1, rank - 1), to);
}

Results LowerTensorListConcat(Call& c) {
  Value* sizes = c.num_operands() > 1 ? KnownElementSizes(c, c.Tensor(1)) : nullptr;
  return JoinElements(c, c.operand(0), sizes, c.TypeAttribute("element_dtype"));
}

Results LowerTensorListSplit(Call& c) {
  Value* rows = c.Tensor(0);
  return {SplitIntoList(c, rows, 2)};
}

// What was not set stays so; what is too much is left out.
Results LowerTensorListResize(Call& c) {
  Value* length = c.IndexNumber(1);
  const Abstract& list = c.operand(0);
  if (c.failed()) return {};
  const ListContents* contents = ListOf(list);
  const std::optional<std::int64_t> known = c.KnownNumber(length);
  if (known && (*known < 0 || *known > kMaxElements)) {
    c.Fail(InvalidInput("a list of " + std::to_string(*known) + " elements"));
    return {};
  }
  if (known && contents != nullptr && contents->sequence == nullptr) {
    std::vector<Abstract> items = contents->items;
    items.resize(static_cast<std::size_t>(*known), Uninitialized());
    return {c.heap().NewList(std::move(items))};
  }
  const bool has_rows = list.Is<TensorRef>() || FirstElement(list) != nullptr;
  if (!has_rows || (contents != nullptr && contents->sequence != nullptr)) {
    c.Fail("resizing a list whose length is known only at run time");
    return {};
  }
  Value* rows = StackElements(c, list, nullptr, DType::kF32);
  rows = GrowRows(c, c.Slice(rows, 0, c.Ints({0}), c.Vector(length), c.Ints({1})), length);
  if (c.failed()) return {};
  return {c.NewTensor(rows)};
}

Results LowerTensorListConcatLists(Call& c) {
  const DType dtype = c.TypeAttribute("element_dtype");
  const ListContents* a = ListOf(c.operand(0));
  const ListContents* b = ListOf(c.operand(1));
  if (c.failed()) return {};
  if (a != nullptr && b != nullptr && a->sequence == nullptr && b->sequence == nullptr) {
    std::vector<Abstract> items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return {c.heap().NewList(std::move(items))};
  }
  Value* rows = c.Concat({StackElements(c, c.operand(0), nullptr, dtype),
                          StackElements(c, c.operand(1), nullptr, dtype)},
                         0);
  if (c.failed()) return {};
  return {c.NewTensor(rows)};
}

// Several elements of a list at once.
Results LowerTensorListScatterInto(Call& c) {
  const Abstract& list = c.operand(0);
  Value* rows = c.Tensor(1);
  Value* indices = c.Index(2);
  const int rank = c.Rank(rows);
  if (c.failed()) return {};
  Value* count = ListLength(c, list);
  const std::optional<std::int64_t> known_count = c.KnownNumber(count);
  const std::optional<std::int64_t> known_rows = c.KnownSize(rows, 0);
  // All of them.
  if (CountsUp(c, indices) && known_rows && known_count && *known_rows >= *known_count)
    return {c.NewTensor(rows)};
  c.Assert(c.Less(c.ReduceAll("ReduceMax", indices), count),
           "'" + c.node().name() + "' sets an element beyond the end of its list");
  Value* before = StackElements(c, list, c.SizeVector(rows, 1, rank - 1), c.dtype(rows));
  Value* after = c.Op("ScatterND", {before, c.Unsqueeze(indices, {1}), rows});
  if (c.failed()) return {};
  return {c.NewTensor(after)};
}

}  // namespace

std::span<const OpRow> TensorListsRows() {
  static constexpr OpRow kRows[] = {
      {"EmptyTensorList", LowerEmptyTensorList},
      {"TensorListConcat", LowerTensorListConcat},
      {"TensorListConcatLists", LowerTensorListConcatLists},
      {"TensorListConcatV2", LowerTensorListConcat},
      {"TensorListElementShape", LowerTensorListElementShape},
      {"TensorListFromTensor", LowerTensorListFromTensor},
      {"TensorListGather", LowerTensorListGather},
      {"TensorListGetItem", LowerTensorListGetItem},
      {"TensorListLength", LowerTensorListLength},
      {"TensorListPopBack", LowerTensorListPopBack},
      {"TensorListPushBack", LowerTensorListPushBack},
      {"TensorListReserve", LowerTensorListReserve},
      {"TensorListResize", LowerTensorListResize},
      {"TensorListScatter", LowerTensorListScatter},
      {"TensorListScatterIntoExistingList", LowerTensorListScatterInto},
      {"TensorListScatterV2", LowerTensorListScatter},
      {"TensorListSetItem", LowerTensorListSetItem},
      {"TensorListSplit", LowerTensorListSplit},
      {"TensorListStack", LowerTensorListStack},
  };
  return kRows;
}

}  // namespace dragoman::tf
