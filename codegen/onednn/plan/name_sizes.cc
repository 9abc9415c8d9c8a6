// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/name_sizes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/inference.h"
#include "core/support/text.h"

namespace dragoman::onednn {
namespace {

class SizeNamer {
 public:
  // Symbols that the model has already are not given out again.
  void Reserve(const Graph& graph) {
    ForEachGraph(graph, [&](const Graph& each) {
      for (const auto& input : each.inputs()) Reserve(input->type());
      for (const Node& node : each.nodes()) {
        for (std::size_t i = 0; i < node.num_results(); ++i) {
          if (node.result(i) != nullptr) Reserve(node.result(i)->type());
        }
      }
    });
  }

  void Name(Value& value) {
    const Shape* shape = value.type().shape();
    if (shape == nullptr) return;
    Shape named = *shape;
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (!named[i].unknown()) continue;
      const std::string hint = Identifier(value.name()) + "_size" + std::to_string(i);
      named[i] = Dim::Symbol(names_.Unique(hint));
    }
    value.set_type(value.type().WithShape(std::move(named)));
  }

  // A size that is an expression over symbols which are not an input's size is as good as unknown.
  void NameInputs(const Graph& graph) {
    std::set<std::string> bound;
    for (const auto& input : graph.inputs()) {
      if (input->type().shape() == nullptr) continue;
      for (const Dim& dim : *input->type().shape()) {
        if (dim.symbol() != nullptr) bound.insert(*dim.symbol());
      }
    }
    for (const auto& input : graph.inputs()) {
      if (input->type().shape() == nullptr) continue;
      Shape shape = *input->type().shape();
      for (Dim& dim : shape) {
        const std::vector<std::string> symbols = dim.Symbols();
        if (!std::ranges::all_of(symbols, [&](const auto& s) { return bound.contains(s); }))
          dim = Dim::Unknown();
      }
      input->set_type(input->type().WithShape(std::move(shape)));
      Name(*input);
    }
  }

  // Subgraphs nest at most kMaxGraphNesting deep.
  Status NameGraph(Graph& graph) {
    for (Node& node : graph.nodes()) {
      DRAGOMAN_TRY(inference_.InferNode(node));
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) Name(*node.result(i));
      }
      for (Graph* body : node.subgraphs()) {
        for (const auto& input : body->inputs()) Name(*input);
        DRAGOMAN_TRY(NameGraph(*body));
      }
    }
    return {};
  }

 private:
  void Reserve(const Type& type) {
    if (type.shape() == nullptr) return;
    for (const Dim& dim : *type.shape()) {
      for (const std::string& symbol : dim.Symbols()) names_.Reserve(symbol);
    }
  }

  Inference inference_;
  NameScope names_;
};

}  // namespace

Status NameSizes(Model& model) {
  for (Entry& entry : model.entries) {
    SizeNamer namer;
    namer.Reserve(*entry.graph);
    namer.NameInputs(*entry.graph);
    DRAGOMAN_TRY(namer.NameGraph(*entry.graph));
  }
  return {};
}

}  // namespace dragoman::onednn
