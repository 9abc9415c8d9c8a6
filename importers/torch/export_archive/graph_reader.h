// SPDX-License-Identifier: Apache-2.0
// Graphs of an ExportedProgram as source graphs: README.md, "torch.export".
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GRAPH_READER_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GRAPH_READER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/torch/export_archive/json.h"

namespace dragoman::torch {

class GraphReader {
 public:
  // Makes the value of input `index`, called `name`.
  using AddInput = std::function<Result<Value*>(std::size_t index, const std::string& name)>;

  // A graph within a graph where `depth` > 0.
  GraphReader(Graph& graph, int depth) : graph_(graph), depth_(depth) {}

  // Reads `json`, a Graph of the schema, into the graph.
  Status Read(const Json& json, const AddInput& add_input);
  // What stands for the arguments of the graph's outputs.
  const std::vector<Attribute>& outputs() const { return outputs_; }

 private:
  // Finds, or makes, the value that an argument names; gives the index that stands for it.
  using Refer = std::function<Result<std::size_t>(const std::string& name)>;

  Status ReadInputs(const Json& inputs, const AddInput& add_input);
  Status ReadNode(const Json& json);
  Status ReadArguments(const Json& inputs, Node& node);
  Status ReadOutputs(const Json& outputs);
  Status ReadTables(const Json& json);
  Status SetTypes(const std::string& table, Json& entries);
  Result<Attribute> Encode(const Json& argument, const Refer& refer);
  Result<Attribute> EncodeReferences(const Json& json, const Refer& refer);
  Result<Attribute> ReadSubgraph(const Json& json);
  Status Define(const std::string& name, Value* value);
  Result<Value*> Lookup(const std::string& name) const;

  Graph& graph_;
  const int depth_;
  std::map<std::string, Value*, std::less<>> values_;
  std::vector<Attribute> outputs_;
};

// The operator of a target: "torch.ops.aten.add.Tensor", "torch.ops.higher_order.cond",
// "_operator.add", "torch.sym_max".
const OpName* OpOfTarget(const std::string& target);
// The name of the value that an argument is; empty if it is a literal.
std::string ReferenceOf(const Json& argument);
// Whether the attribute stands for as_tensor, and which value.
bool IsPlainReference(const Attribute& argument, std::size_t index);
// The type that the TensorMeta `json` states. Errors: one that is not as the schema has it.
Result<Type> TypeOfTensorMeta(const Json& json);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GRAPH_READER_H_
