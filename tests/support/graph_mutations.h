// SPDX-License-Identifier: Apache-2.0
// Copies of models that mean the same, and changes that do not, drawn by seed: what the tests of
// equality and diff are fed with.
#ifndef DRAGOMAN_TESTS_SUPPORT_GRAPH_MUTATIONS_H_
#define DRAGOMAN_TESTS_SUPPORT_GRAPH_MUTATIONS_H_

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/compare/places.h"
#include "core/ir/model.h"
#include "core/support/bytes.h"

namespace dragoman::testing {

using Random = std::mt19937_64;

inline std::size_t Draw(Random& random, std::size_t count) { return random() % count; }

inline std::vector<Graph*> AllGraphs(Model& model) {
  std::vector<Graph*> graphs;
  ForEachGraph(model, [&](Graph& graph) { graphs.push_back(&graph); });
  return graphs;
}

// Names that say nothing; those of inputs and outputs of entries stay.
inline void RenameAll(Model& model, Random& random) {
  std::size_t next = Draw(random, 1000);
  for (Graph* graph : AllGraphs(model)) {
    std::set<const Value*> fixed;
    for (std::size_t i = 0; i < graph->num_outputs(); ++i) fixed.insert(graph->output(i));
    for (const auto& constant : graph->constants()) {
      constant->set_name("c" + std::to_string(next++));
    }
    for (Node& node : graph->nodes()) {
      node.set_name("node" + std::to_string(next++));
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        Value* result = node.result(i);
        if (result != nullptr && !fixed.contains(result)) {
          result->set_name("v" + std::to_string(next++));
        }
      }
    }
  }
}

// The nodes of `graph` whose results `node` or a body of it reads.
inline std::set<const Node*> Needed(const Node& node, const Graph& graph) {
  std::set<const Node*> needed;
  const auto read = [&](const Value* value) {
    const Node* producer = value == nullptr ? nullptr : value->producer();
    if (producer != nullptr && producer->graph() == &graph) needed.insert(producer);
  };
  for (const Use& use : node.operands()) read(use.value());
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& below) {
      for (const Node& inner : below.nodes()) {
        for (const Use& use : inner.operands()) read(use.value());
      }
      for (const Use& output : below.outputs()) read(output.value());
    });
  }
  return needed;
}

// Another topological order.
inline void Shuffle(Graph& graph, Random& random) {
  std::unordered_map<const Node*, std::size_t> open;
  std::unordered_map<const Node*, std::vector<Node*>> users;
  std::vector<Node*> ready;
  for (Node& node : graph.nodes()) {
    const std::set<const Node*> needed = Needed(node, graph);
    open[&node] = needed.size();
    for (const Node* producer : needed) users[producer].push_back(&node);
    if (needed.empty()) ready.push_back(&node);
  }
  std::vector<Node*> order;
  while (!ready.empty()) {
    std::swap(ready[Draw(random, ready.size())], ready.back());
    order.push_back(ready.back());
    ready.pop_back();
    for (Node* user : users[order.back()]) {
      if (--open[user] == 0) ready.push_back(user);
    }
  }
  for (Node* node : order) graph.MoveBefore(node, nullptr);
}

// Some operands read a copy of their constant.
inline void CopyConstants(Graph& graph, Random& random) {
  for (Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_operands(); ++i) {
      const Value* value = node.operand(i);
      const bool copies = value != nullptr && value->is_constant() && value->tensor() != nullptr;
      if (!copies || Draw(random, 4) != 0) continue;
      const Tensor& tensor = *value->tensor();
      Tensor copy = tensor;
      if (tensor.dtype() != DType::kString) {
        copy = Tensor::Make(tensor.dtype(), tensor.sizes(), Buffer::Copy(tensor.bytes())).value();
      }
      Value* made = graph.AddConstant(value->name() + "_copy", std::move(copy));
      made->set_type(value->type());
      node.set_operand(i, made);
    }
  }
}

enum class Names { kKept, kChanged };

// A copy of `model` that is equal to it.
inline Model Disguise(const Model& model, Random& random, Names names = Names::kChanged) {
  Model copy = Clone(model);
  for (Graph* graph : AllGraphs(copy)) {
    CopyConstants(*graph, random);
    Shuffle(*graph, random);
  }
  if (names == Names::kChanged) RenameAll(copy, random);
  return copy;
}

