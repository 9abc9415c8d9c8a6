// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/name_input_sizes.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ir/type.h"
#include "core/ops/declared_attributes.h"
#include "core/support/text.h"

namespace dragoman::relax {
namespace {

void ReserveSymbols(const Type& type, NameScope& names) {
  if (type.shape() == nullptr) return;
  for (const Dim& dim : *type.shape()) {
    for (const std::string& symbol : dim.Symbols()) names.Reserve(symbol);
  }
}

// Symbol `name` becomes `by` in the types of all inputs.
void Substitute(Graph& entry, const std::string& name, const Dim& by) {
  for (const auto& input : entry.inputs()) {
    const Type& type = input->type();
    if (type.shape() == nullptr) continue;
    Shape shape = *type.shape();
    for (Dim& dim : shape) dim = dim.Substitute({{name, by}});
    input->set_type(type.WithShape(std::move(shape)));
  }
}

// Where a recurrence counts its batch: in its operands x, sequence_lens, initial_h, initial_c.
std::vector<const Dim*> BatchesOf(const Node& node) {
  const std::size_t axis = IntAttribute(node, "layout") == 1 ? 0 : 1;
  std::vector<const Dim*> batches;
  for (const auto& [operand, at] :
       {std::pair<std::size_t, std::size_t>{0, axis}, {4, std::size_t{0}}, {5, axis}, {6, axis}}) {
    const Value* value = operand < node.num_operands() ? node.operand(operand) : nullptr;
    if (value == nullptr || value->kind() != Value::Kind::kInput) continue;
    const Shape* shape = value->type().shape();
    if (shape != nullptr && at < shape->size()) batches.push_back(&(*shape)[at]);
  }
  return batches;
}

// Operands of a recurrence have one batch, whatever their sizes are called.
void UniteBatches(Graph& entry) {
  for (const Node& node : entry.nodes()) {
    if (!node.Is("LSTM") && !node.Is("GRU") && !node.Is("RNN")) continue;
    const std::size_t count = BatchesOf(node).size();
    for (std::size_t i = 1; i < count; ++i) {
      const std::vector<const Dim*> batches = BatchesOf(node);
      const std::string* other = batches[i]->symbol();
      if (other == nullptr || *batches[i] == *batches.front()) continue;
      Substitute(entry, std::string(*other), Dim(*batches.front()));
    }
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
  UniteBatches(entry);
}

}  // namespace dragoman::relax
