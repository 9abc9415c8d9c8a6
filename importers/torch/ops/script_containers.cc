// SPDX-License-Identifier: Apache-2.0
// Lists and tuples. A list whose length is known only at run time is a sequence of the common
// graph.
#include <algorithm>

#include "core/lowering/heap.h"
#include "core/lowering/merge.h"
#include "core/lowering/number_value.h"
#include "core/support/find_by_key.h"
#include "core/support/size_budget.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

Result<CellPtr> ListCell(const Call& call) {
  const auto* list = Argument(call, 0).As<ListRef>();
  if (list == nullptr) return call.Unsupported("of " + Describe(Argument(call, 0)));
  return list->cell;
}

// The items of argument `i`, which must be known to be so many.
Result<std::vector<Abstract>> KnownItems(const Call& call, std::size_t i) {
  const std::vector<Abstract>* items = ItemsOf(Argument(call, i));
  if (items == nullptr)
    return call.Unsupported("of " + Describe(Argument(call, i)) +
                            " whose length is known only at run time");
  return *items;
}

// An item as a value, of what becomes one of a list whose length only run time knows.
Result<Value*> NewItemValue(Call& call, const Abstract& item) {
  if (const auto* tensor = item.As<TensorRef>()) tensor->storage->is_item = true;
  return ItemValue(call, item);
}

// Argument `i`, an index, as an int64 value.
Result<Value*> IndexValue(Call& call, std::size_t i) {
  const auto* index = Argument(call, i).As<Number>();
  if (index == nullptr) return call.Unsupported("index that is " + Describe(Argument(call, i)));
  return call.NumberValue(*index, DType::kI64);
}

// The position that a Python index means; `size` itself is allowed for insertion.
Result<std::size_t> Position(const Call& call, const Abstract& index, std::size_t size) {
  const auto* number = index.As<Number>();
  if (number == nullptr || !number->known())
    return call.Unsupported("index known only at run time, into a list of known length");
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t i = number->AsInt() < 0 ? number->AsInt() + count : number->AsInt();
  if (i < 0 || i >= count) {
    return call.Invalid("index " + std::to_string(number->AsInt()) + " is beyond a list of " +
                        std::to_string(count));
  }
  return static_cast<std::size_t>(i);
}

Result<Results> LowerLen(Call& call) {
  const Abstract& value = Argument(call, 0);
  if (const std::vector<Abstract>* items = ItemsOf(value))
    return Results{Number::Int(static_cast<std::int64_t>(items->size()))};
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  DRAGOMAN_ASSIGN(Value * length,
                  call.Add("SequenceLength", {std::get<ListContents>(cell->contents).sequence}));
  return Results{call.NewNumber(Number::Kind::kInt, length)};
}

// Items of one type and one known size, along a new first axis; nullptr if they are not.
Result<Value*> StackOf(Call& call, const std::vector<Abstract>& items) {
  Composer c(call.builder());
  std::vector<Value*> rows;
  for (const Abstract& item : items) {
    const bool single = item.Is<TensorRef>() || item.Is<Number>() || item.Is<String>();
    if (!single) return static_cast<Value*>(nullptr);
    DRAGOMAN_ASSIGN(Value * value, ItemValue(call, item));
    const bool alike = rows.empty() || value->type() == rows.front()->type();
    if (!c.KnownSizes(value) || !alike) return static_cast<Value*>(nullptr);
    rows.push_back(value);
  }
  for (Value*& row : rows) row = c.Unsqueeze(row, {0});
  return c.Done(c.Concat(std::move(rows), 0));
}

