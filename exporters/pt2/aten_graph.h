// SPDX-License-Identifier: Apache-2.0
// A graph of a program of torch.export while it is made: calls of operators in order, and where
// values of the common graph stand in it.
#ifndef DRAGOMAN_EXPORTERS_PT2_ATEN_GRAPH_H_
#define DRAGOMAN_EXPORTERS_PT2_ATEN_GRAPH_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/compare/composed_node.h"
#include "core/ir/graph.h"
#include "core/support/text.h"
#include "exporters/pt2/aten_value.h"
#include "exporters/pt2/operator_remark.h"
#include "exporters/pt2/symbol_table.h"

namespace dragoman::pt2 {

// What the graphs of one program share.
struct ProgramScope {
  SymbolTable symbols;
  NameScope names;
  // The placeholder of a constant of the common graph, or of a tensor that an emitter made.
  std::function<Term(const Value& constant)> parameter;
  std::function<Term(const dragoman::Tensor& tensor)> lifted;
  // Of a parameter that an emitter made of constants, under a name of its own.
  std::function<Term(const std::string& name, const dragoman::Tensor& tensor)> made;
};

// A tensor to which an axis of size 1 was put.
struct Unsqueezed {
  Term from;
  std::int64_t axis = 0;
};

struct Permuted {
  Term from;
  std::vector<std::int64_t> order;
};

// A scalar that data decide, and the size that it is.
struct Item {
  Size size;
  Dim dim;
};

class AtenGraph {
 public:
  AtenGraph(ProgramScope& program, AtenGraph* outer) : program_(program), outer_(outer) {}

  // A node of operator `target` ("aten.relu.default", "_operator.add") with one tensor as result.
  Term Call(std::string_view target, const Arguments& arguments, TermType result);
  // The same with several, each on its own or all as one list.
  Terms CallMany(std::string_view target, const Arguments& arguments,
                 const std::vector<TermType>& results, bool as_list);
  // A node without results, which is kept.
  void CallForEffect(std::string_view target, const Arguments& arguments);

  // A further placeholder, named after `hint`.
  Term AddInput(std::string_view hint, TermType type, bool binds_sizes);
  // Of the graph around this one, as a placeholder that it is passed to; itself in the outermost.
  Term Import(const Term& outer);
  const std::vector<std::pair<Term, Term>>& imports() const { return imports_; }  // outer, inner

  void Bind(const Value* value, Term term) { terms_[value] = std::move(term); }
  // nullopt: of a value without a term, of another type than tensor say.
  std::optional<Term> Find(const Value* value);
  Term Lifted(const dragoman::Tensor& tensor);
  Term MadeParameter(const std::string& name, const dragoman::Tensor& tensor);

  void RecordUnsqueezed(const Term& term, Unsqueezed how) {
    unsqueezed_.insert_or_assign(term.name, std::move(how));
  }
  void RecordPermuted(const Term& term, Permuted how) {
    permuted_.insert_or_assign(term.name, std::move(how));
  }
  // The tensor in whose memory this one may lie, perhaps itself.
  const std::string& MemoryOf(const std::string& name) const;

  // nullopt: it was not made so.
  std::optional<Unsqueezed> FindUnsqueezed(const Term& term) const;
  std::optional<Permuted> FindPermuted(const Term& term) const;

  // The symbolic integer that has this value, made of sizes of tensors that are there; nullopt:
  // none of them has it.
  std::optional<Size> SizeOf(const Dim& dim);
  std::optional<Sizes> SizesOf(const Shape& shape);
  // The value of an integer tensor of one element as a size.
  Item ItemOf(const Term& scalar);

  // Drops calls and values from outside that nothing reads, `outputs` apart.
  void DropUnread(const Terms& outputs);
  // The graph as the format has it, but for inputs and outputs, without calls that nothing reads.
  Json Body(const Terms& outputs);
  // The node that gives the tensor gives it under another name from now on: that of an output.
  // False: no node gives it.
  bool Rename(const std::string& from, const std::string& to);
  // The graph of a body: its inputs in the order of `inputs`.
  Json Subgraph(const Terms& inputs, const Terms& outputs);

  // Placeholders whose value something reads, after Body.
  bool Reads(const std::string& name) const { return read_.contains(name); }

  // What the nodes that follow say of where they came from.
  void SetOrigin(Json metadata) { metadata_ = std::move(metadata); }

  std::size_t num_calls() const { return nodes_.size(); }
  // Whether the calls from number `first` on are one that reads the operands as they are.
  bool IsOneCall(std::size_t first, const std::vector<const Value*>& operands) const;
  // Remarks on these calls that they compute `composed`; on none where they do not give its
  // results. `node` is it in the common graph, if it is one node there.
  void Remark(ComposedNode composed, std::size_t first, const dragoman::Node* node = nullptr);

 private:
  struct Node {
    Json json;
    std::vector<std::string> reads;
    std::vector<std::string> gives;
    bool is_effect = false;
    std::optional<ComposedNode> composed = {};
    const dragoman::Node* composed_node = nullptr;
  };

  std::string NewName(std::string_view target);
  Term Record(std::string name, TermType type, bool is_input);
  Node MakeNode(std::string_view target, const Arguments& arguments);
  void DropCalls(const Terms& outputs);
  std::string NameOf(const Value* value) const;
  bool IsThere(const Value* value) const;
  bool IsThereInPart(const dragoman::Node& node) const;
  bool AddMissing(const dragoman::Node& node, std::vector<const dragoman::Node*>& nodes) const;
  std::optional<ComposedText> TextOf(const Node& call) const;
  void RecordViews(std::string_view target, const Node& node);
  Size SizeCall(std::string_view target, const Arguments& arguments, const Dim& value);
  std::optional<Size> SizeOfTerm(const DimTerm& term);
  std::optional<Size> SizeOfAtom(const DimAtom& atom);
  std::optional<Size> Found(const Dim& dim);

  ProgramScope& program_;
  AtenGraph* outer_;
  std::vector<Node> nodes_;
  std::map<std::string, Json> tensor_values_;
  std::map<std::string, Json> sym_int_values_;
  std::unordered_map<const Value*, Term> terms_;  // in no order
  std::map<std::string, std::pair<Term, std::size_t>>
      axes_;                                      // by size as text: a tensor that has it
  std::map<std::string, std::string> sizes_;      // by size as text: its symbolic integer
  std::map<std::string, Unsqueezed> unsqueezed_;  // by name, as the next
  std::map<std::string, Permuted> permuted_;
  std::map<std::string, std::string> memory_;  // of views: the tensor that they show
  std::vector<std::pair<Term, Term>> imports_;
  std::set<std::string> read_;
  Json metadata_ = Json::object();
};

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_ATEN_GRAPH_H_
