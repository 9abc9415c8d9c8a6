// SPDX-License-Identifier: Apache-2.0
// The worker behind LowerOnnx: walks source graphs in topological order and fills common graphs.
#ifndef DRAGOMAN_IMPORTERS_ONNX_GRAPH_LOWERING_H_
#define DRAGOMAN_IMPORTERS_ONNX_GRAPH_LOWERING_H_

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/builder.h"
#include "core/analysis/declared_types.h"
#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/onnx/op_lowering.h"

namespace dragoman {

// The call that a graph is being expanded for; the outermost has no function.
struct CallScope {
  const Function* function = nullptr;
  std::string path;                        // "/block1/attention", for Origins
  std::vector<NamedAttribute> attributes;  // of the call, what AttributeRefs stand for
  const std::vector<OpsetImport>* opsets = nullptr;
  const CallScope* caller = nullptr;
};

class OnnxGraphLowering {
 public:
  OnnxGraphLowering(const Model& source, const Facts& facts);

  // Lowers the graph of one entry.
  Result<std::unique_ptr<Graph>> LowerEntry(const Graph& graph);

  const DeclaredTypes& declared() const { return declared_; }

 private:
  using Map = std::unordered_map<const Value*, Value*>;  // source to common

  Status LowerInputs(const Graph& graph, GraphBuilder& builder);
  Status LowerConstants(const Graph& graph, GraphBuilder& builder);
  // Output `name` of what is known of its type.
  Status LowerOutput(const std::string& name, const Type& declared, Value* output,
                     GraphBuilder& builder);
  Status LowerOutputs(const Graph& graph, GraphBuilder& builder);

  // map_values.cc: a map is two values, its keys and what it maps them to; those of a list of maps
  // that have the same keys are (maps, entries).
  Status AddMapInput(const Value& input, GraphBuilder& builder);
  Status AddMapOutput(const Value& declared, GraphBuilder& builder);
  // Errors: graphs that nest more than kMaxNesting deep.
  Status LowerNodes(const Graph& graph, const CallScope& scope, GraphBuilder& builder);
  Status LowerNode(const Node& node, const CallScope& scope, GraphBuilder& builder);
  // Errors: a value is declared as of another element type.
  Status BindResults(const Node& node, const std::vector<Value*>& results);
  Result<std::vector<Value*>> LowerOperator(const Node& node, const CallScope& scope,
                                            GraphBuilder& builder);
  Result<std::vector<Value*>> LowerOtherDomain(const Node& node, const CallScope& scope,
                                               GraphBuilder& builder);
  // What a lowering function works with.
  Result<OpLowering> StartLowering(const Node& node, std::int64_t opset, const CallScope& scope,
                                   GraphBuilder& builder) const;
  // Lowers an operator that is copied or has a function of its own (nullptr: copied as `label`),
  // and notes in refused_sizes_ where it cannot take the sizes of its operands.
  Result<std::vector<Value*>> LowerOrCopy(const Node& node, std::string_view label,
                                          OnnxLowering lowering, std::int64_t opset,
                                          const CallScope& scope, GraphBuilder& builder);
  // Whether the operator takes operands of the same element types whose sizes are not known.
  bool TakesOtherSizes(const Node& node, std::string_view label, OnnxLowering lowering,
                       const OpLowering& refused, const CallScope& scope);
  Result<std::vector<Value*>> LowerForeign(const Node& node, const CallScope& scope,
                                           GraphBuilder& builder);
  Result<std::vector<Value*>> LowerConstantNode(const Node& node, const CallScope& scope,
                                                GraphBuilder& builder);

  // Calls of local functions.
  const Function* FindFunction(const Node& node) const;
  // The scope that the nodes of `function` are lowered in. Errors: a function that calls itself;
  // operands or results that it does not have; the SizeBudget is used up.
  Result<CallScope> EnterCall(const Node& node, const Function& function, const CallScope& scope);
  Result<std::vector<Value*>> InlineCall(const Node& node, const Function& function,
                                         const CallScope& scope, GraphBuilder& builder);
  // What the exporter made of a dragoman.Fused becomes one again.
  Result<std::vector<Value*>> LowerFused(const Node& node, const Function& function,
                                         const CallScope& scope, GraphBuilder& builder);