Result<Results> LowerGetItem(Call& call) {
  const Abstract& value = Argument(call, 0);
  const auto* index = Argument(call, 1).As<Number>();
  if (const std::vector<Abstract>* items = ItemsOf(value)) {
    if (index != nullptr && !index->known()) return SelectItem(call, *items, *index);
    DRAGOMAN_ASSIGN(const std::size_t i, Position(call, Argument(call, 1), items->size()));
    return Results{(*items)[i]};
  }
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  const auto& list = std::get<ListContents>(cell->contents);
  DRAGOMAN_ASSIGN(Value * at, IndexValue(call, 1));
  DRAGOMAN_ASSIGN(Value * item, call.Add("SequenceAt", {list.sequence, at}));
  DRAGOMAN_ASSIGN(Abstract found, FromSequence(call, list, item));
  return Results{std::move(found)};
}

// `item` put at an index known only at run time: each of the items, numbers or strings, becomes the
// new one if it is its turn.
Status SetSelected(Call& call, const Number& index, const Abstract& item) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  const auto count = static_cast<std::int64_t>(items.size());
  Composer c(call.builder());
  Value* place = c.Take(call.NumberValue(index, DType::kI64));
  place = c.Where(c.Less(place, 0), c.Add(place, c.Int(count)), place);
  c.Assert(c.And(c.GreaterOrEqual(place, 0), c.Less(place, c.Int(count))),
           "an index beyond the list");
  Value* value = c.Take(ItemValue(call, item));
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    Abstract& old = items[static_cast<std::size_t>(i)];
    Value* chosen = c.Where(c.Equal(place, c.Int(i)), value, c.Take(ItemValue(call, old)));
    DRAGOMAN_TRY(c.status());
    const auto* number = old.As<Number>();
    old = number != nullptr ? call.NewNumber(number->kind, chosen) : Abstract(String{chosen});
  }
  DRAGOMAN_TRY(c.status());
  call.heap().Mutable<ListContents>(cell).items = std::move(items);
  return {};
}

Result<Results> LowerSetItem(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  if (Value* sequence = std::get<ListContents>(cell->contents).sequence) {
    DRAGOMAN_ASSIGN(Value * item, NewItemValue(call, Argument(call, 2)));
    DRAGOMAN_ASSIGN(Value * at, IndexValue(call, 1));
    DRAGOMAN_ASSIGN(Value * erased, call.Add("SequenceErase", {sequence, at}));
    // After erasing, a negative index would count one item less.
    DRAGOMAN_ASSIGN(Value * length, call.Add("SequenceLength", {sequence}));
    DRAGOMAN_ASSIGN(Value * shifted, call.Add("Add", {at, length}));
    DRAGOMAN_ASSIGN(Value * negative, call.Add("Less", {at, call.builder().Int(0)}));
    DRAGOMAN_ASSIGN(Value * place, call.Add("Where", {negative, shifted, at}));
    DRAGOMAN_ASSIGN(Value * changed, call.Add("SequenceInsert", {erased, item, place}));
    call.heap().Mutable<ListContents>(cell).sequence = changed;
    return Results{Argument(call, 0)};
  }
  const auto* index = Argument(call, 1).As<Number>();
  const bool plain = Argument(call, 2).Is<Number>() || Argument(call, 2).Is<String>();
  if (plain && index != nullptr && !index->known()) {
    DRAGOMAN_TRY(SetSelected(call, *index, Argument(call, 2)));
    return Results{Argument(call, 0)};
  }
  auto& items = call.heap().Mutable<ListContents>(cell).items;
  DRAGOMAN_ASSIGN(const std::size_t i, Position(call, Argument(call, 1), items.size()));
  items[i] = Argument(call, 2);
  return Results{Argument(call, 0)};
}

Result<Results> LowerAppend(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  if (Value* sequence = std::get<ListContents>(cell->contents).sequence) {
    DRAGOMAN_ASSIGN(Value * item, NewItemValue(call, Argument(call, 1)));
    DRAGOMAN_ASSIGN(Value * longer, call.Add("SequenceInsert", {sequence, item}));
    call.heap().Mutable<ListContents>(cell).sequence = longer;
  } else {
    call.heap().Mutable<ListContents>(cell).items.push_back(Argument(call, 1));
  }
  return Results{Argument(call, 0)};
}

