// SPDX-License-Identifier: Apache-2.0
// Finding things in a source model of dialect tf (README.md says what stands where).
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GRAPH_NAMES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GRAPH_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"

namespace dragoman::tf {

inline constexpr std::string_view kDialect = "tf";

const OpName* MainGraphOp();                    // tf:graph.main
const Function* MainGraph(const Model& model);  // nullptr: there is none
// The function that a node of operator `op` calls; nullptr: a built-in operator.
const Function* FindFunction(const Model& model, const OpName& op);

bool IsControl(const Value* value);
// Control operands, results and outputs come after all others.
std::size_t NumDataOperands(const Node& node);
std::size_t NumDataResults(const Node& node);
std::size_t NumDataOutputs(const Graph& graph);

// "n", "n:1", "^n" in the main graph.
struct TensorName {
  std::string node;
  std::size_t index = 0;
  bool control = false;
};
TensorName ParseTensorName(std::string_view text);
// "n:1", also for index 0.
std::string FullTensorName(std::string_view node, std::size_t index);

// What two nodes that mean the same variable, table or stack have in common: container and
// shared_name, or the node's own name where it has none. Anonymous ones have their own.
std::string VariableName(const Node& node);
// Whether the node stands for a tensor that each run is given.
bool IsPlaceholder(const Node& node);
// Whether the node makes a variable: VarHandleOp, VariableV2, Variable.
bool IsVariable(const Node& node);
// Whether the node makes a table of keys and values: HashTableV2, MutableHashTableV2, ….
bool IsTable(const Node& node);

// The operator, of control flow of version 1 without what distinguishes its variants: the mark of
// those that take references (RefSwitch), and that of a Switch of several ways (_SwitchN).
std::string_view PlainType(const Node& node);

// The node of the main graph to run before all others; empty: none.
std::string InitOp(const Model& model);

// A file of a SavedModel. `tensor` ("vocabulary:0") holds its path in the main graph.
struct Asset {
  std::string tensor;
  std::string filename;  // as asset_file_def says it
  Buffer contents;
  bool present = false;  // false: the file is not there
};
std::vector<Asset> Assets(const Model& model);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GRAPH_NAMES_H_