enum class Change {
  kAttribute,
  kWeightBit,
  kNegativeZero,
  kExchangedWeights,
  kSwappedOperands,
  kElementType,
  kMissingEdge,
  kCapture,
  kDeadOperand,
  kUnusedConstant,
};
inline constexpr Change kChanges[] = {Change::kAttribute,       Change::kWeightBit,
                                      Change::kNegativeZero,    Change::kExchangedWeights,
                                      Change::kSwappedOperands, Change::kElementType,
                                      Change::kMissingEdge,     Change::kCapture,
                                      Change::kDeadOperand,     Change::kUnusedConstant};

// The nodes, or constants, at which a diff may name the change.
using Places = std::set<std::string>;

namespace internal {

inline void AddUsers(const Value& value, Places& places) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() != nullptr) places.insert(use->user()->Describe());
  }
}

inline bool ChangeAttribute(Node& node, Random& random) {
  if (node.attributes().empty()) return false;
  NamedAttribute& attribute = node.attributes()[Draw(random, node.attributes().size())];
  if (const auto* i = attribute.value.As<std::int64_t>()) {
    attribute.value = *i + 1;
  } else if (const auto* f = attribute.value.As<float>()) {
    attribute.value = *f == 0 ? -*f : *f * 2 + 1;
  } else if (const auto* list = attribute.value.As<Attribute::Ints>()) {
    Attribute::Ints longer = *list;
    longer.push_back(7);
    attribute.value = std::move(longer);
  } else if (const auto* s = attribute.value.As<std::string>()) {
    attribute.value = *s + "x";
  } else {
    return false;
  }
  return true;
}

// Weights with a user among the nodes.
inline std::vector<Value*> Weights(const std::vector<Graph*>& graphs) {
  std::vector<Value*> weights;
  for (Graph* graph : graphs) {
    for (const auto& constant : graph->constants()) {
      const Tensor* tensor = constant->tensor();
      if (tensor == nullptr || tensor->dtype() != DType::kF32 || tensor->size() == 0) continue;
      Places users;
      AddUsers(*constant, users);
      if (!users.empty()) weights.push_back(constant.get());
    }
  }
  return weights;
}

inline void SetElement(Value& weight, std::size_t i, std::uint32_t bits) {
  const Tensor& tensor = *weight.tensor();
  std::string bytes(AsText(tensor.bytes()));
  std::memcpy(bytes.data() + 4 * i, &bits, 4);
  weight.set_data(Tensor::Make(DType::kF32, tensor.sizes(), Buffer::Own(std::move(bytes))).value());
}

inline std::optional<Places> PlantInWeights(const std::vector<Value*>& weights, Change change,
                                            Random& random) {
  if (weights.empty()) return std::nullopt;
  Value& weight = *weights[Draw(random, weights.size())];
  Places places;
  AddUsers(weight, places);
  const auto values = weight.tensor()->data<std::uint32_t>();
  if (change == Change::kWeightBit) {
    const std::size_t i = Draw(random, values.size());
    SetElement(weight, i, values[i] ^ 1u << Draw(random, 32));
    return places;
  }
  if (change == Change::kNegativeZero) {
    const auto zero = std::find(values.begin(), values.end(), 0u);
    if (zero == values.end()) return std::nullopt;
    SetElement(weight, static_cast<std::size_t>(zero - values.begin()), 0x80000000u);
    return places;
  }
  Value& other = *weights[Draw(random, weights.size())];
  const bool fits = other.tensor()->sizes() == weight.tensor()->sizes();
  if (!fits || *other.tensor() == *weight.tensor()) return std::nullopt;
  AddUsers(other, places);
  const Tensor tensor = *weight.tensor();
  weight.set_data(*other.tensor());
  other.set_data(tensor);
  return places;
}

inline bool Swap(Node& node) {
  Value *x = node.operand(0), *y = node.operand(1);
  if (x == nullptr || y == nullptr) return false;
  const bool told_apart =
      x->kind() != y->kind() || x->kind() == Value::Kind::kInput ||
      (x->producer() != nullptr && !x->producer()->Is(y->producer()->op().type));
  if (x == y || !told_apart) return false;
  node.set_operand(0, y);
  node.set_operand(1, x);
  return true;
}

