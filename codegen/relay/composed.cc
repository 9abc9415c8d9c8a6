// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/composed.h"

#include <utility>

#include "core/compare/composed_text.h"
#include "core/ir/find_as.h"
#include "core/ir/print.h"

namespace dragoman::relay::emit {
namespace {

constexpr std::string_view kFunction = "relay.function";
constexpr std::string_view kOwnName = "composed.";  // which no input begins with

}  // namespace

std::string RemarkText(const ComposedNode& node, const std::function<Value*(const Value*)>& of,
                       const std::function<std::string()>& fresh_name) {
  const auto name_of = [&](Value& value) {
    if (value.producer() != nullptr && !value.name().starts_with(kOwnName))
      value.set_name(std::string(kOwnName) + fresh_name());
    return value.name();
  };
  ComposedText text;
  text.label = node.label;
  text.attributes = PrintAttribute(Attribute(node.attributes));
  for (const Value* operand : node.operands) {
    Value* value = operand != nullptr ? of(operand) : nullptr;
    const Value* constant = value == nullptr ? operand : value->is_constant() ? value : nullptr;
    text.operands.push_back(constant != nullptr ? PrintAttribute(Attribute(*constant->tensor()))
                            : value != nullptr  ? name_of(*value)
                                                : "");
  }
  for (const Value* result : node.results) {
    Value* value = result != nullptr ? of(result) : nullptr;
    if (result != nullptr && (value == nullptr || value->producer() == nullptr)) return "";
    text.results.push_back(value != nullptr ? name_of(*value) : "");
  }
  return JoinComposed(text);
}

Attribute::Dict PartsOf(const Graph& function) {
  const auto* parts = FindAs<Attribute::Dict>(function.extra_if_any(), kFunction);
  return parts != nullptr ? *parts : Attribute::Dict();
}

Attribute::Strings RemarksOf(const Attribute::Dict& parts) {
  const auto* dict = FindAs<Attribute::Dict>(parts, "attrs");
  const auto* texts = FindAs<Attribute::Strings>(dict, kComposed);
  return texts != nullptr ? *texts : Attribute::Strings();
}

// Of a function that the writer made, which has no other attributes.
void SetRemarks(Graph& function, Attribute::Strings remarks) {
  std::erase_if(function.extra(),
                [](const NamedAttribute& item) { return item.name == kFunction; });
  if (remarks.empty()) return;
  Attribute::Dict attributes = {{std::string(kComposed), std::move(remarks)}};
  function.extra().emplace_back(std::string(kFunction),
                                Attribute::Dict{{"attrs", std::move(attributes)}});
}

}  // namespace dragoman::relay::emit
