// Writes one function of a Relax module: a graph that one can call, or the body of a
// dragoman.Fused, which becomes a private function that the others call.
//
// Nodes become bindings of dataflow blocks. An If is no part of such a block: the block ends before
// it and another begins behind; its bodies are plain bindings, both of which end in one name.
#ifndef DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_
#define DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/relax/relax_op.h"
#include "codegen/relax/relax_text.h"
#include "core/analysis/inference.h"
#include "core/ir/model.h"
#include "core/support/text.h"

namespace dragoman::relax {

using Weights = std::vector<std::pair<std::string, Tensor>>;

// What the functions of a module share.
struct ModuleParts {
  Weights weights;         // the constants that are parameters
  NameScope weight_names;  // unique in the module
  NameScope function_names;
  std::vector<std::string> private_functions;  // texts
};

class FunctionWriter {
 public:
  enum class Access { kPublic, kPrivate };

  FunctionWriter(std::string name, Graph& graph, Access access, ModuleParts& parts);

  // The function's text. Errors: unsupported, listing every node that Relax cannot say.
  Result<std::string> Write();

 private:
  // A dataflow block, or statements between two.
  struct Segment {
    bool dataflow = true;
    std::vector<std::string> lines;
    std::vector<std::string> bound;  // names, in order
  };

  void NameSymbols();
  void AddInputs();
  void AddConstant(const Value& constant);
  void AddConstants(const Graph& graph);
  void EmitNodes(const Graph& graph);
  Status EmitNode(const Node& node);
  Status EmitIf(const Node& node);
  Status EmitFused(const Node& node);
  void BindResults(const Node& node, const std::string& tuple);
  void EmitBranch(const Graph& body, const std::string& name, const Node& node);
  Status Declare(const Type& type);
  void Refuse(const std::string& place, const std::string& what);
  std::string NameOf(const Value* value) const;
  std::string ResultName(const Value* result);
  std::string FreshVariable();
  std::string FreshOutput();
  std::string Bind(const std::string& name, const std::string& expression, const Type& type);
  void AddLine(const std::string& line);
  std::string Signature() const;
  std::string Body();
  std::string Blocks(const std::string& result) const;

  const std::string name_;
  Graph& graph_;
  const bool is_private_;
  ModuleParts& parts_;
  Inference inference_;
  NameScope scope_;
  SymbolNames symbols_;                                  // all that are declared
  SymbolNames signature_symbols_;                        // those that inputs define
  std::unordered_map<const Value*, std::string> names_;  // looked up, never iterated
  std::vector<std::string> parameters_;                  // "x: R.Tensor(…)"
  std::vector<Segment> segments_;
  std::vector<Finding> findings_;
  bool calls_ = false;  // other functions of the module
  int branches_ = 0;    // around the current statement
  int next_variable_ = 0;
  int next_output_ = 0;
};

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_FUNCTION_WRITER_H_
