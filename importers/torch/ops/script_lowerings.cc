// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/script_lowerings.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/support/find_by_key.h"

namespace dragoman::torch {
namespace {

const OpLowering* Find(std::span<const ScriptRow> rows, std::string_view name) {
  const ScriptRow* row = FindByKey(rows, name, &ScriptRow::name);
  return row != nullptr ? &row->lower : nullptr;
}

// By the kinds of arguments; those of run-time values are among these.
std::array<std::span<const ScriptRow>, 8> AllRows() {
  return {NumberRows(), MathRows(),   StringRows(),      ContainerRows(),
          DictRows(),   ObjectRows(), TensorQueryRows(), MutationRows()};
}

template <class... Kinds>
bool IsAnyOf(const Abstract& value) {
  return (value.Is<Kinds>() || ...);
}

bool IsSequence(const Abstract& value) { return value.Is<ListRef>() && ItemsOf(value) == nullptr; }

bool HasNumbersOfRunTime(const Abstract& value) {
  if (IsSequence(value)) return true;
  const std::vector<Abstract>* items = value.Is<ListRef>() ? ItemsOf(value) : nullptr;
  if (items == nullptr || !std::ranges::all_of(*items, IsAnyOf<Number>)) return false;
  return std::ranges::any_of(*items,
                             [](const Abstract& item) { return !item.As<Number>()->known(); });
}

bool IsRunTimeDict(const Abstract& value) {
  const auto* dict = value.As<DictRef>();
  return dict != nullptr && std::get<DictContents>(dict->cell->contents).keys != nullptr;
}

bool IsOfRunTime(const Abstract& value, bool numbers) {
  const auto* string = value.As<String>();
  const auto* number = value.As<Number>();
  return (string != nullptr && !string->known()) ||
         (numbers && number != nullptr && !number->known());
}

// Of `arguments`, one of which is a string, or of the items of one: a string is known only at run
// time, or a number that is to be written is.
bool ComparesTextsAtRunTime(std::string_view name, std::span<const Abstract> arguments) {
  const bool writes = name == "aten.format" || name == "aten.percentFormat";
  const auto at_run_time = [&](const Abstract& value) { return IsOfRunTime(value, writes); };
  return std::ranges::any_of(arguments, [&](const Abstract& argument) {
    const std::vector<Abstract>* items = ItemsOf(argument);
    return at_run_time(argument) || IsSequence(argument) ||
           (items != nullptr && std::ranges::any_of(*items, at_run_time));
  });
}

}  // namespace

std::optional<OpLowering> FindScriptLowering(const OpName& op,
                                             std::span<const Abstract> arguments) {
  const std::string name = op.dialect + "." + op.type;
  const bool tensors = std::any_of(arguments.begin(), arguments.end(),
                                   [](const Abstract& a) { return a.Is<TensorRef>(); });
  const bool numbers =
      !arguments.empty() && std::all_of(arguments.begin(), arguments.end(),
                                        [](const Abstract& a) { return IsAnyOf<Number, None>(a); });
  const bool strings = std::any_of(arguments.begin(), arguments.end(),
                                   [](const Abstract& a) { return a.Is<String>(); });
  const bool contained = !arguments.empty() && IsAnyOf<ListRef, DictRef, Tuple>(arguments.front());
  const bool containers = contained || (arguments.size() > 1 && !tensors &&
                                        IsAnyOf<ListRef, DictRef, Tuple>(arguments[1]));
  const OpLowering* found = nullptr;
  if (numbers) found = Find(NumberRows(), name);
  if (numbers && found == nullptr) found = Find(MathRows(), name);
  if (contained && IsRunTimeDict(arguments.front())) found = Find(RunTimeDictRows(), name);
  if (found == nullptr && contained && arguments.front().Is<DictRef>())
    found = Find(DictRows(), name);
  if (!arguments.empty() && IsDictItems(arguments.front())) found = Find(DictItemRows(), name);
  if (contained && IsSequence(arguments.front())) found = Find(SequenceRows(), name);
  if (contained && HasNumbersOfRunTime(arguments.front())) {
    if (const OpLowering* row = Find(NumberListRows(), name)) found = row;
  }
  if (found == nullptr && (containers || arguments.empty())) found = Find(ContainerRows(), name);
  if (found == nullptr && strings && ComparesTextsAtRunTime(name, arguments))
    found = Find(RunTimeStringRows(), name);
  if (found == nullptr && strings) found = Find(StringRows(), name);
  const bool compares = op.type == "eq" || op.type == "ne";
  if (found == nullptr && !(compares && tensors)) found = Find(ObjectRows(), name);
  if (found == nullptr) found = Find(TensorQueryRows(), name);
  if (found == nullptr) found = Find(MutationRows(), name);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

std::vector<std::string_view> ScriptOperators() {
  std::vector<std::string_view> names;
  for (const auto& rows : AllRows()) {
    for (const ScriptRow& row : rows) names.push_back(row.name);
  }
  return names;
}

bool HasScriptLowering(const OpName& op) {
  const std::string name = op.dialect + "." + op.type;
  return std::ranges::any_of(AllRows(),
                             [&](const auto& rows) { return Find(rows, name) != nullptr; });
}

const Abstract& Argument(const Call& call, std::size_t i) {
  static const Abstract kNone = None();
  return i < call.arguments().size() ? call.arguments()[i] : kNone;
}

const std::vector<Abstract>* ItemsOf(const Abstract& value) {
  if (const auto* tuple = value.As<Tuple>()) return tuple->items.get();
  const auto* list = value.As<ListRef>();
  if (list == nullptr) return nullptr;
  const auto& contents = std::get<ListContents>(list->cell->contents);
  return contents.sequence == nullptr ? &contents.items : nullptr;
}

Abstract MakeTuple(std::vector<Abstract> items) {
  return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
}

Result<std::vector<std::size_t>> SlicePlaces(const Call& call, std::size_t count) {
  std::array<std::optional<std::int64_t>, 3> given;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Abstract& argument = Argument(call, i + 1);
    if (argument.Is<None>()) continue;
    const auto* number = argument.As<Number>();
    if (number == nullptr || !number->known())
      return call.Unsupported("with bounds known only at run time");
    given[i] = number->AsInt();
  }
  const auto size = static_cast<std::int64_t>(count);
  const std::int64_t step = std::clamp(given[2].value_or(1), -size - 1, size + 1);
  if (step == 0) return call.Invalid("a slice with step 0");
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? size : size - 1;
  const auto bound = [&](const std::optional<std::int64_t>& place, std::int64_t otherwise) {
    if (!place) return otherwise;
    return std::clamp(*place < 0 ? *place + size : *place, least, most);
  };
  const std::int64_t begin = bound(given[0], step > 0 ? least : most);
  const std::int64_t end = bound(given[1], step > 0 ? most : least);
  std::vector<std::size_t> places;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    places.push_back(static_cast<std::size_t>(i));
  return places;
}

}  // namespace dragoman::torch
