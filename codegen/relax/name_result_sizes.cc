// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/name_result_sizes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::relax {
namespace {

class SizeNamer {
 public:
  explicit SizeNamer(Graph& entry) {
    const auto reserve = [this](const Value& value) {
      if (value.type().shape() == nullptr) return;
      for (const Dim& dim : *value.type().shape()) {
        for (const std::string& symbol : dim.Symbols()) names_.Reserve(symbol);
      }
    };
    ForEachGraph(entry, [&](Graph& graph) {
      for (const auto& input : graph.inputs()) reserve(*input);
      for (const Node& node : graph.nodes()) {
        for (std::size_t i = 0; i < node.num_results(); ++i) {
          if (node.result(i) != nullptr) reserve(*node.result(i));
        }
      }
    });
  }

  void Name(Value& value) {
    const Type& type = value.type();
    if (!type.is_tensor() || type.shape() == nullptr) return;
    Shape shape = *type.shape();
    for (Dim& dim : shape)
      dim = dim.unknown() ? Dim::Symbol(names_.Unique(value.name() + "_size")) : Said(dim);
    if (shape != *type.shape()) value.set_type(type.WithShape(std::move(shape)));
  }

 private:
  Dim Said(const Dim& dim) {
    if (!dim.symbolic()) return dim;
    Dim sum(0);
    for (const DimTerm& term : dim.terms()) {
      Dim product(term.coefficient);
      for (const auto& factor : term.factors) product = product * Said(*factor);
      sum = sum + product;
    }
    return sum;
  }

  Dim Said(const DimAtom& atom) {
    if (atom.kind == DimAtom::Kind::kSymbol) return Dim::Symbol(atom.name);
    std::vector<Dim> operands;
    std::string text;
    for (const Dim& operand : atom.operands) {
      operands.push_back(Said(operand));
      text += operand.ToString() + ",";
    }
    Dim result = operands.front();
    switch (atom.kind) {
      case DimAtom::Kind::kFloorDiv:
        return FloorDiv(operands[0], operands[1]);
      case DimAtom::Kind::kMod:
        return Mod(operands[0], operands[1]);
      case DimAtom::Kind::kBroadcast: {
        const auto [found, is_new] = broadcasts_.try_emplace(text);
        if (is_new) found->second = names_.Unique("common_size");
        return Dim::Symbol(found->second);
      }
      default:
        break;
    }
    for (std::size_t i = 1; i < operands.size(); ++i)
      result =
          atom.kind == DimAtom::Kind::kMin ? Min(result, operands[i]) : Max(result, operands[i]);
    return result;
  }

  NameScope names_;
  std::map<std::string, std::string> broadcasts_;  // symbols by the sizes that meet
};

}  // namespace

// In order, so that a node sees the names of what it reads.
Result<Inference> NameResultSizes(Graph& entry) {
  Inference inference;
  DRAGOMAN_TRY(inference.InferGraph(entry));
  SizeNamer namer(entry);
  for (Node& node : entry.nodes()) {
    DRAGOMAN_TRY(inference.InferNode(node));
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) namer.Name(*node.result(i));
    }
  }
  ForEachGraph(entry, [&](Graph& body) {
    if (&body == &entry) return;
    for (const auto& input : body.inputs()) namer.Name(*input);
    for (Node& node : body.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) namer.Name(*node.result(i));
      }
    }
  });
  return inference;
}

}  // namespace dragoman::relax
