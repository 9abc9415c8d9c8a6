// SPDX-License-Identifier: Apache-2.0
// Type and value inference over common graphs: sizes as polynomials over symbols, and the elements
// of small integer tensors, so that the chains which exporters leave (Shape, Gather, Concat,
// Reshape) are followed.
#ifndef DRAGOMAN_CORE_ANALYSIS_INFERENCE_H_
#define DRAGOMAN_CORE_ANALYSIS_INFERENCE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "core/ir/type_algebra.h"
#include "core/ops/infer_context.h"
#include "core/support/result.h"

namespace dragoman {

// Loops look at their bodies again until types hold, and loops nest: what one Inference looks at in
// bodies is bounded by this many nodes.
inline constexpr std::size_t kMaxNodesInBodies = 16'000'000;

// Infers node by node and remembers what it learnt about values beside their types. A node's types
// are stored in its results; an operator without a definition (a foreign node) keeps the types that
// it has.
class Inference {
 public:
  Inference() = default;

  // Infers the results of `node`, whose operands have been inferred. Errors: operands that the
  // operator refuses.
  Status InferNode(Node& node);
  // All nodes in order, subgraphs through the nodes that own them.
  Status InferGraph(Graph& graph);

  // What is known of `value`: its type, contents, elements.
  Knowledge Know(const Value* value) const;
  // The elements of a small integer tensor if every one is a number.
  std::optional<std::vector<std::int64_t>> KnownInts(const Value* value) const;
  // States what a body's input or a value made by hand holds.
  void Learn(const Value* value, Elements elements);
  // Forgets what was learnt of values that are about to be erased.
  void Forget(const Value* value) { elements_.erase(value); }
  void Forget(const Node& node);
  void Forget(const Graph& graph);

 private:
  Result<std::vector<Knowledge>> InferBody(Graph& body, std::span<const Knowledge> inputs);
  Dim FreshSymbol(std::string_view hint);

  std::unordered_map<const Value*, Elements> elements_;
  std::map<std::string, const Node*> symbols_;  // given out, and to which node
  std::size_t nodes_in_bodies_ = 0;
  const Node* node_ = nullptr;          // being inferred
  std::set<std::string> node_symbols_;  // that it was given so far
};

// Infers every entry of a common model.
Status InferModel(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_INFERENCE_H_
