#include "codegen/relax/name_input_sizes.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/ir/type.h"
#include "core/support/text.h"

namespace dragoman::relax {
namespace {

void ReserveSymbols(const Type& type, NameScope& names) {
  if (type.shape() == nullptr) return;
  for (const Dim& dim : *type.shape()) {
    for (const std::string& symbol : dim.Symbols()) names.Reserve(symbol);
  }
}

}  // namespace

void NameInputSizes(Graph& entry) {
  NameScope names;
  for (const auto& input : entry.inputs()) ReserveSymbols(input->type(), names);
  ForEachGraph(entry, [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i)
        if (node.result(i) != nullptr) ReserveSymbols(node.result(i)->type(), names);
    }
  });
  for (const auto& input : entry.inputs()) {
    const Type& type = input->type();
    if (type.shape() == nullptr) continue;
    Shape shape = *type.shape();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].unknown())
        shape[i] = Dim::Symbol(names.Unique(fmt::format("{}_{}", Identifier(input->name()), i)));
    }
    input->set_type(type.WithShape(std::move(shape)));
  }
}

}  // namespace dragoman::relax
