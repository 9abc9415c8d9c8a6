// SPDX-License-Identifier: Apache-2.0
// Lists whose length is known only at run time: sequences of the common graph. Those of numbers
// become vectors where an operator asks for all of their items at once.
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>

#include "core/lowering/heap.h"
#include "core/lowering/merge.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

struct ListArgument {
  CellPtr cell;
  std::vector<Abstract> items;  // numbers, if `sequence` is not given
  Value* sequence;
  std::optional<Number::Kind> numbers;
};

Result<ListArgument> First(const Call& call) {
  const auto* list = call.arguments().front().As<ListRef>();
  if (list == nullptr) return call.Unsupported("of " + Describe(call.arguments().front()));
  const auto& contents = std::get<ListContents>(list->cell->contents);
  ListArgument argument{list->cell, contents.items, contents.sequence, contents.numbers};
  if (!argument.items.empty()) argument.numbers = argument.items.front().As<Number>()->kind;
  return argument;
}

Result<Value*> VectorOf(Call& call, const ListArgument& list) {
  if (!list.numbers)
    return call.Unsupported("of tensors in a list whose length is known only at run time");
  if (list.sequence != nullptr)
    return StackItems(call, ListContents{{}, list.sequence, list.numbers});
  Composer c(call.builder());
  std::vector<Value*> parts;
  for (const Abstract& item : list.items) {
    const auto* number = item.As<Number>();
    parts.push_back(c.Vector(c.Take(call.NumberValue(*number, number->dtype()))));
  }
  return c.Done(c.Concat(std::move(parts), 0));
}

