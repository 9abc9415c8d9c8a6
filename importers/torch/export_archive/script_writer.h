// SPDX-License-Identifier: Apache-2.0
// Writes nodes of torch.export as those of TorchScript.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_WRITER_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/lowering/composed.h"
#include "core/support/result.h"
#include "importers/torch/export_archive/prims.h"
#include "importers/torch/export_archive/tree_spec.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/block_builder.h"

namespace dragoman::torch {

// The values that Symbols in an argument stand for, by index: the operands of a node, or the
// outputs of a graph.
using ValuesOf = std::function<Value*(std::size_t index)>;
ValuesOf OutputValues(const Graph& graph);
ValuesOf OperandValues(const Node& node);

// Of 3 or {as_int = 3}; nullopt: it is not a known size.
std::optional<std::int64_t> SizeIn(const Attribute& size);
// The index that an argument or result has if it is a value, a tensor.
std::optional<std::size_t> IndexOf(const Attribute& argument);
// What the file says the results of a node are, one a result of the operator.
Attribute::List ResultsOf(const Node& node);
// Argument number `index`; nullptr: there are fewer.
const Attribute* ArgumentOf(const Node& node, std::size_t index);
// The outputs of a graph within a graph, encoded.
Attribute::List EncodedOutputs(const Graph& graph);
// Whether an argument is a keyword one.
bool IsKeyword(const NamedAttribute& argument);

// The type of a tensor that a loop carries or collects.
inline Type LoopTensor() { return Type::Tensor(DType::kUnknown); }

class ScriptWriter {
 public:
  // Nodes are appended to `graph`. `sizes` are what is known of the symbols in the file's types;
  // `composed` are nodes that are one operator, if any are.
  explicit ScriptWriter(Graph& graph, std::map<std::string, Dim> sizes = {},
                        const ComposedNodes* composed = nullptr)
      : block_(&graph), sizes_(std::move(sizes)), composed_(composed) {}

  // `value` of the source is `written`.
  void Bind(const Value& value, Value* written) { values_[&value] = written; }

  Node* Append(const TorchOp& op, const std::vector<Value*>& operands);
  // With one result.
  Value* Append(const TorchOp& op, const std::vector<Value*>& operands, Type type,
                std::string name = "");

  Value* Bool(bool value);

  // All nodes of a graph of the source. Errors: arguments that do not fit an operator.
  Status WriteNodes(const Graph& source);
  // What an encoded argument (graph_reader.h) stands for.
  Result<Value*> Argument(const Attribute& argument, const ValuesOf& values);
  // `leaves` from `next` on, nested as `tree` says.
  Value* Nested(const TreeSpec& tree, std::span<Value* const> leaves, std::size_t& next);

 private:
  // script_writer.cc
  Status WriteNode(const Node& node);
  static Error PlacedAt(const Node& node, Error error);
  Status WriteOperator(const Node& node);
  Status WriteNumbers(const Node& node, const TorchOp& op);
  Status WriteForeign(const Node& node);
  Status WriteKept(const Node& node);
  Status WriteForward(const Node& node, const Schema& schema);
  // Operands in the order of `schema`, of a node that calls some arguments as `renamed` says.
  Result<std::vector<Value*>> OperandsOf(const Node& node, const Schema& schema,
                                         std::span<const RenamedArgument> renamed = {});
  // Gives the results of `node` those of `written`, to which they are added.
  Status BindResults(const Node& node, Node& written, const Schema* schema);
  Result<Value*> Mapped(const Value* value);
  Value* CastTo(Value* value, DType dtype);
  Result<Value*> Word(const std::string& tag, const Attribute& value, const ValuesOf& values);
  Value* Constant(Attribute value, Type type);
  // The value of an argument that is not given. Errors: it has none.
  Result<Value*> Default(const SchemaArgument& formal, const OpName& op);
  Value* Int(std::int64_t value);

