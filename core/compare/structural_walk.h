// SPDX-License-Identifier: Apache-2.0
// The walk over two models at once that forces a one-to-one map.
#ifndef DRAGOMAN_CORE_COMPARE_STRUCTURAL_WALK_H_
#define DRAGOMAN_CORE_COMPARE_STRUCTURAL_WALK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/compare/constant_table.h"
#include "core/compare/equal.h"
#include "core/compare/symbol_map.h"
#include "core/compare/traits.h"
#include "core/support/flat_map.h"

namespace dragoman::compare {

// Pairs are made breadth first: a frame is a pair of graphs, a pair two nodes. Making a pair binds
// both nodes for good; working on it compares op, attributes and operands, and makes further pairs.
// Types come last, in list order, so that of all types that follow from one the first is named.
class StructuralWalk {
 public:
  StructuralWalk(const Model& a, const Model& b, const CompareOptions& options);

  std::optional<Difference> Run();

 private:
  using NodeNumbers = FlatMap<const Node*, std::uint32_t>;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  enum class Via : std::uint8_t { kOperand, kOutput, kEffect, kUnreachable };
  // How the walk came to a place: operand `index` of pair `from`, or number `index` of frame
  // `from`.
  struct Trail {
    Via via;
    std::uint32_t from;
    std::uint32_t index;
  };
  struct Frame {
    const Graph* a;
    const Graph* b;
    std::uint32_t owner;  // the pair whose subgraphs these are, or kNone
    std::uint32_t root;   // the frame of the entry or function
    std::string label;
  };
  struct Pair {
    const Node* a;
    const Node* b;
    Trail trail;
  };

  // All of these return false after a difference was noted.
  bool CompareHeads();
  bool CompareStates();
  bool PairEntries();
  bool CompareEntry(const Entry& a, const Entry& b);
  void AddFrame(const Graph& a, const Graph& b, std::uint32_t owner, std::string label);
  bool Drain();
  bool WorkOnFrame(std::uint32_t frame);
  bool WorkOnPair(std::uint32_t pair);
  bool MatchValues(const Value* a, const Value* b, Trail trail);
  bool MatchNodes(const Node* a, const Node* b, Trail trail);
  bool MatchCallees(const Node& a, const Node& b, std::uint32_t pair);
  bool MatchFunctions(std::size_t a, std::size_t b);
  bool MatchFunctionHeads(const Function& a, const Function& b);
  bool SameSymbols(const Symbol& a, const Symbol& b);
  bool MatchResults(const Node& a, const Node& b, std::uint32_t pair);
  bool MatchAttributes(const Node& a, const Node& b, std::uint32_t pair);
  // Not a finding by themselves: false if the values differ. Graphs become frames.
  bool SameAttributes(const Attribute& a, const Attribute& b, std::string_view name,
                      std::uint32_t pair);
  bool SameLeaves(const Attribute& a, const Attribute& b, std::string_view name,
                  std::uint32_t pair);
  bool PairUnreachable();
  bool PairUnreachableOf(std::uint32_t frame);
  std::vector<const Node*> Unpaired(const Graph& graph, const NodeNumbers& pair_of) const;
  std::vector<std::uint64_t> Colors(std::span<const Node* const> nodes, const NodeNumbers& pair_of);
  bool PairUncalledFunctions();
  bool CompareUnusedConstants();
  bool CompareTypes();
  bool CompareTypesOf(const Frame& frame);

  bool Fail(std::string reason, const Trail* trail, std::string place_a, std::string place_b,
            std::string expected, std::string found);
  bool FailAtPair(std::string reason, std::uint32_t pair, std::string expected, std::string found);
  bool FailAtEdge(std::string reason, const Trail& trail, const Value* a, const Value* b);
  bool FailAtFrame(std::string reason, std::uint32_t frame, std::string expected,
                   std::string found);
  std::string EdgePlace(const Trail& trail, bool of_b) const;
  void AppendPath(const Trail& trail, std::vector<std::string>& reversed) const;
  void AppendFramePath(std::uint32_t frame, std::vector<std::string>& reversed) const;

  const Model& a_;
  const Model& b_;
  const CompareOptions& options_;
  TraitTable traits_;
  ConstantTable constants_;
  SymbolMap symbols_;
  std::vector<Frame> frames_;
  std::vector<Pair> pairs_;
  std::size_t next_frame_ = 0;
  std::size_t next_pair_ = 0;
  NodeNumbers pair_of_a_;
  NodeNumbers pair_of_b_;
  std::unordered_map<const Graph*, std::uint32_t> frame_of_;  // of the first model's graphs
  std::unordered_map<const Graph*, const Graph*> graph_of_;   // both ways
  std::unordered_map<const Graph*, OrderedNodes> ordered_;  // by the graph of an entry or function
  std::unordered_map<const OpName*, std::size_t> functions_a_;  // by the name that nodes call
  std::unordered_map<const OpName*, std::size_t> functions_b_;
  std::vector<std::size_t> function_of_a_;  // its partner, or kNone
  std::vector<std::size_t> function_of_b_;
  std::optional<Difference> difference_;
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_STRUCTURAL_WALK_H_
