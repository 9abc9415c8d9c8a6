// SPDX-License-Identifier: Apache-2.0
// The evaluator: runs graphs of TensorFlow on abstract values (core/lowering/abstract.h); what is
// not known beforehand becomes nodes of the common graph.
//
//   - a tensor is a cell of its own, since tensors do not change; a variable is a cell that its
//     handles share;
//   - a TensorList or TensorArray is as ops/lists.h says;
//   - control flow of version 1 is run as regions (regions.h), that of version 2 calls functions.
//
// What is unsupported is recorded, stands as Poison, and the run goes on: all is reported at once.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_EVALUATOR_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_EVALUATOR_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/branch.h"
#include "core/lowering/entry_builder.h"
#include "core/lowering/loop.h"
#include "core/support/result.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/lower/regions.h"
#include "importers/tensorflow/lower/tables.h"
#include "importers/tensorflow/lower/variables.h"

namespace dragoman::tf {

// Calls nest so deep at most.
inline constexpr int kMaxCallDepth = 200;

// Sizes, by the names of their symbols, that are others for what is carried by a loop.
using FittedSizes = std::map<std::string, Dim>;

class Evaluator {
 public:
  // Appends to `graph`, the graph of an entry.
  Evaluator(const Model& source, const Variables& variables, const Tables& tables, Heap& heap,
            Graph& graph, Inference& inference);

  GraphBuilder& builder() { return entry_.builder(); }

  // Runs the main graph with `feeds` ("node:0") in place of what computes them, and gives
  // `fetches`.
  std::vector<Abstract> RunMain(std::span<const std::string> feeds,
                                std::span<const Abstract> values,
                                std::span<const std::string> fetches);

  std::vector<Finding>& findings() { return entry_.findings; }

 private:
  // One call of a function, or the main graph.
  struct Scope {
    std::string path;                   // the calls around it: "f/g"
    std::vector<NamedAttribute> bound;  // what the call states of attributes
    std::unordered_map<const Value*, Abstract> values;
    bool in_calls = true;  // nothing but calls is around it: no conditions and loops
  };
  // A tensor of a called function that has a given value: "call/node:0".
  struct FedInCall {
    std::string tensor;
    Abstract value;
    bool used = false;
  };
  // A tensor of a called function that is an output: result `index` of the last node of `path`,
  // after the calls that lead there.
  struct FetchedInCall {
    std::vector<const Node*> path;
    std::size_t index = 0;
    std::optional<Abstract> value;
  };

  using Results = std::vector<Abstract>;

  // evaluator.cc
  Flow RunRegion(const Region& region, Scope& scope);
  Flow RunNode(const Node& node, Scope& scope);
  void RunOperator(const Node& node, Scope& scope);
  Result<Results> Lower(const Node& node, std::span<const Abstract> operands, Scope& scope);
  Result<Abstract> LowerConst(const Node& node, Scope& scope);
  Flow CallFunction(const Node& node, const FuncRef& callee, std::vector<Abstract> arguments,
                    const Scope& scope, Results& results);
  // What computes the outputs of a function, or what else is wanted of it; given the tensors of it
  // that are fed.
  Result<std::shared_ptr<const Region>> RegionOf(const Graph& graph,
                                                 const std::unordered_set<const Value*>& fed,
                                                 const Scope& scope);
  // Sets those of the function that is called, and gives them.
  std::unordered_set<const Value*> FeedCall(const Graph& body, Scope& scope);
  // The tensor that `fetch` wants of `graph`, which `scope` runs, or a result of the call there
  // that leads to it; nullptr: it wants nothing there.
  static const Value* WantedIn(const FetchedInCall& fetch, const Graph& graph, const Scope& scope);
  // Counts what is not needed among what is fed, without a value.
  void LeaveOut(const Graph& graph, Scope& scope, std::unordered_set<const Value*>& fed);
  Flow RunPartitionedCall(const Node& node, Scope& scope);
  const Abstract& Get(const Value* value, const Scope& scope) const;
  // Operand `i` of a node that gives it again: of a variable of version 1 what it holds now, unless
  // the node passes references.
  Abstract Passed(const Node& node, std::size_t i, const Scope& scope);
  std::vector<Abstract> Operands(const Node& node, const Scope& scope) const;
  static void SetResults(const Node& node, Scope& scope, Results results);
  void Report(const Node& node, const Error& error, const Scope& scope);
  OriginPtr OriginOf(const Node& node, const Scope& scope);

