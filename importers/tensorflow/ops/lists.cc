// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/lists.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/loop_body.h"

namespace dragoman::tf {
namespace {

// Lists of more elements are not followed element by element.
constexpr std::int64_t kMaxElements = 1024;

const Abstract* LengthOf(const Abstract& list) {
  const auto* tuple = list.As<Tuple>();
  return tuple != nullptr && tuple->items->size() == 1 ? &tuple->items->front() : nullptr;
}

Abstract NewTuple(Abstract item) {
  return Tuple{std::make_shared<const std::vector<Abstract>>(1, std::move(item))};
}

Value* ZerosLike(OperandComposer& c, Value* x) { return c.Full(c.Shape(x), 0, c.dtype(x)); }

Value* ConcatRows(OperandComposer& c, const std::vector<Value*>& elements) {
  std::vector<Value*> rows;
  for (Value* element : elements) rows.push_back(c.Unsqueeze(element, {0}));
  return c.Concat(std::move(rows), 0);
}

// The elements of a sequence along a new first axis. `sizes`, if given, are those of an element, so
// that a sequence of none can be stacked, too: with one more at the end, which is cut off again.
Value* StackedSequence(OperandComposer& c, Value* sequence, Value* sizes, DType dtype) {
  if (sizes != nullptr) sequence = c.Op("SequenceInsert", {sequence, c.Full(sizes, 0, dtype)});
  Value* rows = c.Op("ConcatFromSequence", {sequence},
                     {{"axis", std::int64_t{0}}, {"new_axis", std::int64_t{1}}});
  return sizes != nullptr ? c.Slice(rows, 0, 0, -1) : rows;
}

// In place of an element that there is, of a list whose length is known only at run time.
Abstract Replaced(Call& c, const ListContents& list, Value* index, Value* element) {
  Value* place = c.Reshape(c.Cast(index, DType::kI64), Ints());
  ListContents changed;
  changed.sequence = c.Op("SequenceErase", {list.sequence, place});
  changed.sequence = c.Op("SequenceInsert", {changed.sequence, element, place});
  if (c.failed()) return Poison();
  return ListRef{c.heap().NewCell(std::move(changed))};
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

// How long each element of a sequence is along axis 0.
Value* LengthsIn(Call& c, Value* sequence) {
  Value* count = c.Op("SequenceLength", {sequence});
  if (c.failed()) return nullptr;
  LoopBody iteration(c, {});
  Composer at(iteration.builder);
  Value* length = at.Size(at.Op("SequenceAt", {sequence, iteration.number}), 0);
  return AppendLoop(c, iteration, at, {at.Op("Identity", {iteration.go}), length},
                    {count, nullptr})[0];
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
  return contents != nullptr && contents->IsEmpty();
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
  return StackElements(c, list, sizes ? c.Ints(*sizes) : nullptr, like.dtype());
}

const ListContents* ListOf(const Abstract& list) {
  const auto* reference = list.As<ListRef>();
  return reference != nullptr ? &std::get<ListContents>(reference->cell->contents) : nullptr;
}

Abstract ReservedList(Call& c, Value* length, Value* sizes, DType dtype) {
  if (c.failed()) return Poison();
  if (sizes != nullptr) {
    Value* zeros = c.Full(c.ConcatSizes({c.Vector(length), sizes}), 0, dtype);
    return c.failed() ? Abstract(Poison()) : c.NewTensor(zeros);
  }
  const std::optional<std::int64_t> known = c.KnownNumber(length);
  if (!known || *known > kMaxElements || *known < 0) return NewTuple(c.NewTensor(length));
  return c.heap().NewList(std::vector<Abstract>(static_cast<std::size_t>(*known), Uninitialized()));
}

Value* StackElements(OperandComposer& c, const Abstract& list, Value* sizes, DType dtype) {
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

Value* ListElement(Call& c, const Abstract& list, Value* index, Value* sizes, DType dtype) {
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
  return c.Gather(StackElements(c, list, sizes, dtype), c.Cast(index, DType::kI64), 0);
}

Value* GrowRows(Call& c, Value* rows, Value* count) {
  const int rank = c.Rank(rows);
  if (c.failed()) return nullptr;
  Value* missing = c.Max(c.Sub(count, c.Size(rows, 0)), 0);
  if (c.KnownNumber(missing) == 0) return rows;
  Value* sizes = c.ConcatSizes({c.Vector(missing), c.SizeVector(rows, 1, rank - 1)});
  return c.Concat({rows, c.Full(sizes, 0, c.dtype(rows))}, 0);
}

Abstract ListWithElement(Call& c, const Abstract& list, Value* index, Value* element, bool grows) {
  if (c.failed()) return Poison();
  const ListContents* contents = ListOf(list);
  const std::optional<std::int64_t> known = c.KnownNumber(index);
  if (contents != nullptr && contents->sequence != nullptr)
    return grows ? Appended(c, *contents, index, element) : Replaced(c, *contents, index, element);
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
  Value* rows = StackElements(c, list, c.Shape(element), c.dtype(element));
  if (grows) rows = GrowRows(c, rows, c.Add(c.Reshape(c.Cast(index, DType::kI64), Ints()), 1));
  const bool is_only = known == 0 && c.KnownSize(rows, 0) == 1;
  if (is_only) return c.NewTensor(c.Unsqueeze(element, {0}));
  Value* place = c.Reshape(c.Cast(index, DType::kI64), {1, 1});
  Value* changed = c.Op("ScatterND", {rows, place, c.Unsqueeze(element, {0})});
  return c.failed() ? Abstract(Poison()) : c.NewTensor(changed);
}

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

Abstract ListOfRows(Call& c, Value* rows, Value* indices, Value* length) {
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

Value* ListLength(Call& c, const Abstract& list) {
  if (const Abstract* length = LengthOf(list)) return c.TensorOf(*length);
  const ListContents* contents = ListOf(list);
  if (contents == nullptr) return c.Size(c.TensorOf(list), 0);
  if (contents->sequence != nullptr) return c.Op("SequenceLength", {contents->sequence});
  return c.Int(static_cast<std::int64_t>(contents->items.size()));
}

std::vector<Abstract> JoinElements(Call& c, const Abstract& list, Value* sizes, DType dtype) {
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
    Value* rows = StackElements(c, list, sizes, dtype);
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

Abstract SplitIntoList(Call& c, Value* rows, std::size_t lengths) {
  const Ints known = c.KnownInts(lengths, "the length of an element");
  std::vector<Abstract> items;
  std::int64_t begin = 0;
  for (const std::int64_t length : known) {
    std::int64_t end = 0;
    if (length < 0 || __builtin_add_overflow(begin, length, &end))
      c.Fail(InvalidInput("the lengths of the elements are not lengths"));
    Value* part = c.Slice(rows, 0, begin, end);
    if (c.failed()) return Poison();
    items.push_back(c.NewTensor(part));
    begin = end;
  }
  return c.heap().NewList(std::move(items));
}

}  // namespace dragoman::tf