Result<Results> LowerInsert(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  const auto* index = Argument(call, 1).As<Number>();
  if (Value* sequence = std::get<ListContents>(cell->contents).sequence) {
    DRAGOMAN_ASSIGN(Value * item, NewItemValue(call, Argument(call, 2)));
    DRAGOMAN_ASSIGN(Value * at, IndexValue(call, 1));
    DRAGOMAN_ASSIGN(Value * longer, call.Add("SequenceInsert", {sequence, item, at}));
    call.heap().Mutable<ListContents>(cell).sequence = longer;
    return Results{};
  }
  if (index == nullptr || !index->known())
    return call.Unsupported("at an index known only at run time");
  auto& items = call.heap().Mutable<ListContents>(cell).items;
  const auto count = static_cast<std::int64_t>(items.size());
  const std::int64_t i = index->AsInt() < 0 ? index->AsInt() + count : index->AsInt();
  items.insert(items.begin() + std::clamp<std::int64_t>(i, 0, count), Argument(call, 2));
  return Results{};
}

// `sequence` with `items` after its own, or before them.
Result<Value*> WithItems(Call& call, Value* sequence, const std::vector<Abstract>& items,
                         bool in_front) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    DRAGOMAN_ASSIGN(Value * item, NewItemValue(call, items[i]));
    std::vector<Value*> operands = {sequence, item};
    if (in_front) operands.push_back(call.builder().Int(static_cast<std::int64_t>(i)));
    DRAGOMAN_ASSIGN(sequence, call.Add("SequenceInsert", std::move(operands)));
  }
  return sequence;
}

// The items of argument 0 and those of argument 1 after them, one of which only run time counts.
Result<ListContents> Joined(Call& call) {
  const auto* first = Argument(call, 0).As<ListRef>();
  const auto* second = Argument(call, 1).As<ListRef>();
  if (first == nullptr || second == nullptr)
    return call.Unsupported("of a list and " + Describe(Argument(call, 1)));
  const auto& a = std::get<ListContents>(first->cell->contents);
  const auto& b = std::get<ListContents>(second->cell->contents);
  const ListContents& counted = a.sequence != nullptr ? a : b;
  if (a.sequence == nullptr || b.sequence == nullptr) {
    const bool in_front = a.sequence == nullptr;
    const std::vector<Abstract> items = in_front ? a.items : b.items;
    DRAGOMAN_ASSIGN(Value * joined, WithItems(call, counted.sequence, items, in_front));
    return ListContents{{}, joined, counted.numbers};
  }
  DRAGOMAN_ASSIGN(Value * joined, ExtendedSequence(call, a.sequence, b.sequence));
  return ListContents{{}, joined, counted.numbers};
}

bool HasKnownLengths(const Call& call) {
  return ItemsOf(Argument(call, 0)) != nullptr && ItemsOf(Argument(call, 1)) != nullptr;
}

Result<Results> LowerExtend(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  if (!HasKnownLengths(call)) {
    DRAGOMAN_ASSIGN(ListContents joined, Joined(call));
    call.heap().Replace(cell, std::move(joined));
    return Results{Argument(call, 0)};
  }
  DRAGOMAN_ASSIGN(std::vector<Abstract> added, KnownItems(call, 1));
  DRAGOMAN_TRY(TakeExpanded(0, added.size() * sizeof(Abstract)));
  auto& items = call.heap().Mutable<ListContents>(cell).items;
  items.insert(items.end(), added.begin(), added.end());
  return Results{Argument(call, 0)};
}