  // evaluate_control.cc
  Flow RunCond(const CondStep& step, Scope& scope);
  static void SetMerges(const CondStep& step, Scope& scope, const Results& results);
  Flow RunFrame(const LoopStep& step, Scope& scope);
  Flow RunIf(const Node& node, Scope& scope);
  Flow RunCase(const Node& node, Scope& scope);
  // Runs the branch that the tensor `chooses` names, or both. Errors are reported at `node`.
  Flow RunSides(const Node& node, const Abstract& chooses, Branches branches, const Scope& scope,
                Results& results);
  // Runs both branches (core/lowering/branch.h). Lists that one of them stacks are stacked in both.
  // Errors are reported at `node`.
  Flow RunEither(const Node& node, Value* condition, Branches branches, const Scope& scope,
                 Results& results);
  // Ways of which a number chooses one: the last where it is out of range.
  struct Ways {
    std::size_t count = 0;
    std::function<Flow(std::size_t way, Results& results)> run;
  };
  Flow RunChosen(const Node& node, const Abstract& index, const Ways& ways, const Scope& scope,
                 Results& results);
  // Those from number `from` on, by an If for each but the last.
  Flow RunWaysFrom(std::size_t from, const Node& node, Value* index, const Ways& ways,
                   const Scope& scope, Results& results);
  Flow RunWhile(const Node& node, Scope& scope);
  // Whether a tensor counts as true; an error where it is not a tensor.
  Result<Number> Truth(const Abstract& value);
  std::optional<FuncRef> FunctionAttribute(const Node& node, std::string_view name,
                                           const Scope& scope);
  using LoopBody = std::function<Flow(const std::vector<Abstract>& carried, Results& results)>;
  // Runs `body` while `condition` gives true. `resizes`: the body may state the length of a list.
  Flow RunIterations(const Node& node, std::vector<Abstract> carried,
                     std::vector<std::string> names, const LoopBody& condition,
                     const LoopBody& body, bool resizes, const Scope& scope, Results& results);
  // RunLoop (core/lowering/loop.h), with lists stacked that either the iterations or what they
  // begin with stack. Errors are reported at `node`.
  Flow RunWithForms(const Node& node, SourceLoop loop, const Scope& scope, Results& results);
  // Whether a function, or one that it calls, has an operator of this type.
  bool Has(const std::string& function, std::string_view type) const;
  // Lists of which nothing was set yet get the sizes of what the first iteration sets; empty ones
  // only where they are resized, which a sequence cannot be.
  Status StackLists(std::vector<Abstract>& carried, const LoopBody& body, bool resizes);
  Result<FittedSizes> FitSizes(std::vector<Abstract>& carried, const Results& after);
  std::vector<Value*> TensorsAmong(const std::vector<Abstract>& values);

  const Model& source_;
  const Variables& variables_;
  const Tables& tables_;
  Heap& heap_;
  EntryBuilder entry_;
  std::unordered_map<std::string, const Function*> library_;
  std::unordered_map<const Graph*, std::shared_ptr<const Region>> regions_;  // of functions
  std::vector<FedInCall> fed_in_calls_;
  std::vector<FetchedInCall> fetched_in_calls_;
  std::set<std::string> needed_;  // if something is fed or fetched in a call: the tensors that are
  std::unordered_map<const Node*, Abstract> constants_;
  std::unordered_map<const Node*, OriginPtr> origins_;
  std::vector<const Function*> calls_;  // under way
  bool exhausted_ = false;              // the SizeBudget is
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_EVALUATOR_H_
