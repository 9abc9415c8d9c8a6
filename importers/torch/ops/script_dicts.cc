// SPDX-License-Identifier: Apache-2.0
// Dicts whose keys are known, and what makes of them one whose keys only run time knows
// (script_run_time_dicts.cc).
#include "core/lowering/heap.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

const DictContents& DictOf(const Call& call) {
  return std::get<DictContents>(call.arguments()[0].As<DictRef>()->cell->contents);
}

DictContents& MutableDict(Call& call) {
  CellPtr cell = call.arguments()[0].As<DictRef>()->cell;
  return call.heap().Mutable<DictContents>(cell);
}

const Abstract& Key(const Call& call) { return Argument(call, 1); }

// The place of a known key in the dict; its size if it is not there.
Result<std::size_t> Find(Call& call, const DictContents& dict, const Abstract& key) {
  for (std::size_t i = 0; i < dict.items.size(); ++i) {
    DRAGOMAN_ASSIGN(Number equal, ValuesEqual(call, dict.items[i].first, key));
    if (!equal.known()) return call.Unsupported("a key known only at run time");
    if (equal.AsInt() != 0) return i;
  }
  return dict.items.size();
}

Error NoSuchKey(const Call& call, const Abstract& key) {
  Result<std::string> text = TextOf(key);
  return call.Invalid("the dict has no key " + (text.ok() ? *text : Describe(key)));
}

bool IsOfRunTime(const Abstract& key) {
  const auto* number = key.As<Number>();
  const auto* string = key.As<String>();
  return (number != nullptr && !number->known()) || (string != nullptr && !string->known());
}

// The value under argument 1, a key known only at run time, of a dict whose keys are known. Where
// it is none of them, `otherwise`; nullptr: that it is one is asserted.
Result<Results> SelectValue(Call& call, const DictContents& dict, const Abstract* otherwise) {
  Composer c(call.builder());
  const auto count = static_cast<std::int64_t>(dict.items.size());
  Value* place = otherwise != nullptr ? c.Int(count) : nullptr;
  Value* found = nullptr;
  std::vector<Abstract> values;
  for (const auto& [key, value] : dict.items) {
    DRAGOMAN_ASSIGN(const Number equal, ValuesEqual(call, key, Key(call)));
    Value* here = c.Take(call.NumberValue(equal, DType::kBool));
    Value* i = c.Int(static_cast<std::int64_t>(values.size()));
    place = place == nullptr ? i : c.Where(here, i, place);
    found = found == nullptr ? here : c.Or(found, here);
    values.push_back(value);
  }
  if (otherwise != nullptr) {
    if (found == nullptr) return Results{*otherwise};
    values.push_back(*otherwise);
  } else {
    if (found == nullptr) return call.Invalid("the dict is empty");
    c.Assert(found, "the dict has no such key");
  }
  DRAGOMAN_TRY(c.status());
  return SelectItem(call, values, Number{Number::Kind::kInt, place});
}

// Whether argument 1 is a key known only at run time, of a dict that is known not to be empty.
bool HasKeyOfRunTime(const Call& call) {
  return IsOfRunTime(Key(call)) && !DictOf(call).items.empty();
}

Result<Results> LowerLen(Call& call) {
  return Results{Number::Int(static_cast<std::int64_t>(DictOf(call).items.size()))};
}

Result<Results> LowerContains(Call& call) {
  std::vector<Abstract> keys;
  for (const auto& [key, value] : DictOf(call).items) keys.push_back(key);
  return IsAmong(call, keys, Key(call));
}

Result<Results> LowerGetItem(Call& call) {
  if (IsOfRunTime(Key(call))) return SelectValue(call, DictOf(call), nullptr);
  DRAGOMAN_ASSIGN(const std::size_t i, Find(call, DictOf(call), Key(call)));
  if (i == DictOf(call).items.size()) return NoSuchKey(call, Key(call));
  return Results{DictOf(call).items[i].second};
}

// Puts argument 2 under the key.
Status SetInFirst(Call& call) {
  return SetInDict(call, call.arguments()[0].As<DictRef>()->cell, Key(call), Argument(call, 2));
}

Result<Results> LowerSetItem(Call& call) {
  DRAGOMAN_TRY(SetInFirst(call));
  return Results{};
}

