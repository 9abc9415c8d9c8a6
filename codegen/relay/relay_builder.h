// SPDX-License-Identifier: Apache-2.0
// Makes nodes of Relay source graphs (importers/relay/README.md).
#ifndef DRAGOMAN_CODEGEN_RELAY_RELAY_BUILDER_H_
#define DRAGOMAN_CODEGEN_RELAY_RELAY_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::relay::emit {

using Values = std::vector<Value*>;
using Ints = std::vector<std::int64_t>;

// Appends to one graph; bodies are made by builders of their own. All nodes made between two calls
// of set_span carry that span.
class RelayBuilder {
 public:
  explicit RelayBuilder(Graph& graph) : graph_(&graph) {}

  Graph& graph() { return *graph_; }
  void set_span(std::string span) { span_ = std::move(span); }

  // A call of operator `name` ("nn.dense").
  Value* Call(std::string_view name, const Values& operands, Attribute::Dict attributes = {});
  Value* Tuple(const Values& elements);
  // Element `index` of a tuple.
  Value* Element(Value* tuple, std::size_t index);
  Value* Constant(Tensor tensor);

  Value* If(Value* condition, std::unique_ptr<Graph> then_branch,
            std::unique_ptr<Graph> else_branch);
  // A function value with attributes type_params, ret_type, attrs.
  Value* Function(std::unique_ptr<Graph> body, Attribute::Dict attributes = {});
  // let %name = value; `self`, if not empty, is what the value calls itself.
  Value* Let(const std::string& name, Value* value, const std::string& self = "");
  Value* Self(const std::string& self);
  Value* CallValue(Value* function, const Values& arguments);

 private:
  Value* Add(std::string_view type, const Values& operands, Attribute::Dict attributes);
  Value* Finish(Node* node);

  Graph* graph_;
  std::string span_;
};

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_RELAY_BUILDER_H_