  // script_control.cc
  using Control = Status (ScriptWriter::*)(const Node& node);
  static Control FindControl(const OpName& op);
  Status WriteCond(const Node& node);
  Status WriteChoice(const Node& node);
  Status WriteSum(const Node& node);
  Status WriteGradRegion(const Node& node);
  Status WriteAutocastRegion(const Node& node);
  Status WriteSubgraphCall(const Node& node);
  Status WriteGraphCall(const Node& node);
  Status WriteAssert(const Node& node);
  Status WriteNothing(const Node& node);
  Status PassToken(const Node& node);
  Status WriteRegion(const Node& node, const Graph& graph, std::size_t first,
                     std::size_t last = SIZE_MAX);
  Result<const Graph*> GraphArgument(const Node& node, std::size_t index) const;
  // The values of arguments `first` to `last`; lists are taken apart.
  Result<std::vector<Value*>> Flat(const Node& node, std::size_t first, std::size_t last);
  Status AddFlat(const Attribute& argument, const ValuesOf& values, std::vector<Value*>& flat);
  // The nodes of `graph` on `operands`; gives its outputs, flat.
  Result<std::vector<Value*>> Inline(const Graph& graph, const std::vector<Value*>& operands);
  // `condition`, a tensor or a bool, as a bool.
  Result<Value*> Condition(const Attribute& argument, const ValuesOf& values);
  Value* ToBool(Value* value);
  Status BindFlat(const Node& node, const std::vector<Value*>& results);
  // A body of `node` to which `write` appends.
  Status WriteBlock(Node& node, std::string_view name, const std::function<Status(Graph&)>& write);

  // script_loops.cc
  Status WriteWhile(const Node& node);
  Status WriteMap(const Node& node);
  Status WriteAssociativeScan(const Node& node);
  Status WriteScan(const Node& node);
  // Runs over the first axis of `xs`: carried values first, then results that are stacked.
  Status WriteScanLoop(const Node& node, const Graph& body, const std::vector<Value*>& carried,
                       const std::vector<Value*>& xs, const std::vector<Value*>& further);
  Result<Value*> GoesOn(const Graph& condition, std::vector<Value*> values,
                        const std::vector<Value*>& further);
  Value* IterationsOf(Value* list);

  // script_composed.cc
  Status WriteNodeOrOperator(const Node& node);
  Status WriteComposed(const ComposedStatements& composed);

  // script_vmap.cc
  // Nodes one after the other; a region of vmap as a whole.
  Status WriteGroups(std::span<const Node* const> nodes);
  Status WriteVmap(std::span<const Node* const> nodes);
  Status WriteStacked(const Node& node, Value* list, bool is_empty);

  // script_sizes.cc
  // Operators whose results depend on sizes known at run time, as far as the file states them.
  bool DependsOnSizes(const Node& node) const;
  Status WriteBySizes(const Node& node);
  Status WriteSqueeze(const Node& node);
  Status WriteParts(const Node& node);
  Value* SizeOf(Value* tensor, std::int64_t axis);
  Value* OfInts(std::string_view name, Value* a, Value* b, std::string_view overload = "int");
  Status WriteRaiseUnless(Value* holds, const std::string& message);

  // script_calls.cc
  Status WriteWiderCall(const Node& node);
  Status WriteOrderedCall(const Node& node);
  Status WritePrint(const Node& node);
  // The operator that argument `index` names. Errors: it names none, or one without a schema.
  Result<const Schema*> NamedSchema(const Node& node, std::size_t index);
  // Operands of that operator: arguments of `node` from `first` on.
  Result<std::vector<Value*>> CallOperands(const Node& node, const Schema& schema,
                                           std::size_t first);

  // script_functionalized.cc
  Status WriteFunctionalized(const Node& node);
  Status WriteFunctionalizedViews(const Node& node);
  Result<Value*> ViewOf(const Node& node, const std::string& name,
                        const std::vector<Value*>& bases);
  Result<Value*> ViewsOf(const Node& node, const SchemaArgument& formal,
                         const std::vector<Value*>& bases);
  Result<Value*> CopiedArgument(const Attribute& argument, const ValuesOf& values,
                                std::vector<Value*>& mutated);
  Value* CopyOf(Value* tensor);
  Value* ListOf(const std::vector<Value*>& tensors);
  Status WriteMutable(const Node& node, const Schema& schema, const std::vector<Value*>& operands,
                      const std::vector<Value*>& mutated);

  Graph* block_;
  std::map<std::string, Dim> sizes_;
  const ComposedNodes* composed_;
  OriginPtr origin_;
  std::optional<DType> autocast_;  // the type of the region under autocast
  std::optional<DType> cast_to_;   // what tensors are converted to as arguments
  std::unordered_map<const Value*, Value*> values_;
  SchemaTable schemas_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_WRITER_H_
