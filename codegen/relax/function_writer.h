// SPDX-License-Identifier: Apache-2.0
// Writes one function of a Relax module: a graph that one can call, or a body, which becomes a
// private function that others call.
//
// Nodes become bindings of dataflow blocks. What is no part of such a block (an If, an effect, a
// call of a function with effects) ends it, and another begins after.
//
// A private function sees nothing but its parameters. What a body captures of enclosing graphs, and
// the constants in it that are too large for the text, are parameters after its inputs; sizes that
// the types of parameters do not define come last, as one R.Shape.
#ifndef DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_
#define DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/relax/composed.h"
#include "codegen/relax/relax_op.h"
#include "codegen/relax/relax_text.h"
#include "codegen/relax/write_relax.h"
#include "codegen/tvm/extremes.h"
#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/text.h"

namespace dragoman::relax {

using Weights = std::vector<std::pair<std::string, Tensor>>;

// What the functions of a module share.
struct ModuleParts {
  RelaxOptions options;
  Weights weights;         // the constants that are parameters
  NameScope weight_names;  // unique in the module
  NameScope function_names;
  std::vector<FunctionText> private_functions;
  bool has_packed = false;  // packed_functions.h are called
};

// Whether a constant stands in the text, wherever it is read: scalars, and integers if they are
// few.
bool IsLiteral(const Value& constant);

// What `body` reads that is not its own: values of enclosing graphs and constants that are no
// literals, in the order in which nodes read them. Bodies of its nodes count as it.
std::vector<const Value*> CapturesOf(const Graph& body);

// A value that a function returns.
struct FunctionResult {
  enum class Form {
    kAsIs,
    kScalar,  // of one element, as a 0-d tensor
    kRow,     // with a first axis of 1 added
  };

  const Value* value = nullptr;
  Form form = Form::kAsIs;
};
// With a first axis of 1.
Type AsRow(const Type& type);

// Whether TVM knows all sizes of a result of this type. An annotation of the caller's is not a
// proof: a result that TVM does not know is cast before an operator reads it.
bool IsDeduced(const std::string& type);

// A private function that was written, as its caller sees it.
struct BodyFunction {
  std::string name;
  std::vector<Parameter> inputs;
  std::vector<Parameter> captured;     // after the inputs
  std::vector<std::string> arguments;  // for those, in names of the caller
  std::vector<std::string> results;    // types
  SymbolNames sizes;                   // that its signature defines
  NameScope names;                     // that it uses
  bool pure = true;
};

// How a body becomes a function.
struct BodyForm {
  std::string hint;  // of its name
  std::vector<const Value*> inputs;
  std::vector<FunctionResult> results;
  std::vector<std::pair<const Value*, std::string>> given;  // inputs that are this expression
  std::string attributes = "";                              // entries of its R.func_attr
};

class FunctionWriter {
 public:
  // Of an entry; `inference` has inferred it.
  FunctionWriter(std::string name, const Graph& graph, const Inference& inference,
                 ModuleParts& parts);

  // `attributes` are entries of its R.func_attr, `changed` are operators that became the nodes.
  // Errors: unsupported, listing every node that Relax cannot express.
  Result<FunctionText> Write(const std::string& attributes,
                             const std::vector<ComposedNode>& changed = {});

 private:
  // A dataflow block, or statements between two.
  struct Segment {
    bool dataflow = true;
    std::vector<std::string> lines;
    std::vector<std::string> bound;  // names, in order
  };

  FunctionWriter(std::string name, const Graph& body, const BodyForm& form, FunctionWriter& outer);

  // signature
  void NameInputs();
  void NameSymbols();
  void AddInputs();
  void AddSizes();
  void AddWeights();
  void AddWeight(const Value& constant);
  void CheckResults();
  FunctionHead Head() const;

  // nodes
  void EmitNodes(const Graph& graph);
  Status EmitNode(const Node& node);
  Status EmitOperator(const Node& node);
  void RemarkOn(const ComposedNode& node);
  bool IsComposed(const Node& node, std::size_t lines,
                  const std::unordered_set<const Value*>& asked) const;
  // packed.cc
  Status EmitOperatorOrPacked(const Node& node);
  Status EmitPacked(const Node& node);
  Status Declare(const Type& type);
  void Refuse(const std::string& place, const std::string& what);
  bool HasType(const Type& type) const;

  // control_flow.cc
  Status EmitIf(const Node& node);
  Status EmitFused(const Node& node);
  Status EmitLoop(const Node& node);
  Status EmitBranch(const Graph& body, const std::string& name, const Node& node);
  void EmitBranchInPlace(const Graph& body, const std::string& name, const Node& node);
  bool NamesSizes(const Graph& body) const;
  bool GivesStatedSizes(const Graph& body, const Node& node) const;
  Result<BodyFunction> WriteBody(const Graph& body, const BodyForm& form);
  std::string LoopCall(const Node& node, const std::string& name, bool has_condition,
                       const std::vector<std::string>& fixed);
  Result<std::string> FormatOf(const Node& node, std::size_t first,
                               std::vector<std::string>& arguments);
  Status EmitEffect(const Node& node);
  std::string ScalarOf(const Value& value);
  void BindResults(const Node& node, const std::string& tuple, std::size_t count,
                   const std::vector<bool>& deduced);

  // statements
  std::string NameOf(const Value* value) const;
  std::string ResultName(const Value* result);
  std::string FreshVariable();
  std::string FreshOutput();
  std::string Bind(const std::string& name, const std::string& expression, const Type& type);
  void BindResult(const Value* result, const std::string& expression, bool deduced = true);
  std::string InOwnRelease(const std::string& expression);
  std::string BindCall(const std::string& name, const std::string& call, bool pure);
  void AddLine(const std::string& line);
  void AddOutside(const std::string& line);
  void BeginOutside();
  void EndOutside();
  std::string ReturnValue();
  std::string Declarations() const;
  std::string Blocks(const std::string& result) const;

  const std::string name_;
  const Graph& graph_;
  FunctionWriter* const outer_;  // nullptr for an entry
  ModuleParts& parts_;
  const Inference& inference_;
  bool pure_ = true;
  std::vector<const Value*> inputs_;
  std::vector<const Value*> captured_;
  std::vector<FunctionResult> results_;
  NameScope scope_;
  SymbolNames symbols_;                                  // all that are declared
  SymbolNames signature_symbols_;                        // those that parameters define
  std::vector<std::string> sizes_;                       // symbols that come as an R.Shape
  std::unordered_map<const Value*, std::string> names_;  // looked up, never iterated
  std::vector<Parameter> parameters_;
  std::vector<Segment> segments_{1};
  std::vector<std::string> composed_;  // remarks
  tvm::BoundedValues bounded_;
  std::vector<Finding> findings_;
  const Node* node_ = nullptr;  // that is being written
  bool calls_ = false;          // other functions of the module
  int branches_ = 0;            // around the current statement
  int next_variable_ = 0;
  int next_output_ = 0;
};

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_
