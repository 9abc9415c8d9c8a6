// SPDX-License-Identifier: Apache-2.0
// What the lowering of one entry works on: the graph that it fills, the cells of its program, and
// what it found that cannot be lowered.
//
// Bodies of If and Loop are graphs of their own. While a stretch of the program runs for itself (a
// branch, a pass over a loop's body), nodes go to its body; the stretch may then be dropped, or
// become a body of a node (branch.h, loop.h).
#ifndef DRAGOMAN_CORE_LOWERING_ENTRY_BUILDER_H_
#define DRAGOMAN_CORE_LOWERING_ENTRY_BUILDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/lowering/merge.h"
#include "core/support/result.h"

namespace dragoman {

// How a stretch of the program ended: kRaised by an exception.
enum class Flow : std::uint8_t { kNext, kRaised };

// Runs a stretch of the program, which gives `results` if it ends with kNext.
using RunStretch = std::function<Flow(std::vector<Abstract>& results)>;

// A stretch that was run for itself: what it appended, gave, and left in cells. The cells are as
// they were before it.
struct Side {
  Side() = default;
  Side(Side&&) = default;
  Side& operator=(Side&&) = default;
  // A body that no node took ends here, and with it what inference knows of its values: others may
  // come to lie where they did.
  ~Side();

  Inference* inference = nullptr;
  std::shared_ptr<Graph> body;
  std::unique_ptr<GraphBuilder> builder;
  Flow flow = Flow::kNext;
  std::string raised;  // what the exception says
  std::vector<Abstract> results;
  std::vector<CellChange> changes;
};

class EntryBuilder {
 public:
  // Nodes go to `graph`. Constants of cells become constants of it.
  EntryBuilder(Heap& heap, Graph& graph, Inference& inference);
  EntryBuilder(const EntryBuilder&) = delete;
  EntryBuilder& operator=(const EntryBuilder&) = delete;

  Heap& heap() { return heap_; }
  Inference& inference() { return inference_; }
  // Of the graph that nodes go to at present.
  GraphBuilder& builder() { return *builder_; }
  // Whether a stretch is run for itself: a program may never come there.
  bool in_side() const { return builder_ != &root_; }

  // What was found unsupported. A stretch that is run again drops what it reported before.
  std::vector<Finding> findings;
  // What the exception that is under way says.
  std::string raised;

  // An empty body whose builder has the present origin.
  Side NewSide();
  // Runs a stretch in a body of its own.
  Side RunSide(const RunStretch& run);
  // The same in the body of `side`, which is empty or has inputs.
  void RunInto(Side& side, const RunStretch& run);
  // The values of side a, or b, of `leaves`, in the state that `side` ends with. A placeholder is
  // of the type in `types`; without `types` it is left out as nullptr.
  Result<std::vector<Value*>> ReadSide(Side& side, std::span<const Leaf> leaves, bool of_a,
                                       std::span<const Type> types = {});
  // Makes `values` the next outputs of the body: each once, none of another graph.
  static Status AddOutputs(Side& side, std::span<Value* const> values);
  // Erases the nodes after `last` from the present graph.
  void EraseAfter(Node* last);

 private:
  Heap& heap_;
  Inference& inference_;
  std::unordered_set<std::string> names_;
  GraphBuilder root_;
  GraphBuilder* builder_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ENTRY_BUILDER_H_
