// SPDX-License-Identifier: Apache-2.0
// Functions with the attribute Composite, which group what one operator of another library
// computes: they stay groups, dragoman.Fused, and keep their name and attributes.
#include <algorithm>
#include <optional>

#include "core/lowering/group.h"
#include "importers/relax/lower/evaluator.h"
#include "importers/tvm/group_attributes.h"

namespace dragoman::tvmscript {
namespace {

const Node* AttributesOf(const Graph& function) {
  for (const Node& node : function.nodes()) {
    if (node.op().type == "func_attr") return &node;
  }
  return nullptr;
}

}  // namespace

// Groups of our own are what a rewrite makes of their members wherever they are, and are found
// again.
bool Evaluator::IsGroup(const FunctionValue& function, const std::vector<Abstract>& arguments) {
  const Node* attributes = AttributesOf(*function.body);
  const Attribute* name = attributes != nullptr ? attributes->attribute("Composite") : nullptr;
  const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
  const auto is_tensor = [](const Abstract& value) { return value.Is<TensorRef>(); };
  return text != nullptr && !text->starts_with("dragoman.") && function.environment == nullptr &&
         !arguments.empty() && std::ranges::all_of(arguments, is_tensor);
}

// nullopt: it gives what a group cannot, and is run in place.
Result<std::optional<Abstract>> Evaluator::RunGroup(const FunctionValue& function,
                                                    const std::vector<Abstract>& arguments) {
  SourceGroup group;
  group.name = function.name;
  group.attributes = AttributesOf(*function.body)->attributes();
  group.key = tvm::kGroupAttributes;
  group.arguments = arguments;
  for (const auto& input : function.body->inputs()) group.parameters.push_back(input->name());
  group.run = [&](std::vector<Abstract> inner) {
    Scope scope = Enter(function, inner);
    return Run(*function.body, scope);
  };
  return dragoman::RunGroup(entry_, group);
}

}  // namespace dragoman::tvmscript
