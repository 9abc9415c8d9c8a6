#include "importers/tensorflow/ops/lists.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/loop_body.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// Lists of more elements are not told apart element by element.
constexpr std::int64_t kMaxElements = 1024;

using Results = std::vector<Abstract>;

const ListContents* ListOf(const Abstract& list) {
  const auto* reference = list.As<ListRef>();
  return reference != nullptr ? &std::get<ListContents>(reference->cell->contents) : nullptr;
}

const Abstract* LengthOf(const Abstract& list) {
  const auto* tuple = list.As<Tuple>();
  return tuple != nullptr && tuple->items->size() == 1 ? &tuple->items->front() : nullptr;
}

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

// The same of attribute element_shape.
Value* ElementSizesAttribute(Call& c) {
  const std::optional<Shape> shape = c.ShapeAttribute("element_shape");
  const std::optional<Ints> sizes = shape ? KnownShape(*shape) : std::nullopt;
  return sizes ? c.Ints(*sizes) : nullptr;
}

// The handle of an array of version 1 or 2 holds what is in it first; that of an array that grows
// ends with None.
bool Grows(const Abstract& handle) {
  const auto* parts = handle.As<Tuple>();
  return parts != nullptr && parts->items->back().Is<None>();
}

Abstract NewTuple(Abstract item) {
  return Tuple{std::make_shared<const std::vector<Abstract>>(1, std::move(item))};
}

// A list of `length` (int64, rank 0) elements that are not set. `sizes`: nullptr if not known.
Abstract Reserve(Call& c, Value* length, Value* sizes, DType dtype) {
  if (c.failed()) return Poison();
  if (sizes != nullptr) {
    Value* zeros = c.Full(c.ConcatSizes({c.Vector(length), sizes}), 0, dtype);
    return c.failed() ? Abstract(Poison()) : c.NewTensor(zeros);
  }
  const std::optional<std::int64_t> known = c.KnownNumber(length);
  if (!known || *known > kMaxElements || *known < 0) return NewTuple(c.NewTensor(length));
  return c.heap().NewList(std::vector<Abstract>(static_cast<std::size_t>(*known), Uninitialized()));
}

Value* ZerosLike(OperandComposer& c, Value* x) { return c.Full(c.Shape(x), 0, c.dtype(x)); }

Value* ConcatRows(OperandComposer& c, const std::vector<Value*>& elements) {
  std::vector<Value*> rows;
  for (Value* element : elements) rows.push_back(c.Unsqueeze(element, {0}));
  return c.Concat(std::move(rows), 0);
}

// The elements of a sequence. One of no elements is stacked as well where `sizes` tells what an
// element would be: with an element behind the others, which is taken off again.
Value* StackedSequence(OperandComposer& c, Value* sequence, Value* sizes, DType dtype) {
  if (sizes != nullptr) sequence = c.Op("SequenceInsert", {sequence, c.Full(sizes, 0, dtype)});
  Value* rows = c.Op("ConcatFromSequence", {sequence},
                     {{"axis", std::int64_t{0}}, {"new_axis", std::int64_t{1}}});
  return sizes != nullptr ? c.Slice(rows, 0, 0, -1) : rows;
}

// `sizes`: of an element that is not set, or nullptr.
Value* StackOf(OperandComposer& c, const Abstract& list, Value* sizes, DType dtype) {
  if (list.Is<TensorRef>()) return c.TensorOf(list);
  if (const Abstract* length = LengthOf(list)) {
    if (sizes == nullptr)
      return c.Fail("a list of which no element was set and whose sizes are not known");
    return c.Full(c.ConcatSizes({c.Vector(c.TensorOf(*length)), sizes}), 0, dtype);
  }
  const ListContents* contents = ListOf(list);
  if (contents == nullptr) return c.Fail("a list that is " + Describe(list));
  if (contents->sequence != nullptr) return StackedSequence(c, contents->sequence, sizes, dtype);
  Value* some = nullptr;
  if (const Abstract* first = FirstElement(list)) some = c.TensorOf(*first);
  if (some == nullptr) {
    if (c.failed()) return nullptr;
    if (sizes == nullptr)
      return c.Fail("a list of which no element was set and whose sizes are not known");
    const auto count = static_cast<std::int64_t>(contents->items.size());
    return c.Full(c.ConcatSizes({c.Ints({count}), sizes}), 0, dtype);
  }
  std::vector<Value*> elements;
  for (const Abstract& item : contents->items)
    elements.push_back(item.Is<Uninitialized>() ? ZerosLike(c, some) : c.TensorOf(item));
  return ConcatRows(c, elements);
}