// pop, and del l[i].
Result<Results> LowerPop(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  if (Value* sequence = std::get<ListContents>(cell->contents).sequence) {
    DRAGOMAN_ASSIGN(Value * at, IndexValue(call, 1));
    DRAGOMAN_ASSIGN(Value * item, call.Add("SequenceAt", {sequence, at}));
    auto& list = call.heap().Mutable<ListContents>(cell);
    DRAGOMAN_ASSIGN(list.sequence, call.Add("SequenceErase", {sequence, at}));
    DRAGOMAN_ASSIGN(Abstract found, FromSequence(call, list, item));
    return Results{std::move(found)};
  }
  auto& items = call.heap().Mutable<ListContents>(cell).items;
  DRAGOMAN_ASSIGN(const std::size_t i, Position(call, Argument(call, 1), items.size()));
  Abstract item = items[i];
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
  return call.node().num_results() > 0 ? Results{std::move(item)} : Results{};
}

Result<Results> LowerClear(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  call.heap().Replace(cell, ListContents{});
  return Results{};
}

Result<Results> LowerCopy(Call& call) {
  if (const auto* tuple = Argument(call, 0).As<Tuple>())
    return Results{call.NewList(*tuple->items)};
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  return Results{ListRef{call.heap().NewCell(cell->contents)}};
}

Result<Results> LowerReverse(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  std::reverse(items.begin(), items.end());
  call.heap().Replace(cell, ListContents{std::move(items), nullptr, std::nullopt});
  return Results{};
}

Result<bool> LessThan(const Call& call, const Abstract& a, const Abstract& b) {
  const auto* s = a.As<String>();
  const auto* t = b.As<String>();
  if (s != nullptr && t != nullptr && s->known() && t->known()) return s->text() < t->text();
  const auto* x = a.As<Number>();
  const auto* y = b.As<Number>();
  if (x == nullptr || y == nullptr || !x->known() || !y->known())
    return call.Unsupported("of items known only at run time");
  return x->AsDouble() < y->AsDouble();
}

// list.sort(reverse), and sorted(list).
Result<Results> LowerSort(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  const auto* reverse = Argument(call, 1).As<Number>();
  const bool descending = reverse != nullptr && reverse->known() && reverse->AsInt() != 0;
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t k = i; k > 0; --k) {
      const Abstract& before = items[k - 1];
      DRAGOMAN_ASSIGN(const bool swap, descending ? LessThan(call, before, items[k])
                                                  : LessThan(call, items[k], before));
      if (!swap) break;
      std::swap(items[k - 1], items[k]);
    }
  }
  if (call.op().type == "sorted") return Results{call.NewList(std::move(items))};
  call.heap().Replace(cell, ListContents{std::move(items), nullptr, std::nullopt});
  return Results{};
}

Result<Results> LowerSlice(Call& call) {
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  DRAGOMAN_ASSIGN(const std::vector<std::size_t> places, SlicePlaces(call, items.size()));
  std::vector<Abstract> slice;
  for (const std::size_t i : places) slice.push_back(items[i]);
  if (Argument(call, 0).Is<Tuple>()) return Results{MakeTuple(std::move(slice))};
  return Results{call.NewList(std::move(slice))};
}

Result<Results> LowerListAdd(Call& call) {
  if (!HasKnownLengths(call)) {
    DRAGOMAN_ASSIGN(ListContents joined, Joined(call));
    return Results{ListRef{call.heap().NewCell(std::move(joined))}};
  }
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  DRAGOMAN_ASSIGN(std::vector<Abstract> more, KnownItems(call, 1));
  DRAGOMAN_TRY(TakeExpanded(0, (items.size() + more.size()) * sizeof(Abstract)));
  items.insert(items.end(), more.begin(), more.end());
  return Results{call.NewList(std::move(items))};
}

Result<Results> LowerListMul(Call& call) {
  const bool left = Argument(call, 0).Is<ListRef>();
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, left ? 0 : 1));
  const auto* times = Argument(call, left ? 1 : 0).As<Number>();
  constexpr std::int64_t kMost = 1 << 20;
  if (times == nullptr || !times->known())
    return call.Unsupported("of a list, by a number known only at run time");
  if (items.empty()) return Results{call.NewList({})};
  if (times->AsInt() > kMost / std::ssize(items))
    return call.Unsupported("of a list, to more than " + std::to_string(kMost) + " items");
  std::vector<Abstract> repeated;
  for (std::int64_t i = 0; i < times->AsInt(); ++i)
    repeated.insert(repeated.end(), items.begin(), items.end());
  return Results{call.NewList(std::move(repeated))};
}

