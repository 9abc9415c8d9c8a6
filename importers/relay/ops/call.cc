// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "importers/tvm/nd_array.h"

namespace dragoman::relay {

std::vector<Value*> Call::Tensors(std::size_t i) {
  std::vector<Value*> values;
  const Abstract& given = operand(i);
  const auto* tuple = given.As<Tuple>();
  if (tuple == nullptr) {
    Fail("operand " + std::to_string(i) + " is " + Describe(given) + ", expected a tuple");
    return values;
  }
  for (const Abstract& item : *tuple->items) values.push_back(TensorOf(item));
  return values;
}

const Attribute* Call::Get(std::string_view name) {
  read_.emplace(name);
  for (const NamedAttribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

void Call::WrongKind(std::string_view name) {
  Fail(InvalidInput(fmt::format("attribute {} is of another kind", name)));
}

std::int64_t Call::Int(std::string_view name, std::int64_t otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr) return otherwise;
  if (const auto* value = found->As<std::int64_t>()) return *value;
  if (const auto* value = found->As<bool>()) return *value ? 1 : 0;
  if (const auto* list = found->As<relay::Ints>(); list != nullptr && list->size() == 1)
    return list->front();
  WrongKind(name);
  return otherwise;
}

std::optional<std::int64_t> Call::MaybeInt(std::string_view name) {
  const Attribute* found = Get(name);
  if (found == nullptr || found->kind() == Attribute::Kind::kNone) return std::nullopt;
  return Int(name, 0);
}

std::int64_t Call::RequiredInt(std::string_view name) {
  const std::optional<std::int64_t> value = MaybeInt(name);
  if (!value) Fail(InvalidInput(fmt::format("attribute {} is missing", name)));
  return value.value_or(0);
}

double Call::Float(std::string_view name, double otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr) return otherwise;
  if (const auto* value = found->As<double>()) return *value;
  if (const auto* value = found->As<std::int64_t>()) return static_cast<double>(*value);
  WrongKind(name);
  return otherwise;
}

std::vector<double> Call::Floats(std::string_view name, std::vector<double> otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr) return otherwise;
  if (const auto* values = found->As<Attribute::Doubles>()) return *values;
  if (const auto* values = found->As<relay::Ints>()) return {values->begin(), values->end()};
  if (found->As<double>() != nullptr || found->As<std::int64_t>() != nullptr)
    return {Float(name, 0)};
  WrongKind(name);
  return otherwise;
}

bool Call::Bool(std::string_view name, bool otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr) return otherwise;
  if (const auto* value = found->As<bool>()) return *value;
  if (const auto* value = found->As<std::int64_t>()) return *value != 0;
  WrongKind(name);
  return otherwise;
}

std::string Call::Text(std::string_view name, std::string_view otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr) return std::string(otherwise);
  if (const auto* value = found->As<std::string>()) return *value;
  WrongKind(name);
  return std::string(otherwise);
}

std::optional<Ints> Call::MaybeInts(std::string_view name) {
  const Attribute* found = Get(name);
  if (found == nullptr || found->kind() == Attribute::Kind::kNone) return std::nullopt;
  if (const auto* value = found->As<relay::Ints>()) return *value;
  if (const auto* value = found->As<std::int64_t>()) return relay::Ints{*value};
  WrongKind(name);
  return std::nullopt;
}

Ints Call::IntList(std::string_view name, relay::Ints otherwise) {
  return MaybeInts(name).value_or(std::move(otherwise));
}

Ints Call::RequiredInts(std::string_view name) {
  std::optional<relay::Ints> value = MaybeInts(name);
  if (!value && !failed()) Fail(InvalidInput(fmt::format("attribute {} is missing", name)));
  return std::move(value).value_or(relay::Ints());
}

DType Call::Type(std::string_view name, DType otherwise) {
  const Attribute* found = Get(name);
  if (found == nullptr || found->kind() == Attribute::Kind::kNone) return otherwise;
  const std::string text = Text(name, "");
  if (text.empty() || text == "void") return otherwise;
  const std::optional<DType> dtype = tvm::DTypeOfText(text);
  if (!dtype) Fail(fmt::format("element type {} is not supported", text));
  return dtype.value_or(otherwise);
}

std::vector<Ints> Call::IntPairs(std::string_view name) {
  std::vector<relay::Ints> pairs;
  const Attribute* found = Get(name);
  const auto* list = found != nullptr ? found->As<Attribute::List>() : nullptr;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto* pair = (*list)[i].As<relay::Ints>();
    if (pair != nullptr && pair->size() == 2) pairs.push_back(*pair);
  }
  if (list == nullptr || pairs.size() != list->size()) WrongKind(name);
  return pairs;
}

void Call::Ignore(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) read_.emplace(name);
}

void Call::ExpectText(std::string_view name, std::initializer_list<std::string_view> values) {
  const std::string text = Text(name, *values.begin());
  if (std::find(values.begin(), values.end(), text) == values.end() && !failed())
    Fail(fmt::format("{}=\"{}\" is not supported", name, text));
}

Abstract Call::TupleOf(const std::vector<Value*>& values) {
  std::vector<Abstract> items;
  for (Value* value : values) items.push_back(NewTensor(value));
  return dragoman::Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
}

void Call::CheckAllRead() {
  if (failed()) return;
  for (const NamedAttribute& attribute : attributes_) {
    if (!read_.contains(attribute.name)) {
      Fail(fmt::format("attribute {} is not supported", attribute.name));
      return;
    }
  }
}

Ints Call::ReducedAxes(const Value* value) {
  const std::optional<relay::Ints> given = MaybeInts("axis");
  const bool exclude = Bool("exclude", false);
  if (failed()) return {};
  const int rank = Rank(value);
  if (failed()) return {};
  if (!given) return AllAxes(rank);
  std::set<std::int64_t> axes;
  for (std::int64_t axis : *given) axes.insert(Axis(axis, rank));
  if (!exclude) return {axes.begin(), axes.end()};
  relay::Ints others;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (!axes.contains(axis)) others.push_back(axis);
  }
  return others;
}

}  // namespace dragoman::relay