Value* Stacked(Call& c, std::size_t list, std::optional<std::size_t> sizes) {
  Value* given = nullptr;
  if (sizes && *sizes < c.num_operands()) given = KnownElementSizes(c, c.Tensor(*sizes));
  const DType dtype =
      c.Has("element_dtype") ? c.TypeAttribute("element_dtype") : c.TypeAttribute("dtype");
  return StackOf(c, c.operand(list), given, dtype);
}

// The element at `index`, 0-d.
Value* ElementAt(Call& c, const Abstract& list, Value* index, Value* sizes, DType dtype) {
  const ListContents* contents = ListOf(list);
  const std::optional<std::int64_t> known = c.KnownNumber(index);
  if (contents != nullptr && contents->sequence != nullptr)
    return c.Op("SequenceAt", {contents->sequence, index});
  if (contents != nullptr && known) {
    const std::int64_t at = *known;
    if (at < 0 || at >= static_cast<std::int64_t>(contents->items.size()))
      return c.Fail(InvalidInput("element " + std::to_string(at) + " of a list of " +
                                 std::to_string(contents->items.size())));
    const Abstract& item = contents->items[static_cast<std::size_t>(at)];
    if (!item.Is<Uninitialized>()) return c.TensorOf(item);
    if (sizes != nullptr) return c.Full(sizes, 0, dtype);
    const Abstract* first = FirstElement(list);
    if (first == nullptr)
      return c.Fail("an element that was not set and whose sizes are not known");
    return ZerosLike(c, c.TensorOf(*first));
  }
  return c.Gather(StackOf(c, list, sizes, dtype), c.Cast(index, DType::kI64), 0);
}

// A list whose length is known only at run time grows at its end.
Abstract Appended(Call& c, const ListContents& list, Value* index, Value* element) {
  Value* length = c.Op("SequenceLength", {list.sequence});
  c.Assert(c.Equal(c.Reshape(c.Cast(index, DType::kI64), Ints()), length),
           "'" + c.node().name() + "' sets an element that is not the next one of its list");
  ListContents grown;
  grown.sequence = c.Op("SequenceInsert", {list.sequence, element});
  if (c.failed()) return Poison();
  return ListRef{c.heap().NewCell(std::move(grown))};
}

// `rows` and zeros behind them, `count` (0-d) in all, or as many as there are.
Value* Grown(Call& c, Value* rows, Value* count) {
  const int rank = c.Rank(rows);
  if (c.failed()) return nullptr;
  Value* missing = c.Max(c.Sub(count, c.Size(rows, 0)), 0);
  if (c.KnownNumber(missing) == 0) return rows;
  Value* sizes = c.ConcatSizes({c.Vector(missing), c.SizeVector(rows, 1, rank - 1)});
  return c.Concat({rows, c.Full(sizes, 0, c.dtype(rows))}, 0);
}

// `grows`: the index may be beyond the end.
Abstract WithElement(Call& c, const Abstract& list, Value* index, Value* element, bool grows) {
  if (c.failed()) return Poison();
  const ListContents* contents = ListOf(list);
  const std::optional<std::int64_t> known = c.KnownNumber(index);
  if (contents != nullptr && contents->sequence != nullptr)
    return Appended(c, *contents, index, element);
  if (contents != nullptr && known) {
    std::vector<Abstract> items = contents->items;
    const std::int64_t at = *known;
    if (at < 0 || at > kMaxElements) {
      c.Fail(InvalidInput("element " + std::to_string(at) + " of a list"));
      return Poison();
    }
    if (at >= static_cast<std::int64_t>(items.size()))
      items.resize(static_cast<std::size_t>(at) + 1, Uninitialized());
    items[static_cast<std::size_t>(at)] = c.NewTensor(element);
    return c.heap().NewList(std::move(items));
  }
  Value* rows = StackOf(c, list, c.Shape(element), c.dtype(element));
  if (grows) rows = Grown(c, rows, c.Add(c.Reshape(c.Cast(index, DType::kI64), Ints()), 1));
  const bool is_only = known == 0 && c.KnownSize(rows, 0) == 1;
  if (is_only) return c.NewTensor(c.Unsqueeze(element, {0}));
  Value* place = c.Reshape(c.Cast(index, DType::kI64), {1, 1});
  Value* changed = c.Op("ScatterND", {rows, place, c.Unsqueeze(element, {0})});
  return c.failed() ? Abstract(Poison()) : c.NewTensor(changed);
}

