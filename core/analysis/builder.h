// SPDX-License-Identifier: Apache-2.0
// Builds a common graph node by node, inferring types and small values as nodes are appended. What
// a lowering wants to know of a value it asks the builder; it never carries a shape inference of
// its own.
#ifndef DRAGOMAN_CORE_ANALYSIS_BUILDER_H_
#define DRAGOMAN_CORE_ANALYSIS_BUILDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

class GraphBuilder {
 public:
  // Appends to `graph`; bodies of its nodes get builders of their own that share `inference`.
  // `names` holds all value names in use in the model's graph and its bodies, for uniqueness.
  GraphBuilder(Graph& graph, Inference& inference, std::unordered_set<std::string>& names)
      : graph_(&graph), inference_(&inference), names_(&names) {}

  Graph& graph() { return *graph_; }
  Inference& inference() { return *inference_; }

  // The Origin that appended nodes and constants get from now on.
  void set_origin(OriginPtr origin) { origin_ = std::move(origin); }
  const OriginPtr& origin() const { return origin_; }

  // `name`, or with a number after it if it is taken; "" gives a name made from `fallback`.
  std::string UniqueName(std::string_view name, std::string_view fallback = "v");

  Value* Constant(Tensor tensor, std::string_view name = "");
  Value* Int(std::int64_t value) { return Constant(Tensor::Int(value)); }
  Value* Ints(std::span<const std::int64_t> values) { return Constant(Tensor::Ints(values)); }
  Value* Float(float value) { return Constant(Tensor::Float(value)); }

  // Appends operator `type` of ai.onnx (or "dragoman.Linear") and infers its results, of which
  // there are `results.size()`; an empty name omits the result unless it is the first, which gets a
  // name of its own. Errors: operands that the operator refuses; the SizeBudget is used up.
  Result<Node*> Append(std::string_view type, std::span<Value* const> operands,
                       std::vector<NamedAttribute> attributes, std::span<const std::string> results,
                       std::string_view node_name = "");
  // With one result.
  Result<Value*> Add(std::string_view type, std::vector<Value*> operands,
                     std::vector<NamedAttribute> attributes = {}, std::string_view result = "");

  // Infers a node that was appended by hand (a foreign node, or one with bodies).
  Status Infer(Node& node) { return inference_->InferNode(node); }

  DType dtype(const Value* value) const { return value->type().dtype(); }
  std::optional<int> rank(const Value* value) const { return value->type().rank(); }
  std::optional<std::vector<std::int64_t>> KnownInts(const Value* value) const {
    return inference_->KnownInts(value);
  }

 private:
  Graph* graph_;
  Inference* inference_;
  std::unordered_set<std::string>* names_;
  OriginPtr origin_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_BUILDER_H_