Result<Results> LowerContains(Call& call) {
  DRAGOMAN_ASSIGN(const std::vector<Abstract> items, KnownItems(call, 0));
  return IsAmong(call, items, Argument(call, 1));
}

// list.index, list.count, list.remove
Result<Results> LowerSearch(Call& call) {
  DRAGOMAN_ASSIGN(CellPtr cell, ListCell(call));
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    DRAGOMAN_ASSIGN(Number equal, ValuesEqual(call, items[i], Argument(call, 1)));
    if (!equal.known()) return call.Unsupported("of items known only at run time");
    if (equal.AsInt() == 0) continue;
    ++count;
    if (call.op().type == "index") return Results{Number::Int(static_cast<std::int64_t>(i))};
    if (call.op().type == "remove") {
      auto& list = call.heap().Mutable<ListContents>(cell).items;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      return Results{};
    }
  }
  if (call.op().type == "count") return Results{Number::Int(count)};
  return call.Invalid("the item is not in the list");
}

// dict(pairs) and dict().
Result<Results> LowerDictOf(Call& call) {
  const CellPtr cell = call.heap().NewCell(DictContents());
  std::vector<Abstract> pairs;
  if (!call.arguments().empty()) {
    DRAGOMAN_ASSIGN(pairs, KnownItems(call, 0));
  }
  for (const Abstract& pair : pairs) {
    const std::vector<Abstract>* items = ItemsOf(pair);
    if (items == nullptr || items->size() != 2) return call.Invalid("is not given pairs");
    DRAGOMAN_TRY(SetInDict(call, cell, items->front(), items->back()));
  }
  return Results{DictRef{cell}};
}

Result<Results> LowerListExtremum(Call& call) {
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  if (items.empty()) return call.Invalid("of an empty list");
  std::size_t best = 0;
  for (std::size_t i = 1; i < items.size(); ++i) {
    DRAGOMAN_ASSIGN(const bool better, call.op().type == "max"
                                           ? LessThan(call, items[best], items[i])
                                           : LessThan(call, items[i], items[best]));
    if (better) best = i;
  }
  return Results{items[best]};
}

Result<Results> LowerListSum(Call& call) {
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  Number sum = Number::Int(0);
  for (const Abstract& item : items) {
    const auto* number = item.As<Number>();
    if (number == nullptr || !number->known())
      return call.Unsupported("of items known only at run time");
    sum = number->kind == Number::Kind::kFloat || sum.kind == Number::Kind::kFloat
              ? Number::Float(sum.AsDouble() + number->AsDouble())
              : Number::Int(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.AsInt()) +
                                                      static_cast<std::uint64_t>(number->AsInt())));
  }
  return Results{sum};
}

// any(list) and all(list).
Result<Results> LowerListTruth(Call& call) {
  DRAGOMAN_ASSIGN(std::vector<Abstract> items, KnownItems(call, 0));
  const bool any = call.op().type == "any";
  for (const Abstract& item : items) {
    const auto* number = item.As<Number>();
    if (number == nullptr || !number->known())
      return call.Unsupported("of items known only at run time");
    if ((number->AsDouble() != 0) == any) return Results{Number::Bool(any)};
  }
  return Results{Number::Bool(!any)};
}