// Whether `value` is 0, 1, 2, …
bool CountsUp(Call& c, const Value* value) {
  if (const std::optional<Ints> known = c.builder().KnownInts(value)) {
    for (std::size_t i = 0; i < known->size(); ++i) {
      if ((*known)[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }
  const Node* node = value->producer();
  while (node != nullptr && node->Is("Cast")) node = node->operand(0)->producer();
  if (node == nullptr || !node->Is("Range")) return false;
  return c.builder().KnownInts(node->operand(0)) == Ints{0} &&
         c.builder().KnownInts(node->operand(2)) == Ints{1};
}

// A list of `length` elements (nullptr: as many as the largest index tells) with rows of `rows`.
Abstract Scattered(Call& c, Value* rows, Value* indices, Value* length) {
  if (c.failed()) return Poison();
  if (CountsUp(c, indices)) return c.NewTensor(rows);
  if (length == nullptr) length = c.Add(c.ReduceAll("ReduceMax", indices), 1);
  const int rank = c.Rank(rows);
  if (c.failed()) return Poison();
  Value* zeros =
      c.Full(c.ConcatSizes({c.Vector(length), c.SizeVector(rows, 1, rank - 1)}), 0, c.dtype(rows));
  Value* all = c.Op("ScatterND", {zeros, c.Unsqueeze(indices, {1}), rows});
  return c.failed() ? Abstract(Poison()) : c.NewTensor(all);
}

Value* CountOf(Call& c, const Abstract& list) {
  if (const Abstract* length = LengthOf(list)) return c.TensorOf(*length);
  const ListContents* contents = ListOf(list);
  if (contents == nullptr) return c.Size(c.TensorOf(list), 0);
  if (contents->sequence != nullptr) return c.Op("SequenceLength", {contents->sequence});
  return c.Int(static_cast<std::int64_t>(contents->items.size()));
}

// How long each element of a sequence is along axis 0.
Value* LengthsIn(Call& c, Value* sequence) {
  Value* count = c.Op("SequenceLength", {sequence});
  if (c.failed()) return nullptr;
  LoopBody turn(c, {});
  Composer at(turn.builder);
  Value* length = at.Size(at.Op("SequenceAt", {sequence, turn.number}), 0);
  return AppendLoop(c, turn, at, {at.Op("Identity", {turn.go}), length}, {count, nullptr})[0];
}

// Elements one behind the other along their axis 0, and how long each is.
Results Joined(Call& c, const Abstract& list, Value* sizes, DType dtype) {
  const ListContents* contents = ListOf(list);
  std::vector<Value*> values(2);
  if (contents != nullptr && contents->sequence != nullptr) {
    values = {c.Op("ConcatFromSequence", {contents->sequence}, {{"axis", std::int64_t{0}}}),
              LengthsIn(c, contents->sequence)};
  } else if (contents != nullptr && FirstElement(list) != nullptr) {
    std::vector<Value*> parts;
    std::vector<Value*> lengths;
    for (const Abstract& item : contents->items) {
      parts.push_back(c.TensorOf(item));
      lengths.push_back(c.SizeVector(parts.back(), 0, 1));
    }
    values = {c.Concat(std::move(parts), 0), c.ConcatSizes(std::move(lengths))};
  } else {
    Value* rows = StackOf(c, list, sizes, dtype);
    const int rank = c.Rank(rows);
    if (!c.failed() && rank < 2) c.Fail(InvalidInput("joining numbers"));
    if (c.failed()) return {};
    Value* joined =
        c.Reshape(rows, c.ConcatSizes({c.Vector(c.Mul(c.Size(rows, 0), c.Size(rows, 1))),
                                       c.SizeVector(rows, 2, rank - 2)}));
    values = {joined, c.Expand(c.SizeVector(rows, 1, 1), c.SizeVector(rows, 0, 1))};
  }
  if (c.failed()) return {};
  return {c.NewTensor(values[0]), c.NewTensor(values[1])};
}

Abstract Split(Call& c, Value* rows, std::size_t lengths) {
  const Ints known = c.KnownInts(lengths, "the length of an element");
  std::vector<Abstract> items;
  std::int64_t begin = 0;
  for (const std::int64_t length : known) {
    std::int64_t end = 0;
    if (length < 0 || __builtin_add_overflow(begin, length, &end))
      c.Fail(InvalidInput("the lengths of the elements are no lengths"));
    Value* part = c.Slice(rows, 0, begin, end);
    if (c.failed()) return Poison();
    items.push_back(c.NewTensor(part));
    begin = end;
  }
  return c.heap().NewList(std::move(items));
}

}  // namespace

bool IsReserved(const Abstract& list) {
  if (LengthOf(list) != nullptr) return true;
  const ListContents* contents = ListOf(list);
  return contents != nullptr && contents->sequence == nullptr && !contents->items.empty() &&
         FirstElement(list) == nullptr;
}

bool IsEmptyList(const Abstract& list) {
  const ListContents* contents = ListOf(list);
  return contents != nullptr && contents->sequence == nullptr && contents->items.empty();
}

const Abstract* FirstElement(const Abstract& list) {
  const ListContents* contents = ListOf(list);
  if (contents == nullptr) return nullptr;
  for (const Abstract& item : contents->items) {
    if (!item.Is<Uninitialized>()) return &item;
  }
  return nullptr;
}

Value* ReservedLength(Composer& c, Heap& heap, const Abstract& list) {
  if (const Abstract* length = LengthOf(list))
    return c.Take(heap.Read(c.builder(), *length->As<TensorRef>()));
  return c.Int(static_cast<std::int64_t>(ListOf(list)->items.size()));
}

Value* StackedList(OperandComposer& c, const Abstract& list, const Type& like) {
  std::optional<Ints> sizes;
  if (const Shape* shape = like.shape(); shape != nullptr && !shape->empty())
    sizes = KnownShape(Shape(shape->begin() + 1, shape->end()));
  return StackOf(c, list, sizes ? c.Ints(*sizes) : nullptr, like.dtype());
}

Results LowerTensorListReserve(Call& c) {
  Value* sizes = KnownElementSizes(c, c.Tensor(0));
  Value* length = c.IndexNumber(1);
  return {Reserve(c, length, sizes, c.TypeAttribute("element_dtype"))};
}

Results LowerEmptyTensorList(Call& c) { return {c.heap().NewList({})}; }

Results LowerTensorListFromTensor(Call& c) { return {c.NewTensor(c.Tensor(0))}; }

Value* LowerTensorListGetItem(Call& c) {
  Value* index = c.Tensor(1);
  Value* sizes = c.num_operands() > 2 ? KnownElementSizes(c, c.Tensor(2)) : nullptr;
  return ElementAt(c, c.operand(0), index, sizes, c.TypeAttribute("element_dtype"));
}

Results LowerTensorListSetItem(Call& c) {
  Value* index = c.Tensor(1);
  const bool grows = c.BoolOr("resize_if_index_out_of_bounds", false);
  return {WithElement(c, c.operand(0), index, c.Tensor(2), grows)};
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

Value* LowerTensorListStack(Call& c) { return Stacked(c, 0, 1); }

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
  return {Scattered(c, rows, indices, length)};
}

Value* LowerTensorListLength(Call& c) { return c.Cast(CountOf(c, c.operand(0)), DType::kI32); }

// -1 where nothing tells it, as of a list without elements.
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
  return Joined(c, c.operand(0), sizes, c.TypeAttribute("element_dtype"));
}

Results LowerTensorListSplit(Call& c) {
  Value* rows = c.Tensor(0);
  return {Split(c, rows, 2)};
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
  Value* rows = StackOf(c, list, nullptr, DType::kF32);
  rows = Grown(c, c.Slice(rows, 0, c.Ints({0}), c.Vector(length), c.Ints({1})), length);
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
  Value* rows = c.Concat(
      {StackOf(c, c.operand(0), nullptr, dtype), StackOf(c, c.operand(1), nullptr, dtype)}, 0);
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
  Value* count = CountOf(c, list);
  const std::optional<std::int64_t> known_count = c.KnownNumber(count);
  const std::optional<std::int64_t> known_rows = c.KnownSize(rows, 0);
  // All of them.
  if (CountsUp(c, indices) && known_rows && known_count && *known_rows >= *known_count)
    return {c.NewTensor(rows)};
  c.Assert(c.Less(c.ReduceAll("ReduceMax", indices), count),
           "'" + c.node().name() + "' sets an element beyond the end of its list");
  Value* before = StackOf(c, list, c.SizeVector(rows, 1, rank - 1), c.dtype(rows));
  Value* after = c.Op("ScatterND", {before, c.Unsqueeze(indices, {1}), rows});
  if (c.failed()) return {};
  return {c.NewTensor(after)};
}

// What is in the array goes along its flow, and the handle carries nothing; target "first": it is
// of version 1 or 2, whose handle has what the flow begins with (lower/evaluator.cc).
Results LowerTensorArray(Call& c) {
  Value* length = c.IndexNumber(0);
  Value* sizes = ElementSizesAttribute(c);
  const bool grows = c.BoolAttribute("dynamic_size");
  const DType dtype = c.TypeAttribute("dtype");
  Abstract made =
      grows && c.KnownNumber(length) == 0 ? c.heap().NewList({}) : Reserve(c, length, sizes, dtype);
  std::vector<Abstract> handle;
  if (c.target() == "first") handle.push_back(made);
  if (grows) handle.push_back(None());
  const auto parts = std::make_shared<const std::vector<Abstract>>(std::move(handle));
  const Abstract named = parts->empty() ? Abstract(None()) : Abstract(Tuple{parts});
  if (c.target() == "first") return {named};
  return {named, std::move(made)};
}

Results LowerTensorArrayWrite(Call& c) {
  Value* index = c.Tensor(1);
  return {WithElement(c, c.operand(3), index, c.Tensor(2), Grows(c.operand(0)))};
}

Value* LowerTensorArrayRead(Call& c) {
  return ElementAt(c, c.operand(2), c.Tensor(1), nullptr, c.TypeAttribute("dtype"));
}

Value* LowerTensorArrayPack(Call& c) {
  return StackOf(c, c.operand(1), ElementSizesAttribute(c), c.TypeAttribute("dtype"));
}

Results LowerTensorArrayUnpack(Call& c) { return {c.NewTensor(c.Tensor(1))}; }

Value* LowerTensorArrayGather(Call& c) {
  Value* indices = c.Tensor(1);
  Value* rows = StackOf(c, c.operand(2), ElementSizesAttribute(c), c.TypeAttribute("dtype"));
  if (c.failed()) return nullptr;
  // All of them, in order.
  if (CountsUp(c, indices)) {
    const Shape* shape = rows->type().shape();
    const Shape* count = indices->type().shape();
    const bool have_axes =
        shape != nullptr && count != nullptr && !shape->empty() && !count->empty();
    if (have_axes && Equal((*shape)[0], (*count)[0]) == Truth::kYes) return rows;
  }
  return c.Gather(rows, indices, 0);
}

Results LowerTensorArrayScatter(Call& c) {
  Value* rows = c.Tensor(2);
  const Abstract& list = c.operand(3);
  if (c.failed()) return {};
  if (!IsReserved(list) && CountOf(c, list) != nullptr && !list.Is<TensorRef>()) {
    const ListContents* contents = ListOf(list);
    if (contents == nullptr || contents->sequence != nullptr || !contents->items.empty()) {
      c.Fail("writing several elements of an array of which some were written");
      return {};
    }
  }
  return {Scattered(c, rows, c.Index(1), c.failed() ? nullptr : CountOf(c, list))};
}

Value* LowerTensorArraySize(Call& c) { return c.Cast(CountOf(c, c.operand(1)), DType::kI32); }

Results LowerTensorArrayConcat(Call& c) {
  return Joined(c, c.operand(1), nullptr, c.TypeAttribute("dtype"));
}

Results LowerTensorArraySplit(Call& c) {
  Value* rows = c.Tensor(1);
  return {Split(c, rows, 2)};
}

Results LowerNothing(Call&) { return {}; }

}  // namespace dragoman::tf
