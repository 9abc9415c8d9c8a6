// SPDX-License-Identifier: Apache-2.0
// Dicts whose keys only run time knows (core/lowering/dict_entries.h).
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/lowering/dict_entries.h"
#include "core/lowering/heap.h"
#include "core/lowering/number_value.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

// What `items` gives: as many pairs of a key and a value.
class DictItems : public ForeignValue {
 public:
  explicit DictItems(DictContents dict) : dict_(std::move(dict)) {}

  const DictContents& dict() const { return dict_; }
  std::string Describe() const override {
    return "the items of a dict whose keys are known only at run time";
  }
  bool IsSame(const ForeignValue& other) const override {
    const auto* items = dynamic_cast<const DictItems*>(&other);
    return items != nullptr && items->dict_.keys == dict_.keys &&
           items->dict_.values == dict_.values;
  }

 private:
  DictContents dict_;
};

// `dict`, which is not known to be empty, as tensors.
Result<DictContents> Entries(Call& call, const DictContents& dict) {
  DictContents entries;
  DRAGOMAN_ASSIGN(entries.keys, KeysOf(call.heap(), call.builder(), dict));
  DRAGOMAN_ASSIGN(entries.values, ValuesOf(call.heap(), call.builder(), dict));
  entries.numbers = KindOfValues(dict);
  return entries;
}

const CellPtr& CellOf(const Call& call) { return call.arguments()[0].As<DictRef>()->cell; }

Result<DictContents> EntriesOfFirst(Call& call) {
  return Entries(call, std::get<DictContents>(CellOf(call)->contents));
}

Result<Value*> ValueOf(Call& call, const Abstract& item) {
  return EntryValue(call.heap(), call.builder(), item);
}

// The key that argument 1 is.
Result<Value*> KeyOf(Call& call) { return ValueOf(call, Argument(call, 1)); }

std::optional<Number::Kind> KindOfKeys(const DictContents& dict) {
  const DType dtype = dict.keys->type().dtype();
  return dtype != DType::kString ? std::optional(KindOf(dtype)) : std::nullopt;
}

// One key or value, of rank 0 if it is not a tensor.
Abstract Item(Call& call, std::optional<Number::Kind> kind, Value* value) {
  if (value->type().dtype() == DType::kString) return String{value};
  if (kind) return call.NewNumber(*kind, value);
  const Abstract tensor = call.NewTensor(value);
  tensor.As<TensorRef>()->storage->is_item = true;
  return tensor;
}

Result<Results> LowerLen(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  DRAGOMAN_ASSIGN(Number length, call.SizeOf(dict.keys, 0));
  return Results{length};
}

Result<Results> LowerContains(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  DRAGOMAN_ASSIGN(Value * key, KeyOf(call));
  Composer c(call.builder());
  DRAGOMAN_ASSIGN(Value * contains, c.Done(Contains(c, dict, key)));
  return Results{call.NewNumber(Number::Kind::kBool, contains)};
}

// The value under argument 1; where there is none, argument 2.
Result<Abstract> Found(Call& call, const DictContents& dict, const Abstract* otherwise) {
  DRAGOMAN_ASSIGN(Value * key, KeyOf(call));
  Composer c(call.builder());
  Value* default_value = otherwise != nullptr ? c.Take(ValueOf(call, *otherwise)) : nullptr;
  Value* found =
      default_value != nullptr ? ValueUnder(c, dict, key, default_value) : ValueUnder(c, dict, key);
  DRAGOMAN_ASSIGN(found, c.Done(found));
  return Item(call, dict.numbers, found);
}

Result<Results> LowerGetItem(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  DRAGOMAN_ASSIGN(Abstract found, Found(call, dict, nullptr));
  return Results{std::move(found)};
}

// get, without a default: None if there is no such key.
Result<Results> LowerGet(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  const Abstract& otherwise = Argument(call, 2);
  if (!otherwise.Is<None>()) {
    DRAGOMAN_ASSIGN(Abstract found, Found(call, dict, &otherwise));
    return Results{std::move(found)};
  }
  DRAGOMAN_ASSIGN(Value * key, KeyOf(call));
  Composer c(call.builder());
  Value* present = Contains(c, dict, key);
  DRAGOMAN_ASSIGN(Value * value, c.Done(ValueUnder(c, dict, key, NoValue(c, dict))));
  return Results{Maybe{present, std::make_shared<const Abstract>(Item(call, dict.numbers, value))}};
}

Result<Results> LowerSetDefault(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  DRAGOMAN_ASSIGN(Abstract found, Found(call, dict, &Argument(call, 2)));
  DRAGOMAN_TRY(SetInRunTimeDict(call, CellOf(call), Argument(call, 1), found));
  return Results{std::move(found)};
}

// pop, and del d[k].
Result<Results> LowerPop(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  const bool has_default = call.arguments().size() > 2;
  DRAGOMAN_ASSIGN(Abstract found, Found(call, dict, has_default ? &Argument(call, 2) : nullptr));
  DRAGOMAN_ASSIGN(Value * key, KeyOf(call));
  Composer c(call.builder());
  DictContents left = WithoutEntry(c, dict, key);
  DRAGOMAN_TRY(c.status());
  call.heap().Replace(CellOf(call), std::move(left));
  return call.node().num_results() > 0 ? Results{std::move(found)} : Results{};
}

