// SPDX-License-Identifier: Apache-2.0
// Hashes of the nodes of one graph and all below it, for matching.
#ifndef DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_
#define DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_

#include <cstdint>
#include <functional>
#include <span>
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
  ConstantTable& forms;  // Floats::kByType
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
    std::uint64_t scope = 0;  // where its graph stands: attribute names from the root on
    std::uint64_t op = 0;     // with scope
    std::uint64_t local = 0;  // op, attributes, scope
    std::uint64_t up = 0;     // what it computes
    std::uint64_t form = 0;   // the same, whatever the contents of floating-point weights
    std::uint64_t shape = 0;  // local and constant operands, whatever those contents
    std::uint64_t own = 0;    // local and constant operands; 0: it reads no weight
    std::uint64_t uses = 0;   // what uses it; 0: nothing
    // What surrounds it, up to 2 and up to 6 edges away, whatever the contents of weights.
    std::uint64_t near = 0, far = 0;
    std::int64_t partner = -1;
    std::size_t first_producer = 0, first_reader = 0, num_readers = 0;
  };
  // Operand `operand` of the node of `entry`.
  struct Reader {
    std::uint32_t entry = 0, operand = 0;
  };

  GraphSide(const Graph& root, const SideContext& context);

  // -1: not among the entries.
  std::int64_t IndexOf(const Node* node) const;
  std::uint64_t ScopeOf(const Graph& graph) const { return scopes.at(&graph); }
  // The entries that give the operands of `entry`, one for each; -1: none.
  std::span<const std::int64_t> ProducersOf(const Entry& entry) const {
    return std::span(producers).subspan(entry.first_producer, entry.node->num_operands());
  }
  std::span<const Reader> ReadersOf(const Entry& entry) const {
    return std::span(readers).subspan(entry.first_reader, entry.num_readers);
  }

  std::vector<Entry> entries;  // operands before users, but on cycles
  FlatMap<const Node*, std::int64_t> index;
  // Operands that no entry gives: what they hold, and the same whatever the contents of weights.
  struct Leaf {
    std::uint64_t exact = 0, form = 0;
  };
  std::span<const Leaf> LeavesOf(const Entry& entry) const {
    return std::span(leaves).subspan(entry.first_producer, entry.node->num_operands());
  }

  // Of all entries one after the other, as are leaves and readers.
  std::vector<std::int64_t> producers;
  std::vector<Leaf> leaves;
  std::vector<Reader> readers;
  std::unordered_map<const Graph*, std::uint64_t> scopes;
  std::vector<const Graph*> graphs;  // outer ones first
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_GRAPH_SIDE_H_
