// SPDX-License-Identifier: Apache-2.0
// What comparison has to know of operators beyond their names.
#ifndef DRAGOMAN_CORE_COMPARE_TRAITS_H_
#define DRAGOMAN_CORE_COMPARE_TRAITS_H_

#include <span>
#include <unordered_map>
#include <vector>

#include "core/compare/equal.h"
#include "core/ir/model.h"
#include "core/ops/op_def.h"

namespace dragoman::compare {

struct OpTraits {
  const OpDef* definition = nullptr;  // nullptr: an operator that the common dialect does not have
  bool ordered = false;               // an effect, or of an ordered dialect
  bool random = false;
  bool commutative = false;        // in its first two operands
  bool has_weight_window = false;  // kernel_shape may be absent for the sizes of the weight
  // Attributes that may be absent for their default value.
  std::vector<const AttributeDef*> defaults;
};

class TraitTable {
 public:
  // Of the nodes of both models.
  TraitTable(const CompareOptions& options, const Model& a, const Model& b);
  const OpTraits& Of(const Node& node);

 private:
  const CompareOptions& options_;
  std::int64_t onnx_version_;  // the lowest of ai.onnx that a graph was written in
  std::unordered_map<const OpName*, OpTraits> traits_;
};

// Equal but for the spelling of ONNX's default domain.
bool SameOp(const OpName& a, const OpName& b);

// The attributes that count, sorted by name: those that have their default value are left out, and
// so is a kernel_shape that only repeats the sizes of the weight.
std::vector<const NamedAttribute*> CountedAttributes(const Node& node, const OpTraits& traits);

// The number of operand slots, or results, that count: at the common level, without omitted ones at
// the end.
std::size_t CountedOperands(const Node& node, Level level);
std::size_t CountedResults(const Node& node, Level level);
// Whether two nodes list a result alike: one that nothing reads may be omitted.
bool ListedAlike(const Value* a, const Value* b);

// For a graph and all below it: the nodes that must keep their order, those that hold such a node
// in a subgraph included.
class OrderedNodes {
 public:
  OrderedNodes(const Graph& root, TraitTable& traits);
  std::span<const Node* const> Of(const Graph& graph) const;

 private:
  std::unordered_map<const Graph*, std::vector<const Node*>> nodes_;
};

// Calls `visit` for the producers of what `node` reads (nullptr: it has none) and, for each of its
// bodies, for the nodes that `ordered` gives of it, then for the producers of its outputs.
template <class Ordered, class Visit>
void ForEachNeeded(const Node& node, const Ordered& ordered, const Visit& visit) {
  const auto visit_producer = [&](const Use& use) {
    if (use.value() != nullptr) visit(use.value()->producer());
  };
  for (const Use& use : node.operands()) visit_producer(use);
  for (const Graph* body : node.subgraphs()) {
    for (const Node* kept : ordered(*body)) visit(kept);
    for (const Use& output : body->outputs()) visit_producer(output);
  }
}

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_TRAITS_H_
