// The evaluator: runs a TorchScript program on abstract values (abstract.h), and what it cannot
// know beforehand becomes nodes of the common graph.
//
// Conditions that are known choose a branch. Unknown ones become an If: both branches are run, each
// in a stretch of the heap, and what they change or give is merged (merge.h). Loops of known, short
// length are unrolled; all others become a Loop, whose carried values are found by running the body
// until what it changes is stable. An exception that a branch raises becomes an Assert on the
// condition in front of it, and the other branch is taken.
//
// What is unsupported is recorded, stands as Poison, and the run goes on: all findings are told at
// once.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_EVALUATOR_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_EVALUATOR_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/builder.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torchscript/abstract.h"
#include "importers/torchscript/heap.h"
#include "importers/torchscript/loaded_cells.h"
#include "importers/torchscript/merge.h"
#include "importers/torchscript/ops/op_lowering.h"
#include "importers/torchscript/schema.h"

namespace dragoman::torchscript {

// Blocks and calls together nest so deep at most.
inline constexpr int kMaxEvaluationDepth = 400;
// Loops whose length is known are unrolled up to so many turns, or as long as they append fewer
// nodes than this.
inline constexpr std::int64_t kMaxUnrolledTurns = 32;
inline constexpr std::size_t kMaxUnrolledNodes = 2000;
// The same where no Loop can say it.
inline constexpr std::int64_t kMaxForcedTurns = 10'000;
inline constexpr std::size_t kMaxForcedNodes = 200'000;

class Evaluator {
 public:
  // Appends to `graph`, the graph of an entry. `cells` are those of the model's states.
  Evaluator(const Model& source, const LoadedCells& cells, SchemaTable& schemas, Heap& heap,
            Graph& graph, Inference& inference);

  GraphBuilder& builder() { return *builder_; }

  // Runs a function. Uninitialized if it raised an exception, which is then a finding.
  Abstract Run(const Graph& function, std::vector<Abstract> arguments);

  const std::vector<Finding>& findings() const { return findings_; }

 private:
  // How a stretch of the program ended.
  enum class Flow : std::uint8_t { kNext, kRaised };

  struct Frame {
    std::unordered_map<const Value*, Abstract> values;
  };

  using Known = std::vector<std::pair<const Value*, Abstract>>;

  // A branch that was run for itself.
  struct Side {
    std::shared_ptr<Graph> body;
    std::unique_ptr<GraphBuilder> builder;
    Flow flow = Flow::kNext;
    std::vector<Abstract> results;
    std::vector<CellChange> changes;
  };

  // evaluator.cc
  Flow RunNodes(const Graph& graph, Frame& frame);
  Flow RunNode(const Node& node, Frame& frame);
  Flow RunBlock(const Graph& graph, Frame& frame, std::vector<Abstract>& results);
  Flow RunConstant(const Node& node, Frame& frame);
  Flow RunCall(const Node& node, Frame& frame);
  Flow RunChoice(const Node& node, const Choice& choice, Frame& frame);
  Flow CallFunction(const Graph& function, std::vector<Abstract> arguments,
                    std::vector<Abstract>& results);
  Flow RunFork(const Node& node, Frame& frame);
  Flow RunContext(const Node& node, Frame& frame);
  Flow RunRaise(const Node& node, Frame& frame);
  void RunOperator(const Node& node, Frame& frame);
  Result<Results> Lower(const Node& node, std::span<const Abstract> arguments);
  Result<Results> LowerInPlace(const Node& node, const OpLowering& lower,
                               std::span<const std::string> names,
                               std::span<const Abstract> arguments);
  Result<Results> LowerOut(const Node& node, const OpLowering& lower, const Schema& schema,
                           std::span<const std::string> names, std::span<const Abstract> arguments);
  Result<const Graph*> Method(const Abstract& object, const std::string& name) const;
  const Abstract& Get(const Value* value, const Frame& frame) const;
  std::vector<Abstract> Operands(const Node& node, const Frame& frame) const;
  void SetResults(const Node& node, Frame& frame, std::vector<Abstract> results);
  void Poisoned(const Node& node, Frame& frame);
  void Report(const Node& node, const Error& error);

  // evaluate_branch.cc
  Flow RunIf(const Node& node, Frame& frame);
  Flow RunEither(const Node& node, Value* condition, Frame& frame);
  // Makes optionals whose presence `condition` tells what they are where it is `holds`. Gives what
  // they were.
  static Known Refine(const Value* condition, bool holds, Frame& frame);
  Flow CallChosen(const Node& node, const Choice& choice, std::size_t from,
                  const std::vector<Abstract>& operands, std::vector<Abstract>& results);
  Side RunSide(const std::function<Flow(std::vector<Abstract>&)>& run);
  Side RunSide(const Graph& graph, Frame& frame);
  Status Expect(Value* condition, bool expected, const std::string& message);
  Result<std::vector<Abstract>> MergeSides(const Node& node, Value* condition, Side& then_side,
                                           Side& else_side);
  // Tells the heap which storages result `i` of a condition, `merged`, may be another name of.
  void NoteChoice(const Abstract& merged, std::size_t i, const Side& then_side,
                  const Side& else_side);
  struct SideValues {
    std::vector<Value*> then_values;
    std::vector<Value*> else_values;
  };
  // The value of each leaf on either side. Errors: element types that differ.
  Result<SideValues> ReadSides(Side& then_side, Side& else_side, std::span<const Leaf> leaves);
  // The results of an If, one a leaf; without leaves and effects nothing is appended.
  Result<std::vector<Value*>> AppendIf(Value* condition, Side& then_side, Side& else_side,
                                       std::span<const Leaf> leaves);
  Result<std::vector<Value*>> ReadSide(Side& side, std::span<const Leaf> leaves, bool of_a,
                                       const std::vector<Type>& types);
  Status AddOutputs(Side& side, std::span<Value* const> values);

  // evaluate_loop.cc
  struct LoopPlan;
  struct LoopPass;
  enum class Unrolled : std::uint8_t { kDone, kRaised, kGaveUp };
  Flow RunLoop(const Node& node, Frame& frame);
  Unrolled Unroll(const Node& node, Frame& frame, std::int64_t max_turns, std::size_t max_nodes);
  void EraseAfter(Node* last);
  Status BuildLoop(const Node& node, Frame& frame);
  Result<bool> RunPass(const Node& node, Frame& frame, LoopPlan& plan, LoopPass& pass);
  std::vector<Abstract> RunBody(const Node& node, Frame& frame, LoopPlan& plan, LoopPass& pass);
  Result<bool> CompareTurn(const Graph& body, const std::vector<Abstract>& given,
                           std::uint64_t last, LoopPass& pass);
  Status Replan(const Node& node, LoopPlan& plan, LoopPass& pass);
  Status FinishLoop(const Node& node, Frame& frame, LoopPlan& plan, LoopPass& pass);

  const Model& source_;
  const LoadedCells& cells_;
  SchemaTable& schemas_;
  Heap& heap_;
  Inference& inference_;
  std::unordered_set<std::string> names_;
  GraphBuilder root_;
  GraphBuilder* builder_;
  std::vector<Finding> findings_;
  std::string raised_;  // what the exception that is under way says
  int depth_ = 0;
};

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_EVALUATOR_H_
