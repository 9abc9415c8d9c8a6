// SPDX-License-Identifier: Apache-2.0
// Parts of source graphs that compute what is one operator of the common dialect.
//
// A format that has no word for an operator writes calls that compute the same, and may say beside
// them which operator that was. Such a remark holds only for the calls as they were written: it
// carries a digest of them, and who reads the graph takes the operator only if the digest is that
// of the calls at hand.
#ifndef DRAGOMAN_CORE_COMPARE_COMPOSED_PART_H_
#define DRAGOMAN_CORE_COMPARE_COMPOSED_PART_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// The label of several operators, the attribute `body` of which is a graph of them.
inline constexpr std::string_view kComposedGraph = "graph";

struct ComposedOperator {
  // A value of the graph, or a constant as PrintAttribute writes it, "" for an omitted operand.
  struct Operand {
    const Value* value = nullptr;
    std::string constant;
  };

  std::string label;       // "Hardmax", "dragoman.LSTM"
  std::string attributes;  // a dict as PrintAttribute writes it
  std::vector<Operand> operands;
  std::vector<const Value*> results;  // nullptr: omitted
};

struct ComposedPart {
  std::vector<const Node*> nodes;  // each after those that it reads
  std::string digest;
};

// What a node takes: its operands, and what its bodies read of the graphs around them.
std::vector<const Value*> TakenBy(const Node& node);

// What the format knows of a node beyond operator, attributes and operands: the order of its
// arguments, the digest of the function that it calls. nullopt: the node computes nothing.
using NodeRemark = std::function<std::optional<std::string>(const Node& node)>;

// The expression over sizes of the entry's inputs that the nodes of a value compute, which stands
// for them. nullopt: any other value. Not set: there are none.
using SizeRemark = std::function<std::optional<std::string>(const Value& value)>;

// The nodes from which the results are computed. nullopt: they read what is neither an operand
// nor a size nor a constant; or, with `of_sizes`, do not read one that they may hold. Linear in
// their size.
std::optional<ComposedPart> FindComposedPart(const ComposedOperator& composed,
                                             const NodeRemark& remark,
                                             const SizeRemark& of_sizes = nullptr);

// Of a whole function, its bodies included; names do not count.
std::string DigestOfFunction(const Graph& function, const NodeRemark& remark);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_COMPOSED_PART_H_
