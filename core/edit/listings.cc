// SPDX-License-Identifier: Apache-2.0
#include "core/edit/listings.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/ir/for_each_value.h"

namespace dragoman {
namespace {

constexpr std::string_view kDocumentation = "doc_string";

bool IsListing(std::string_view key) {
  constexpr std::string_view kLists[] = {".value_info", ".initializer", ".sparse_initializer",
                                         ".output"};
  return std::ranges::any_of(kLists, [&](std::string_view list) { return key.ends_with(list); });
}

void EraseDocumentation(Extra& extra) {
  std::erase_if(extra, [](const NamedAttribute& entry) {
    return entry.name == kDocumentation || entry.name.ends_with(".doc_string");
  });
  for (NamedAttribute& entry : extra) {
    const auto* dict = entry.value.As<Attribute::Dict>();
    if (dict == nullptr || Find(*dict, kDocumentation) == nullptr) continue;
    Attribute::Dict kept = *dict;
    std::erase_if(kept, [](const NamedAttribute& e) { return e.name == kDocumentation; });
    entry.value = Attribute(std::move(kept));
  }
}

template <class Owner>
void EraseDocumentationOf(Owner& owner) {
  if (owner.extra_if_any() != nullptr) EraseDocumentation(owner.extra());
}

void EraseDocumentationOfAttributes(Node& node) {
  for (NamedAttribute& attribute : node.attributes()) {
    if (attribute.extra == nullptr) continue;
    Extra kept = *attribute.extra;
    EraseDocumentation(kept);
    attribute.extra = kept.empty() ? nullptr : std::make_shared<const Extra>(std::move(kept));
  }
}

}  // namespace

void ForgetListings(Graph& graph) {
  if (graph.extra_if_any() == nullptr) return;
  std::erase_if(graph.extra(), [](const NamedAttribute& entry) { return IsListing(entry.name); });
}

void ForgetEncoding(Value& constant) {
  if (constant.extra_if_any() == nullptr) return;
  std::erase_if(constant.extra(), [](const NamedAttribute& entry) {
    return entry.name.ends_with(".tensor_encoding") || IsListing(entry.name);
  });
}

void ForgetDocumentation(Model& model) {
  EraseDocumentation(model.extra);
  for (Function& function : model.functions) EraseDocumentation(function.extra);
  ForEachGraph(model, [](Graph& graph) {
    EraseDocumentationOf(graph);
    ForEachValue(graph, [](Value& value) { EraseDocumentationOf(value); });
    for (Node& node : graph.nodes()) {
      EraseDocumentationOf(node);
      EraseDocumentationOfAttributes(node);
    }
  });
}

}  // namespace dragoman
