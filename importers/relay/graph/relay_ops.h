// SPDX-License-Identifier: Apache-2.0
// The nodes of source graphs that are not operators of Relay, and names of operators.
#ifndef DRAGOMAN_IMPORTERS_RELAY_GRAPH_RELAY_OPS_H_
#define DRAGOMAN_IMPORTERS_RELAY_GRAPH_RELAY_OPS_H_

#include <string>
#include <string_view>

#include "core/ir/find_as.h"
#include "core/ir/graph.h"
#include "core/ir/model.h"

namespace dragoman::relay {

inline constexpr std::string_view kDialect = "relay";

// Keys of extra.
inline constexpr std::string_view kSpan = "relay.span";
inline constexpr std::string_view kTypeText = "relay.type";    // where the type does not say all
inline constexpr std::string_view kParameter = "relay.attrs";  // of a parameter
inline constexpr std::string_view kVersion = "relay.version";  // of the model
inline constexpr std::string_view kTypes = "relay.types";      // definitions of types
inline constexpr std::string_view kFunctionAttributes = "relay.function";
inline constexpr std::string_view kComposed = "composed";  // of the attributes of a function
inline constexpr std::string_view kUnusedParams = "relay.params";

// Constructors of the prelude, whose types a text need not define.
inline constexpr std::string_view kPreludeConstructors[] = {"Cons", "Nil", "Some", "None", "Rose"};

// What the text says of a function: "attrs", "type_params" or "ret_type". nullptr: nothing.
inline const Attribute* PartOfFunction(const Graph& function, std::string_view name) {
  const auto* fields = FindAs<Attribute::Dict>(function.extra_if_any(), kFunctionAttributes);
  return fields != nullptr ? Find(*fields, name) : nullptr;
}

// The attributes of a function; nullptr: it has none.
inline const Attribute::Dict* AttributesOfFunction(const Graph& function) {
  const Attribute* attributes = PartOfFunction(function, "attrs");
  return attributes != nullptr ? attributes->As<Attribute::Dict>() : nullptr;
}

// Whether the text is of a version (0.0.4, TVM 0.6) whose nn.batch_matmul has no attributes and
// computes a · bᵀ.
inline bool TransposesByDefault(const Model& source) {
  const auto* text = FindAs<std::string>(source.extra, kVersion);
  return text != nullptr && *text == "0.0.4";
}

// "nn.dense" is operator dense of domain nn.
inline const OpName* OperatorName(std::string_view name) {
  const std::size_t point = name.rfind('.');
  if (point == std::string_view::npos) return InternOp(kDialect, name);
  return InternOp(kDialect, name.substr(point + 1), name.substr(0, point));
}
// The inverse.
inline std::string OperatorText(const OpName& op) {
  return op.domain.empty() ? op.type : op.domain + "." + op.type;
}

// Of a node that is not an operator: Call, Tuple, …
inline bool IsNode(const Node& node, std::string_view type) {
  return node.op().domain.empty() && node.op().type == type;
}

// Where the node stands in the text: "line 3:14".
inline std::string PlaceOf(const Node& node) {
  const OriginPtr& origin = node.origin();
  return origin != nullptr && origin->leaf() != nullptr ? origin->leaf()->location : "";
}

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_GRAPH_RELAY_OPS_H_