inline bool ChangeElementType(Node& node) {
  Value* result = node.result(0);
  if (result == nullptr || !result->type().is_tensor()) return false;
  result->set_type(
      result->type().WithDType(result->type().dtype() == DType::kF64 ? DType::kF32 : DType::kF64));
  return true;
}

inline bool DropEdge(Node& node) {
  if (node.num_operands() < 2 || node.operand(node.num_operands() - 1) == nullptr) return false;
  node.set_operand(node.num_operands() - 1, nullptr);
  return true;
}

// An operand that the body computes is read from outside.
inline bool Capture(Node& node) {
  const Graph* outside = node.graph()->parent_graph();
  if (outside == nullptr || outside->num_inputs() == 0) return false;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Value* value = node.operand(i);
    if (value == nullptr || value->producer() == nullptr || value->graph() != node.graph())
      continue;
    node.set_operand(i, outside->input(outside->num_inputs() - 1));
    return true;
  }
  return false;
}

inline bool IsDead(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->used()) return false;
  }
  return true;
}

// An operand of a node that nothing uses becomes an input of the outermost graph.
inline bool ChangeDeadOperand(Node& node, Random& random) {
  if (!IsDead(node) || node.num_operands() == 0) return false;
  const Graph* outermost = node.graph();
  while (outermost->parent_graph() != nullptr) outermost = outermost->parent_graph();
  if (outermost->num_inputs() == 0) return false;
  const std::size_t i = Draw(random, node.num_operands());
  Value* input = outermost->input(Draw(random, outermost->num_inputs()));
  if (node.operand(i) == input) return false;
  node.set_operand(i, input);
  return true;
}

// An unused constant that no other equals becomes one that no other equals.
inline std::optional<Places> ChangeUnusedConstant(const std::vector<Graph*>& graphs,
                                                  Random& random) {
  std::vector<Value*> unused;
  std::vector<const Tensor*> all;
  for (Graph* graph : graphs) {
    for (const auto& constant : graph->constants()) {
      const Tensor* tensor = constant->tensor();
      if (tensor == nullptr || tensor->dtype() != DType::kF32 || tensor->size() == 0) continue;
      all.push_back(tensor);
      if (!constant->used()) unused.push_back(constant.get());
    }
  }
  if (unused.empty()) return std::nullopt;
  Value& constant = *unused[Draw(random, unused.size())];
  const auto equal = [&](const Tensor* tensor) { return *tensor == *constant.tensor(); };
  if (std::count_if(all.begin(), all.end(), equal) > 1) return std::nullopt;
  const auto size = static_cast<std::size_t>(constant.tensor()->size());
  SetElement(constant, Draw(random, size), static_cast<std::uint32_t>(random()));
  if (std::count_if(all.begin(), all.end(), equal) > 1) return std::nullopt;
  return Places{compare::Describe(&constant)};
}

}  // namespace internal

// Makes one change; nullopt if the place drawn does not admit it (try again).
inline std::optional<Places> Plant(Model& model, Change change, Random& random) {
  const std::vector<Graph*> graphs = AllGraphs(model);
  const bool in_weights = change == Change::kWeightBit || change == Change::kNegativeZero ||
                          change == Change::kExchangedWeights;
  if (in_weights) return internal::PlantInWeights(internal::Weights(graphs), change, random);
  if (change == Change::kUnusedConstant) return internal::ChangeUnusedConstant(graphs, random);
  std::vector<Node*> nodes;
  for (Graph* graph : graphs) {
    for (Node& node : graph->nodes()) nodes.push_back(&node);
  }
  if (nodes.empty()) return std::nullopt;
  Node& node = *nodes[Draw(random, nodes.size())];
  const bool done = change == Change::kAttribute         ? internal::ChangeAttribute(node, random)
                    : change == Change::kSwappedOperands ? internal::Swap(node)
                    : change == Change::kElementType     ? internal::ChangeElementType(node)
                    : change == Change::kMissingEdge     ? internal::DropEdge(node)
                    : change == Change::kDeadOperand     ? internal::ChangeDeadOperand(node, random)
                                                         : internal::Capture(node);
  if (!done) return std::nullopt;
  return Places{node.Describe()};
}

}  // namespace dragoman::testing

#endif  // DRAGOMAN_TESTS_SUPPORT_GRAPH_MUTATIONS_H_
