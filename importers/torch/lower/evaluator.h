// SPDX-License-Identifier: Apache-2.0
// The evaluator: runs a TorchScript program on abstract values (core/lowering/abstract.h), and what
// it cannot know beforehand becomes nodes of the common graph.
//
// Conditions that are known choose a branch; unknown ones become an If (core/lowering/branch.h).
// Loops are unrolled or become a Loop (core/lowering/loop.h).
//
// What is unsupported is recorded, stands as Poison, and the run goes on: all findings are reported
// at once.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_EVALUATOR_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_EVALUATOR_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/model.h"
#include "core/lowering/entry_builder.h"
#include "core/support/result.h"
#include "importers/torch/lower/loaded_cells.h"
#include "importers/torch/ops/op_lowering.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {

// Blocks and calls together nest so deep at most.
inline constexpr int kMaxEvaluationDepth = 400;
// As often at most an if goes on after it on either way.
inline constexpr int kMaxSplitIfs = 16;

class Evaluator {
 public:
  // Appends to `graph`, the graph of an entry. `cells` are those of the model's states.
  Evaluator(const Model& source, const LoadedCells& cells, SchemaTable& schemas, Heap& heap,
            Graph& graph, Inference& inference);

  GraphBuilder& builder() { return entry_.builder(); }

  // Runs a function. Uninitialized if it raised an exception, which is then a finding.
  Abstract Run(const Graph& function, std::vector<Abstract> arguments);

  const std::vector<Finding>& findings() const { return entry_.findings; }

  // Those that are run and not lowered: "prim.If".
  static std::vector<std::string> ControlOperators();

 private:
  struct Frame {
    void Set(const Value* value, Abstract abstract);

    std::unordered_map<const Value*, Abstract> values;
    // Values that were optionals, by what says whether they are there.
    std::unordered_map<const Value*, std::vector<const Value*>> optionals;
  };

  using Known = std::vector<std::pair<const Value*, Abstract>>;

  struct ControlRow {
    std::string_view type;
    Flow (Evaluator::*run)(const Node&, Frame&);
  };
  static std::span<const ControlRow> ControlRows();

  // evaluator.cc
  // From `first` on, which is nullptr for none.
  Flow RunNodes(const Graph& graph, const Node* first, Frame& frame);
  Flow RunNode(const Node& node, Frame& frame);
  Flow RunBlock(const Graph& graph, Frame& frame, std::vector<Abstract>& results);
  Flow RunConstant(const Node& node, Frame& frame);
  Flow RunCall(const Node& node, Frame& frame);
  Flow RunChoice(const Node& node, const Choice& choice, Frame& frame);
  Flow CallFunction(const Graph& function, std::vector<Abstract> arguments,
                    std::vector<Abstract>& results);
  Flow RunFork(const Node& node, Frame& frame);
  Flow RunContext(const Node& node, Frame& frame);
  void EnterOrLeaveRegion(const Node& node, const Abstract& context, bool enters);
  // Casts the tensors among the arguments of an operator in a region under autocast.
  Status CastOperands(const Node& node, std::vector<Abstract>& arguments);
  Flow RunRaise(const Node& node, Frame& frame);
  Flow RunOperator(const Node& node, Frame& frame);
  Flow RaiseRefusal(const Node& node, const Error& error);
  Result<Results> Lower(const Node& node, std::span<const Abstract> arguments);
  Result<Results> LowerInPlace(const Node& node, const OpLowering& lower,
                               std::span<const std::string> names,
                               std::span<const Abstract> arguments);
  Result<Results> LowerInPlaceAxes(Call& call, const OpLowering& lower, const TensorRef& self);
  Result<Results> LowerOut(const Node& node, const OpLowering& lower, const Schema& schema,
                           std::span<const std::string> names, std::span<const Abstract> arguments);
  Status WriteOut(Call& call, const Abstract& target, const Abstract& computed);
  Result<const Graph*> Method(const Abstract& object, const std::string& name) const;
  const Abstract& Get(const Value* value, const Frame& frame) const;
  std::vector<Abstract> Operands(const Node& node, const Frame& frame) const;
  void SetResults(const Node& node, Frame& frame, std::vector<Abstract> results);
  void Poisoned(const Node& node, Frame& frame);
  void Report(const Node& node, const Error& error);

  // evaluate_control.cc
  Flow RunIf(const Node& node, Frame& frame);
  Flow RunEither(const Node& node, Value* condition, Frame& frame);
  // What RunEither is for, where the results of both ways have no common form, or not the same
  // rank: all that follows `node` is run on either way, up to the end of a block, whose results are
  // merged. An if around it that goes on as well, or whose condition is known, does not end it.
  Result<Flow> RunEitherToEnd(const Node& node, Value* condition, Frame& frame);
  bool GoesOnBehind(const Node* node) const;
  bool HasNodesBehind(const Node& node) const;
  const Graph& LastBlock(const Node& node) const;
  Flow RunBehind(const Node& node, Frame& frame);
  // Makes optionals whose presence `condition` decides what they are where it is `holds`. Gives
  // what they were.
  static Known Refine(const Value* condition, bool holds, Frame& frame);
  Flow CallChosen(const Node& node, const Choice& choice, std::size_t from,
                  const std::vector<Abstract>& operands, std::vector<Abstract>& results);
  Flow RunLoop(const Node& node, Frame& frame);
  // Runs blocks for nothing but what else in them is unsupported.
  Flow RunForFindings(const Node& node, Frame& frame, std::initializer_list<const Graph*> blocks);

  // composed_operator.cc
  Flow RunComposed(const Node& node, Frame& frame);

  // Whether the SizeBudget does not last for `node`, and so for none after it.
  bool IsExhausted(const Node& node);

  const Model& source_;
  const bool has_quantized_tensors_;  // else rounding to a grid is an operator of its own
  const LoadedCells& cells_;
  SchemaTable& schemas_;
  Heap& heap_;
  EntryBuilder entry_;
  int depth_ = 0;
  // The ifs that run, each way of which goes on after them, or whose condition is known.
  std::vector<const Node*> split_;
  int splits_ = 0;                   // how often an if went on after it
  const Graph* ended_ = nullptr;     // a block whose results are known though it is not at its end
  const Node* exhausted_ = nullptr;  // the first that the SizeBudget did not last for
  bool has_unmerged_ = false;        // an if in the block that runs has results of no common form
  std::vector<std::optional<DType>> autocast_;  // types of the regions around what runs
  std::optional<Finding> refused_;              // of the exception being raised
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_EVALUATOR_H_
