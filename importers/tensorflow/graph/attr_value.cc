// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/attr_value.h"

namespace dragoman::tf {
namespace {

template <class T>
std::optional<T> AsListOf(const Attribute& attribute) {
  if (const auto* list = attribute.As<T>()) return *list;
  const auto* any = attribute.As<Attribute::List>();
  return any != nullptr && any->empty() ? std::optional(T()) : std::nullopt;
}

}  // namespace

std::optional<DType> AsDType(const Attribute& attribute) {
  const auto* type = attribute.As<Type>();
  if (type == nullptr || !type->is_tensor() || type->dtype() == DType::kUnknown) {
    return std::nullopt;
  }
  return type->dtype();
}

std::optional<Attribute::Ints> AsInts(const Attribute& attribute) {
  return AsListOf<Attribute::Ints>(attribute);
}

std::optional<Attribute::Floats> AsFloats(const Attribute& attribute) {
  return AsListOf<Attribute::Floats>(attribute);
}

std::optional<Attribute::Strings> AsStrings(const Attribute& attribute) {
  return AsListOf<Attribute::Strings>(attribute);
}

std::optional<Attribute::Types> AsTypes(const Attribute& attribute) {
  return AsListOf<Attribute::Types>(attribute);
}

std::optional<FuncRef> AsFunc(const Attribute& attribute) {
  if (const auto* symbol = attribute.As<Symbol>()) return FuncRef{symbol->name};
  const auto* dict = attribute.As<Attribute::Dict>();
  const Attribute* func = dict == nullptr ? nullptr : Find(*dict, "func");
  const Attribute* attr = dict == nullptr ? nullptr : Find(*dict, "attr");
  const auto* name = func == nullptr ? nullptr : func->As<Symbol>();
  if (name == nullptr) return std::nullopt;
  return FuncRef{name->name, attr == nullptr ? nullptr : attr->As<Attribute::Dict>()};
}

std::optional<std::vector<FuncRef>> AsFuncs(const Attribute& attribute) {
  const auto* list = attribute.As<Attribute::List>();
  if (list == nullptr) return std::nullopt;
  std::vector<FuncRef> functions;
  for (const Attribute& item : *list) {
    std::optional<FuncRef> function = AsFunc(item);
    if (!function) return std::nullopt;
    functions.push_back(std::move(*function));
  }
  return functions;
}

}  // namespace dragoman::tf