  // Nodes with bodies.
  Result<std::vector<Value*>> LowerIf(const Node& node, const CallScope& scope,
                                      GraphBuilder& builder);
  // One of the branches is the one that is taken.
  Result<std::vector<Value*>> LowerTaken(const Graph& branch, const CallScope& scope,
                                         GraphBuilder& builder);
  // The other branch refused the sizes of its operands by `error`: that it is taken becomes an
  // error of the run.
  Result<std::vector<Value*>> LowerOnlyBranch(const Graph& branch, Value* condition, bool holds,
                                              const Error& error, const CallScope& scope,
                                              GraphBuilder& builder);
  // Appends a dragoman.Assert that `condition`, which is not known, is `expected`.
  Status AssertInstead(Value* condition, bool expected, const Error& error, GraphBuilder& builder);
  Result<std::vector<Value*>> LowerLoop(const Node& node, const CallScope& scope,
                                        GraphBuilder& builder);
  // A Loop whose body refused the sizes of what the first iteration gets, by `error`: that there is
  // a iteration becomes an error of the run.
  Result<std::vector<Value*>> LowerIdleLoop(const Node& node, const std::vector<Value*>& operands,
                                            const Error& error, GraphBuilder& builder);
  Result<std::vector<Value*>> LowerScan(const Node& node, const CallScope& scope,
                                        GraphBuilder& builder);
  // Of opset 8, with a batch axis: a Scan over the batch whose body is a Scan over time.
  Result<std::vector<Value*>> LowerBatchedScan(const Node& node, const CallScope& scope,
                                               GraphBuilder& builder);
  // A Loop that appends to one sequence a result.
  Result<std::vector<Value*>> LowerSequenceMap(const Node& node, const CallScope& scope,
                                               GraphBuilder& builder);
  Result<std::vector<Value*>> LowerFlexAttention(const Node& node, const CallScope& scope,
                                                 GraphBuilder& builder);
  // What the body that is `attribute` makes of `x`; `x` itself where there is no such body.
  Result<Value*> LowerModifier(const Node& node, std::string_view attribute, Value* x,
                               const CallScope& scope, GraphBuilder& builder);
  Result<std::shared_ptr<Graph>> LowerBody(const Graph& body, const CallScope& scope,
                                           const std::vector<Type>& inputs);
  // Lowers a body whose inputs from `first_carried` on come back as its outputs from `first_output`
  // on: types that change on the way round are widened until they hold, and the body lowered for
  // those.
  Result<std::shared_ptr<Graph>> LowerLoopBody(const Graph& body, const CallScope& scope,
                                               std::vector<Type> inputs, std::size_t first_carried,
                                               std::size_t num_carried, std::size_t first_output);
  Result<std::vector<Value*>> AppendWithBodies(const Node& node, GraphBuilder& builder,
                                               std::string_view type,
                                               const std::vector<Value*>& operands,
                                               std::vector<NamedAttribute> attributes);

  // Branches have no inputs; some writers declare there the outer values that a branch reads, and
  // those are what inputs of these names stand for.
  Status BindBranchInputs(const Graph& branch, const Node& node);

  Result<const Graph*> Body(const Node& node, std::string_view attribute) const;
  // What stands for the operands of `node`; nullptr for one that is omitted.
  Result<std::vector<Value*>> Operands(const Node& node) const;
  // The same where, from operand `first` on, none may be. Errors: one is.
  Result<std::vector<Value*>> RequiredOperands(const Node& node, std::size_t first = 0) const;
  Result<Value*> Lookup(const Value* value) const;
  // Of an output of an entry or a body. Errors: it has no name, or stands for an omitted operand.
  Result<Value*> LookupOutput(const Use& output) const;
  Result<std::vector<NamedAttribute>> ResolveAttributes(const Node& node,
                                                        const CallScope& scope) const;
  // The version that is imported of the node's domain, if one is.
  std::optional<std::int64_t> ImportOf(const Node& node, const CallScope& scope) const;
  std::int64_t OpsetOf(const Node& node, const CallScope& scope) const;
  OriginPtr OriginOf(const Node& node, const CallScope& scope) const;

  const Model& source_;
  const Facts& facts_;
  DeclaredTypes declared_;
  Inference inference_;
  std::unordered_set<std::string> names_;
  Map values_;
  Map map_keys_;  // of values that are maps; values_ has what they map to
  std::unordered_map<const OpName*, const Function*> functions_;
  bool refused_sizes_ = false;  // why the error that is under way came about
  int depth_ = 0;               // of the graphs that are being lowered
};

// The type of a slice of `type` at one index of `axis`, which is left out.
Type SliceType(const Type& type, std::int64_t axis);

// The nodes of `graph` so that each comes after those whose results it, or a body of it, reads;
// otherwise in stored order. Errors: a cycle, naming a node on it.
Result<std::vector<const Node*>> TopologicalOrder(const Graph& graph);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_GRAPH_LOWERING_H_