Value* Split(Composer& c, Value* vector) {
  return c.Op("SplitToSequence", {vector},
              {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
}

Abstract NewSequence(Call& call, Value* sequence, std::optional<Number::Kind> numbers) {
  return ListRef{call.heap().NewCell(ListContents{{}, sequence, numbers})};
}

// A list like `list` of the elements of `vector`.
Result<ListContents> ListOfElements(Call& call, const ListArgument& list, Value* vector) {
  Composer c(call.builder());
  if (list.sequence != nullptr) {
    DRAGOMAN_ASSIGN(Value * items, c.Done(Split(c, vector)));
    return ListContents{{}, items, list.numbers};
  }
  ListContents contents;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    DRAGOMAN_ASSIGN(Value * item, c.Done(c.Select(vector, 0, static_cast<std::int64_t>(i))));
    contents.items.push_back(call.NewNumber(*list.numbers, item));
  }
  return contents;
}

// `to`, with the items of `from` at `places` (int64, rank 1) after its own.
Result<Value*> AppendItems(Call& call, Value* to, Value* from, Value* places) {
  GraphBuilder& builder = call.builder();
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, builder.inference(), names);
  inner.set_origin(builder.origin());
  Value* iteration = body->AddInput(builder.UniqueName("i"), Type::Tensor(DType::kI64, Shape{}));
  Value* more = body->AddInput(builder.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  Value* items = body->AddInput(builder.UniqueName("items"), to->type());
  const auto add = [&](std::string_view type, std::vector<Value*> operands) {
    return inner.Add(type, std::move(operands), {}, builder.UniqueName(type));
  };
  DRAGOMAN_ASSIGN(Value * place, add("Gather", {places, iteration}));
  DRAGOMAN_ASSIGN(Value * item, add("SequenceAt", {from, place}));
  DRAGOMAN_ASSIGN(Value * longer, add("SequenceInsert", {items, item}));
  DRAGOMAN_ASSIGN(Value * again, add("Identity", {more}));
  body->AddOutput(again);
  body->AddOutput(longer);
  Composer c(builder);
  Value* count = c.Size(places, 0);
  Value* go_on = c.BoolConstant(true);
  return c.Done(c.Op("Loop", {count, go_on, to}, {{"body", Attribute(body)}}));
}

// The items of a sequence of tensors at `places`.
Result<Value*> PickItems(Call& call, Value* sequence, Value* places) {
  const DType dtype = sequence->type().element().dtype();
  if (dtype == DType::kUnknown) return call.Unsupported("of tensors of unknown element type");
  DRAGOMAN_ASSIGN(Value * none,
                  call.Add("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(dtype)}}));
  return AppendItems(call, none, sequence, places);
}

Value* PlacesOf(Composer& c, Value* sequence) { return c.Iota(c.Op("SequenceLength", {sequence})); }

// Part of a list: of numbers as of a vector, of tensors item by item.
Result<Value*> Part(Call& call, const ListArgument& list, Value* start, Value* end, Value* step) {
  Composer c(call.builder());
  if (list.numbers) {
    Value* vector = c.Take(VectorOf(call, list));
    return c.Done(Split(c, c.Slice(vector, 0, start, end, step)));
  }
  DRAGOMAN_ASSIGN(Value * places, c.Done(c.Slice(PlacesOf(c, list.sequence), 0, start, end, step)));
  return PickItems(call, list.sequence, places);
}

Result<Results> LowerReverse(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  Composer c(call.builder());
  DRAGOMAN_ASSIGN(Value * reversed, Part(call, list, c.Ints({-1}), c.Ints({-kEnd}), c.Ints({-1})));
  call.heap().Mutable<ListContents>(list.cell).sequence = reversed;
  return Results{};
}

Result<Results> LowerSlice(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  Composer c(call.builder());
  const auto* step = call.arguments().size() > 3 ? call.arguments()[3].As<Number>() : nullptr;
  const bool known = step == nullptr || step->known();
  const bool back = step != nullptr && known && step->AsInt() < 0;
  std::vector<Value*> bounds = {c.Ints({back ? -1 : 0}), c.Ints({back ? -kEnd : kEnd}),
                                c.Ints({1})};
  for (std::size_t i = 0; i < bounds.size() && i + 1 < call.arguments().size(); ++i) {
    const Abstract& given = call.arguments()[i + 1];
    if (given.Is<None>()) {
      if (!known) return call.Unsupported("without a bound, by a step known only at run time");
      continue;
    }
    const auto* number = given.As<Number>();
    if (number == nullptr) return call.Unsupported("bound that is " + Describe(given));
    bounds[i] = c.Vector(c.Take(call.NumberValue(*number, DType::kI64)));
  }
  if (c.failed()) return c.Done(nullptr).error();
  DRAGOMAN_ASSIGN(Value * part, Part(call, list, bounds[0], bounds[1], bounds[2]));
  return Results{NewSequence(call, part, list.numbers)};
}

// list.sort(reverse), and sorted(list).
Result<Results> LowerSort(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  const bool has_order = call.arguments().size() > 1 && call.arguments()[1].Is<Number>();
  const Number order = has_order ? *call.arguments()[1].As<Number>() : Number::Bool(false);
  if (!order.known()) return call.Unsupported("in an order known only at run time");
  Composer c(call.builder());
  Value* vector = c.Take(VectorOf(call, list));
  const std::vector<Value*> sorted =
      c.Ops("TopK", {vector, c.Shape(vector)}, {{"largest", std::int64_t{order.AsInt() != 0}}}, 2);
  if (c.failed()) return c.Done(nullptr).error();
  DRAGOMAN_ASSIGN(ListContents ordered, ListOfElements(call, list, sorted[0]));
  if (call.op().type == "sorted") return Results{ListRef{call.heap().NewCell(std::move(ordered))}};
  call.heap().Replace(list.cell, std::move(ordered));
  return Results{};
}

// max(list), min(list), sum(list).
Result<Results> LowerReduction(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  Composer c(call.builder());
  Value* vector = c.Take(VectorOf(call, list));
  const std::string& op = call.op().type;
  const bool counts = list.numbers == Number::Kind::kBool;
  if (counts) vector = c.Cast(vector, DType::kI64);
  const char* type = op == "max" ? "ReduceMax" : op == "min" ? "ReduceMin" : "ReduceSum";
  DRAGOMAN_ASSIGN(Value * value, c.Done(c.ReduceAll(type, vector)));
  if (counts && op == "sum") return Results{call.NewNumber(Number::Kind::kInt, value)};
  DRAGOMAN_ASSIGN(value, c.Done(counts ? c.Cast(value, DType::kBool) : value));
  return Results{call.NewNumber(list.numbers.value_or(Number::Kind::kInt), value)};
}

// any(list) and all(list).
Result<Results> LowerTruth(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  Composer c(call.builder());
  const bool any = call.op().type == "any";
  Value* truth = c.Cast(c.Take(VectorOf(call, list)), DType::kBool);
  // How many say otherwise: none of an empty list.
  Value* decisive = c.Cast(any ? truth : c.Not(truth), DType::kI64);
  Value* found = c.Greater(c.ReduceAll("ReduceSum", decisive), 0);
  DRAGOMAN_ASSIGN(Value * value, c.Done(any ? found : c.Not(found)));
  return Results{call.NewNumber(Number::Kind::kBool, value)};
}

// `item in list`, list.count(item), list.index(item).
Result<Results> LowerSearch(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  const Abstract& item = Argument(call, 1);
  const bool is_text = item.Is<String>() && list.sequence != nullptr;
  if (!item.Is<Number>() && !is_text)
    return call.Unsupported("of what is not a number and no string");
  Composer c(call.builder());
  Value* vector = is_text ? StackTexts(c, list.sequence) : c.Take(VectorOf(call, list));
  Value* wanted = is_text ? c.Take(ItemValue(call, item))
                          : c.Take(call.NumberValue(*item.As<Number>(), c.dtype(vector)));
  Value* here = c.Cast(c.Equal(vector, wanted), DType::kI64);
  Value* count = c.ReduceAll("ReduceSum", here);
  if (call.op().type == "count") {
    DRAGOMAN_ASSIGN(count, c.Done(count));
    return Results{call.NewNumber(Number::Kind::kInt, count)};
  }
  DRAGOMAN_ASSIGN(Value * found, c.Done(c.Greater(count, 0)));
  if (call.op().type == "__contains__") return Results{call.NewNumber(Number::Kind::kBool, found)};
  c.Assert(found, "the list has no such item");
  DRAGOMAN_ASSIGN(Value * place, c.Done(c.Op("ArgMax", {here}, {{"keepdims", std::int64_t{0}}})));
  return Results{call.NewNumber(Number::Kind::kInt, place)};
}

// cat and stack.
Result<Results> LowerJoin(Call& call) {
  DRAGOMAN_ASSIGN(ListArgument list, First(call));
  DRAGOMAN_ASSIGN(const std::int64_t axis, call.Int("dim"));
  const bool stacks = call.op().type == "stack";
  DRAGOMAN_ASSIGN(Value * joined, call.Add("ConcatFromSequence", {list.sequence},
                                           {{"axis", axis}, {"new_axis", stacks ? 1 : 0}}));
  return Results{call.NewTensor(joined)};
}

constexpr ScriptRow kRows[] = {
    {"aten.cat", LowerJoin},
    {"aten.reverse", LowerReverse},
    {"aten.slice", LowerSlice},
    {"aten.stack", LowerJoin},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

constexpr ScriptRow kNumberRows[] = {
    {"aten.__contains__", LowerSearch}, {"aten.all", LowerTruth},     {"aten.any", LowerTruth},
    {"aten.count", LowerSearch},        {"aten.index", LowerSearch},  {"aten.sort", LowerSort},
    {"aten.sorted", LowerSort},         {"aten.sum", LowerReduction}, {"prim.max", LowerReduction},
    {"prim.min", LowerReduction},
};
static_assert(IsSortedBy(kNumberRows, &ScriptRow::name));

}  // namespace

Result<Value*> ExtendedSequence(Call& call, Value* to, Value* from) {
  Composer c(call.builder());
  DRAGOMAN_ASSIGN(Value * places, c.Done(PlacesOf(c, from)));
  return AppendItems(call, to, from, places);
}

std::span<const ScriptRow> SequenceRows() { return kRows; }

std::span<const ScriptRow> NumberListRows() { return kNumberRows; }

}  // namespace dragoman::torch
