// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/attribute_text.h"

namespace dragoman::relax {
namespace {

template <class Items, class Print>
std::string ListOf(const Items& items, const Print& print) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + print(item);
  return "[" + text + "]";
}

}  // namespace

SymbolNames NamesIn(const Type& type) {
  SymbolNames names;
  if (type.shape() == nullptr) return names;
  for (const Dim& dim : *type.shape()) {
    for (const std::string& symbol : dim.Symbols()) names[symbol] = symbol;
  }
  return names;
}

std::string ValueText(const Attribute& attribute) {
  if (const auto* number = attribute.As<std::int64_t>()) return std::to_string(*number);
  if (const auto* number = attribute.As<double>()) return PythonFloat(*number, true);
  if (const auto* number = attribute.As<float>()) return PythonFloat(*number, false);
  if (const auto* flag = attribute.As<bool>()) return *flag ? "True" : "False";
  if (const auto* text = attribute.As<std::string>()) return QuotedText(*text);
  if (const auto* symbol = attribute.As<Symbol>()) return symbol->name;
  if (const auto* ints = attribute.As<Attribute::Ints>()) return ListText(*ints);
  if (const auto* floats = attribute.As<Attribute::Floats>())
    return ListOf(*floats, [](float value) { return PythonFloat(value, false); });
  if (const auto* texts = attribute.As<Attribute::Strings>())
    return ListOf(*texts, [](const std::string& text) { return QuotedText(text); });
  if (const auto* list = attribute.As<Attribute::List>()) return ListOf(*list, ValueText);
  if (const auto* dict = attribute.As<Attribute::Dict>()) return "{" + ItemsText(*dict) + "}";
  if (const auto* type = attribute.As<Type>()) {
    return type->kind() == Type::Kind::kOpaque ? type->opaque_name()
                                               : TypeText(*type, NamesIn(*type));
  }
  if (const Tensor* tensor = attribute.tensor()) return ConstText(*tensor).value_or("None");
  return "None";
}

std::string ItemsText(const Attribute::Dict& dict) {
  std::string text;
  for (const NamedAttribute& item : dict)
    text += (text.empty() ? "" : ", ") + QuotedText(item.name) + ": " + ValueText(item.value);
  return text;
}

}  // namespace dragoman::relax