constexpr ScriptRow kRows[] = {
    {"aten.Delete", LowerPop},
    {"aten.__contains__", LowerContains},
    {"aten.__getitem__", LowerGetItem},
    {"aten._set_item", LowerSetItem},
    {"aten.add", LowerListAdd},
    {"aten.add_", LowerExtend},
    {"aten.all", LowerListTruth},
    {"aten.any", LowerListTruth},
    {"aten.append", LowerAppend},
    {"aten.clear", LowerClear},
    {"aten.copy", LowerCopy},
    {"aten.count", LowerSearch},
    {"aten.dict", LowerDictOf},
    {"aten.extend", LowerExtend},
    {"aten.index", LowerSearch},
    {"aten.insert", LowerInsert},
    {"aten.len", LowerLen},
    {"aten.list", LowerCopy},
    {"aten.mul", LowerListMul},
    {"aten.pop", LowerPop},
    {"aten.remove", LowerSearch},
    {"aten.reverse", LowerReverse},
    {"aten.slice", LowerSlice},
    {"aten.sort", LowerSort},
    {"aten.sorted", LowerSort},
    {"aten.sum", LowerListSum},
    {"prim.max", LowerListExtremum},
    {"prim.min", LowerListExtremum},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

Result<Value*> ItemValue(Call& call, const Abstract& item) {
  DRAGOMAN_ASSIGN(Value * value, dragoman::ItemValue(call.heap(), call.builder(), item));
  if (value != nullptr) return value;
  return call.Unsupported("of " + Describe(item) +
                          " in a list whose length is known only at run time");
}

Result<Abstract> FromSequence(Call& call, const ListContents& list, Value* item) {
  const bool is_text = item->type().dtype() == DType::kString;
  if (is_text || list.numbers) {
    // Inference may have lost the rank where lists of two ways met.
    Composer c(call.builder());
    if (c.MaybeRank(item) != 0) item = c.Reshape(item, std::vector<std::int64_t>());
    DRAGOMAN_TRY(c.status());
    return is_text ? Abstract(String{item}) : Abstract(call.NewNumber(*list.numbers, item));
  }
  const Abstract tensor = call.NewTensor(item);
  tensor.As<TensorRef>()->storage->is_item = list.sequence != nullptr;
  return tensor;
}

Result<Results> SelectItem(Call& call, const std::vector<Abstract>& items, const Number& index) {
  ListContents list{items, nullptr, std::nullopt};
  if (items.empty()) return call.Invalid("index into an empty list");
  if (const auto* number = items.front().As<Number>()) list.numbers = number->kind;
  DRAGOMAN_ASSIGN(Value * item, StackOf(call, items));
  if (item != nullptr) {
    DRAGOMAN_ASSIGN(item, call.Add("Gather", {item, index.symbolic()}, {{"axis", 0}}));
  } else {
    DRAGOMAN_ASSIGN(Value * sequence,
                    SequenceOf(call.heap(), call.builder(), list, DType::kUnknown));
    DRAGOMAN_ASSIGN(item, call.Add("SequenceAt", {sequence, index.symbolic()}));
  }
  DRAGOMAN_ASSIGN(const Abstract selected, FromSequence(call, list, item));
  if (const auto* tensor = selected.As<TensorRef>()) {
    std::vector<CellPtr> storages;
    for (const Abstract& of : items) storages.push_back(of.As<TensorRef>()->storage);
    call.heap().NoteChoice(tensor->storage, std::move(storages));
  }
  return Results{selected};
}

Result<Results> IsAmong(Call& call, std::span<const Abstract> items, const Abstract& wanted) {
  Value* any = nullptr;
  for (const Abstract& item : items) {
    DRAGOMAN_ASSIGN(Number equal, ValuesEqual(call, item, wanted));
    if (equal.known() && equal.AsInt() != 0) return Results{Number::Bool(true)};
    if (equal.known()) continue;
    if (any == nullptr) {
      any = equal.symbolic();
    } else {
      DRAGOMAN_ASSIGN(any, call.Add("Or", {any, equal.symbolic()}));
    }
  }
  if (any == nullptr) return Results{Number::Bool(false)};
  return Results{Number{Number::Kind::kBool, any}};
}

std::span<const ScriptRow> ContainerRows() { return kRows; }

}  // namespace dragoman::torch