Result<Results> LowerClear(Call& call) {
  call.heap().Replace(call.arguments()[0].As<DictRef>()->cell, DictContents{});
  return Results{};
}

Result<Results> LowerCopy(Call& call) {
  return Results{DictRef{call.heap().NewCell(DictOf(call))}};
}

// pop, and del d[k].
Result<Results> LowerPop(Call& call) {
  if (HasKeyOfRunTime(call)) return LowerRunTimeDict(call);
  DRAGOMAN_ASSIGN(const std::size_t i, Find(call, DictOf(call), Key(call)));
  if (i == DictOf(call).items.size()) {
    if (call.arguments().size() > 2) return Results{Argument(call, 2)};
    return NoSuchKey(call, Key(call));
  }
  auto& items = MutableDict(call).items;
  Abstract value = items[i].second;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
  return call.node().num_results() > 0 ? Results{std::move(value)} : Results{};
}

Result<Results> LowerParts(Call& call) {
  std::vector<Abstract> parts;
  for (const auto& [key, value] : DictOf(call).items) {
    if (call.op().type == "keys") parts.push_back(key);
    if (call.op().type == "values") parts.push_back(value);
    if (call.op().type == "items") parts.push_back(MakeTuple({key, value}));
  }
  return Results{call.NewList(std::move(parts))};
}

Result<Results> LowerGet(Call& call) {
  const DictContents& dict = DictOf(call);
  const Abstract otherwise = Argument(call, 2);
  if (IsOfRunTime(Key(call)) && call.op().type == "get" && !otherwise.Is<None>())
    return SelectValue(call, dict, &otherwise);
  if (HasKeyOfRunTime(call)) return LowerRunTimeDict(call);
  DRAGOMAN_ASSIGN(const std::size_t i, Find(call, dict, Key(call)));
  if (i < dict.items.size()) return Results{dict.items[i].second};
  if (call.op().type == "setdefault") DRAGOMAN_TRY(SetInFirst(call));
  return Results{Argument(call, 2)};
}

Result<Results> LowerUpdate(Call& call) {
  const auto* other = Argument(call, 1).As<DictRef>();
  if (other == nullptr) return call.Unsupported("by " + Describe(Argument(call, 1)));
  const CellPtr cell = call.arguments()[0].As<DictRef>()->cell;
  const DictContents added = std::get<DictContents>(other->cell->contents);
  if (added.keys != nullptr) DRAGOMAN_TRY(UpdateByRunTimeDict(call, cell, added));
  for (const auto& [key, value] : added.items) DRAGOMAN_TRY(SetInDict(call, cell, key, value));
  return Results{};
}

// The first key and its value.
Result<Results> LowerPopItem(Call& call) {
  auto& items = MutableDict(call).items;
  if (items.empty()) return call.Invalid("the dict is empty");
  auto [key, value] = items.front();
  items.erase(items.begin());
  return Results{MakeTuple({std::move(key), std::move(value)})};
}

constexpr ScriptRow kRows[] = {
    {"aten.Delete", LowerPop},
    {"aten.__contains__", LowerContains},
    {"aten.__getitem__", LowerGetItem},
    {"aten._set_item", LowerSetItem},
    {"aten.clear", LowerClear},
    {"aten.copy", LowerCopy},
    {"aten.dict", LowerCopy},
    {"aten.get", LowerGet},
    {"aten.items", LowerParts},
    {"aten.keys", LowerParts},
    {"aten.len", LowerLen},
    {"aten.pop", LowerPop},
    {"aten.popitem", LowerPopItem},
    {"aten.setdefault", LowerGet},
    {"aten.update", LowerUpdate},
    {"aten.values", LowerParts},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

Status SetInDict(Call& call, const CellPtr& cell, const Abstract& key, const Abstract& value) {
  const auto& dict = std::get<DictContents>(cell->contents);
  if (dict.keys != nullptr || IsOfRunTime(key)) return SetInRunTimeDict(call, cell, key, value);
  DRAGOMAN_ASSIGN(const std::size_t i, Find(call, dict, key));
  auto& items = call.heap().Mutable<DictContents>(cell).items;
  if (i == items.size()) {
    items.emplace_back(key, value);
  } else {
    items[i].second = value;
  }
  return {};
}

std::span<const ScriptRow> DictRows() { return kRows; }

}  // namespace dragoman::torch
