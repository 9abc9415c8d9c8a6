// Hashes of the nodes of one graph and all below it, for matching.
#ifndef DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_
#define DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/compare/constant_table.h"
#include "core/compare/equal.h"
#include "core/compare/traits.h"
#include "core/support/flat_map.h"

namespace dragoman::compare {

struct SideContext {
  const CompareOptions& options;
  ConstantTable& constants;
  TraitTable& traits;
  // The name under which a called function is known on both sides.
  std::function<const OpName&(const OpName&)> canonical_op;
  // What an input of the root graph is known by on both sides.
  std::function<std::uint64_t(std::size_t)> input_code;
};

// The nodes of one side: those that outputs and ordered nodes need, at the source level all.
struct GraphSide {
  struct Entry {
    const Node* node = nullptr;
    std::uint64_t scope = 0;     // where its graph stands: attribute names from the root on
    std::uint64_t local = 0;     // op, attributes, scope
    std::uint64_t up = 0;        // what it computes
    std::uint64_t uses = 0;      // what uses it; 0: nothing
    std::uint64_t operands = 0;  // while matching: what it reads
    std::int64_t partner = -1;
  };

  GraphSide(const Graph& root, const SideContext& context);

  // -1: not among the entries.
  std::int64_t IndexOf(const Node* node) const;
  std::uint64_t ScopeOf(const Graph& graph) const { return scopes.at(&graph); }

  std::vector<Entry> entries;  // operands before users, but on cycles
  FlatMap<const Node*, std::int64_t> index;
  std::unordered_map<const Graph*, std::uint64_t> scopes;
  std::vector<const Graph*> graphs;  // outer ones first
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_