// The first key and its value.
Result<Results> LowerPopItem(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  Composer c(call.builder());
  c.Assert(c.Greater(c.Size(dict.keys, 0), 0), "the dict is empty");
  Value* key = c.Select(dict.keys, 0, 0);
  Value* value = c.Select(dict.values, 0, 0);
  DictContents left = dict;
  left.keys = c.Slice(dict.keys, 0, 1, kEnd);
  left.values = c.Slice(dict.values, 0, 1, kEnd);
  DRAGOMAN_TRY(c.status());
  call.heap().Replace(CellOf(call), std::move(left));
  return Results{MakeTuple({Item(call, KindOfKeys(dict), key), Item(call, dict.numbers, value)})};
}

// keys and values: a list whose length only run time knows.
Result<Results> LowerParts(Call& call) {
  DRAGOMAN_ASSIGN(const DictContents dict, EntriesOfFirst(call));
  const bool keys = call.op().type == "keys";
  DRAGOMAN_ASSIGN(Value * items,
                  call.Add("SplitToSequence", {keys ? dict.keys : dict.values},
                           {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}}));
  const std::optional<Number::Kind> kind = keys ? KindOfKeys(dict) : dict.numbers;
  return Results{ListRef{call.heap().NewCell(ListContents{{}, items, kind})}};
}

Result<Results> LowerItems(Call& call) {
  DRAGOMAN_ASSIGN(DictContents dict, EntriesOfFirst(call));
  return Results{DictItems(std::move(dict))};
}

constexpr ScriptRow kRows[] = {
    {"aten.Delete", LowerPop},
    {"aten.__contains__", LowerContains},
    {"aten.__getitem__", LowerGetItem},
    {"aten.get", LowerGet},
    {"aten.items", LowerItems},
    {"aten.keys", LowerParts},
    {"aten.len", LowerLen},
    {"aten.pop", LowerPop},
    {"aten.popitem", LowerPopItem},
    {"aten.setdefault", LowerSetDefault},
    {"aten.values", LowerParts},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

const DictContents& ItemsOfFirst(const Call& call) {
  return call.arguments()[0].As<DictItems>()->dict();
}

Result<Results> LowerCountItems(Call& call) {
  DRAGOMAN_ASSIGN(Number length, call.SizeOf(ItemsOfFirst(call).keys, 0));
  return Results{length};
}

// A key and its value.
Result<Results> LowerPair(Call& call) {
  const DictContents& dict = ItemsOfFirst(call);
  DRAGOMAN_ASSIGN(Value * at, ValueOf(call, Argument(call, 1)));
  Composer c(call.builder());
  Value* key = c.Gather(dict.keys, at, 0);
  DRAGOMAN_ASSIGN(Value * value, c.Done(c.Gather(dict.values, at, 0)));
  return Results{MakeTuple({Item(call, KindOfKeys(dict), key), Item(call, dict.numbers, value)})};
}

// list(d.items()): no operator changes either.
Result<Results> LowerItemList(Call& call) { return Results{call.arguments()[0]}; }

constexpr ScriptRow kItemRows[] = {
    {"aten.__getitem__", LowerPair},
    {"aten.len", LowerCountItems},
    {"aten.list", LowerItemList},
};
static_assert(IsSortedBy(kItemRows, &ScriptRow::name));

}  // namespace

Status SetInRunTimeDict(Call& call, const CellPtr& cell, const Abstract& key,
                        const Abstract& value) {
  const auto& dict = std::get<DictContents>(cell->contents);
  if (dict.IsEmpty()) {
    DRAGOMAN_ASSIGN(DictContents single, Entries(call, DictContents{{{key, value}}}));
    call.heap().Replace(cell, std::move(single));
    return {};
  }
  DRAGOMAN_ASSIGN(const DictContents entries, Entries(call, dict));
  DRAGOMAN_ASSIGN(Value * key_value, ValueOf(call, key));
  DRAGOMAN_ASSIGN(Value * new_value, ValueOf(call, value));
  if (const auto* tensor = value.As<TensorRef>()) tensor->storage->is_item = true;
  Composer c(call.builder());
  DictContents changed = WithEntry(c, entries, key_value, new_value);
  DRAGOMAN_TRY(c.status());
  call.heap().Replace(cell, std::move(changed));
  return {};
}

Status UpdateByRunTimeDict(Call& call, const CellPtr& cell, const DictContents& added) {
  const auto& dict = std::get<DictContents>(cell->contents);
  DictContents changed = added;
  if (!dict.IsEmpty()) {
    DRAGOMAN_ASSIGN(const DictContents entries, Entries(call, dict));
    Composer c(call.builder());
    changed = WithEntries(c, entries, added);
    DRAGOMAN_TRY(c.status());
  }
  call.heap().Replace(cell, std::move(changed));
  return {};
}

Result<Results> LowerRunTimeDict(Call& call) {
  const ScriptRow* row = FindByKey(std::span(kRows), "aten." + call.op().type, &ScriptRow::name);
  return row->lower(call);
}

bool IsDictItems(const Abstract& value) { return value.Is<DictItems>(); }

std::span<const ScriptRow> RunTimeDictRows() { return kRows; }

std::span<const ScriptRow> DictItemRows() { return kItemRows; }

}  // namespace dragoman::torch
