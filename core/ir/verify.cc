// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verify.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/for_each_value.h"

namespace dragoman {
namespace {

class Findings {
 public:
  void Add(std::string place, std::string message) {
    if (findings_.size() < kMaxVerifyFindings) {
      findings_.push_back({ErrorKind::kInternal, "", std::move(place), std::move(message)});
    } else {
      ++omitted_;
    }
  }
  Status Take() {
    if (findings_.empty()) return {};
    if (omitted_ > 0) {
      findings_.push_back(
          {ErrorKind::kInternal, "", "", "and " + std::to_string(omitted_) + " further findings"});
    }
    return Error(std::move(findings_));
  }

 private:
  std::vector<Finding> findings_;
  std::size_t omitted_ = 0;
};

bool HasNegativeSize(const Type& type) {
  return type.shape() != nullptr && std::ranges::any_of(*type.shape(), [](const Dim& size) {
           return size.known() && size.value() < 0;
         });
}

// One outermost graph with all graphs below it.
class GraphVerifier {
 public:
  GraphVerifier(Level level, std::string label, Findings& findings)
      : level_(level), label_(std::move(label)), findings_(findings) {}

  void Run(const Graph& graph);

 private:
  // A graph that is being walked: `node` is the next one.
  struct Frame {
    const Graph* graph;
    const Node* node;
    std::vector<Graph*> subgraphs;  // of the node before, not yet entered
  };

  void Enter(const Graph& graph);
  void Leave(const Graph& graph);
  void Step();
  void CheckNode(const Node& node, const Graph& graph);
  void CheckUse(const Use& use, const std::string& place);
  void CheckUseLists();
  void Define(const Value& value);
  void CheckDefinition(const Value& value, const Graph& graph);
  void CheckConstant(const Value& value);
  std::string PlaceOf(const Graph& graph) const;

  bool common() const { return level_ == Level::kCommon; }

  const Level level_;
  const std::string label_;
  Findings& findings_;
  std::vector<Frame> frames_;
  std::unordered_set<const Value*> visible_;  // at the common level: defined so far
  std::unordered_map<std::string_view, int> names_;
  std::vector<const Value*> values_;     // all that were defined anywhere
  std::unordered_set<const Use*> uses_;  // all that read a value
};

std::string GraphVerifier::PlaceOf(const Graph& graph) const {
  if (graph.parent() == nullptr) return label_;
  return label_ + ", graph '" + graph.name() + "' of " + graph.parent()->Describe();
}

void GraphVerifier::Run(const Graph& graph) {
  Enter(graph);
  while (!frames_.empty()) Step();
  CheckUseLists();
}

void GraphVerifier::Enter(const Graph& graph) {
  frames_.push_back({&graph, graph.first_node(), {}});
  if (frames_.size() > kMaxGraphNesting + 1) findings_.Add(PlaceOf(graph), "graphs nest too deep");
  ForEachValue(graph, [&](const Value& value) {
    values_.push_back(&value);
    CheckDefinition(value, graph);
    if (!common() || value.kind() != Value::Kind::kResult) visible_.insert(&value);
    if (common()) Define(value);
  });
}

void GraphVerifier::Leave(const Graph& graph) {
  for (const Use& output : graph.outputs()) {
    CheckUse(output, PlaceOf(graph) + ", output " + std::to_string(output.index()));
    if (output.user() != nullptr || output.graph() != &graph) {
      findings_.Add(PlaceOf(graph), "an output belongs to another graph");
    }
  }
  ForEachValue(graph, [&](const Value& value) {
    visible_.erase(&value);
    if (common()) --names_[value.name()];
  });
  frames_.pop_back();
}

void GraphVerifier::Step() {
  Frame& frame = frames_.back();
  if (!frame.subgraphs.empty()) {
    const Graph* subgraph = frame.subgraphs.back();
    frame.subgraphs.pop_back();
    Enter(*subgraph);
    return;
  }
  const Node* before = frame.node != nullptr ? frame.node->prev() : frame.graph->last_node();
  if (common() && before != nullptr) {
    for (std::size_t i = 0; i < before->num_results(); ++i) {
      if (before->result(i) != nullptr) visible_.insert(before->result(i));
    }
  }
  if (frame.node == nullptr) {
    Leave(*frame.graph);
    return;
  }
  const Node& node = *frame.node;
  frame.node = node.next();
  CheckNode(node, *frame.graph);
  frame.subgraphs = node.subgraphs();
  std::vector<Graph*>(frame.subgraphs.rbegin(), frame.subgraphs.rend()).swap(frame.subgraphs);
  for (const Graph* subgraph : frame.subgraphs) {
    if (subgraph->parent() != &node)
      findings_.Add(node.Describe(), "a subgraph belongs to another node");
  }
}

void GraphVerifier::CheckNode(const Node& node, const Graph& graph) {
  if (node.graph() != &graph) findings_.Add(node.Describe(), "the node belongs to another graph");
  if (common() && node.op().dialect != "onnx" && node.op().dialect != "dragoman") {
    findings_.Add(node.Describe(), "dialect \"" + node.op().dialect + "\" in a common graph");
  }
  for (const Use& operand : node.operands()) {
    if (operand.value() != nullptr) {
      CheckUse(operand, node.Describe() + ", operand " + std::to_string(operand.index()));
    }
  }
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Use& operand = node.operands()[i];
    if (operand.user() != &node || operand.index() != i) {
      findings_.Add(node.Describe(), "operand " + std::to_string(i) + " belongs to another node");
    }
  }
}

void GraphVerifier::CheckUse(const Use& use, const std::string& place) {
  const Value* value = use.value();
  if (value == nullptr) {
    if (common()) findings_.Add(place, "the output has no value");
    return;
  }
  uses_.insert(&use);
  if (visible_.contains(value)) return;
  findings_.Add(place, "value %" + value->name() +
                           (common() ? " is not defined before its use" : " is not defined here"));
}

void GraphVerifier::Define(const Value& value) {
  if (value.name().empty()) findings_.Add(label_, "a value has no name");
  if (++names_[value.name()] == 2) {
    findings_.Add(label_, "two values that are visible together have the name %" + value.name());
  }
}

void GraphVerifier::CheckDefinition(const Value& value, const Graph& graph) {
  if (value.graph() != &graph) {
    findings_.Add(PlaceOf(graph), "value %" + value.name() + " belongs to another graph");
  }
  if (value.producer() != nullptr && value.producer()->result(value.index()) != &value) {
    findings_.Add(value.producer()->Describe(), "the index of a result differs from its position");
  }
  if (value.type().nesting() > Type::kMaxNesting) {
    findings_.Add(PlaceOf(graph), "the type of %" + value.name() + " nests too deep");
  }
  if (HasNegativeSize(value.type())) {
    findings_.Add(PlaceOf(graph), "a size of %" + value.name() + " is negative: its type is " +
                                      value.type().ToString());
  }
  if (common() && value.is_constant()) CheckConstant(value);
}

void GraphVerifier::CheckConstant(const Value& value) {
  if (value.data() == nullptr) {
    findings_.Add(label_, "constant %" + value.name() + " has no data");
  } else if (value.type().is_tensor() && value.tensor() == nullptr) {
    findings_.Add(label_, "the data of constant %" + value.name() +
                              " is not a tensor, its type is " + value.type().ToString());
  }
  if (value.tensor() != nullptr && value.tensor()->type() != value.type()) {
    findings_.Add(label_, "constant %" + value.name() + " has type " + value.type().ToString() +
                              ", its data " + value.tensor()->type().ToString());
  }
}

// Every use in a list was met in its user, and the lists hold as many uses as were met.
void GraphVerifier::CheckUseLists() {
  std::size_t listed = 0;
  for (const Value* value : values_) {
    for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
      ++listed;
      if (use->value() == value && uses_.contains(use)) continue;
      findings_.Add(label_, "the use list of %" + value->name() + " holds what does not read it");
      return;
    }
  }
  if (listed != uses_.size()) findings_.Add(label_, "a use is missing in the list of its value");
}

class ModelVerifier {
 public:
  explicit ModelVerifier(const Model& model) : model_(model) {}

  Status Run() {
    if (model_.entries.empty()) findings_.Add("model", "there is no entry");
    std::set<std::string_view> names;
    for (const Entry& entry : model_.entries) {
      const std::string label = "entry '" + entry.name + "'";
      if (!names.insert(entry.name).second) findings_.Add(label, "two entries have this name");
      if (entry.graph == nullptr) {
        findings_.Add(label, "the entry has no graph");
        continue;
      }
      GraphVerifier(model_.level, label, findings_).Run(*entry.graph);
      CheckConvention(entry.arguments, entry.graph->num_inputs(), label + ", arguments");
      CheckConvention(entry.results, entry.graph->num_outputs(), label + ", results");
      CheckStates(entry, label);
    }
    if (model_.level == Level::kCommon) CheckInitials();
    for (const Function& function : model_.functions) {
      const std::string label = "function '" + function.op->ToString() + "'";
      if (model_.level == Level::kCommon)
        findings_.Add(label, "functions are inlined in common graphs");
      GraphVerifier(Level::kSource, label, findings_).Run(*function.graph);
    }
    return findings_.Take();
  }

  Status RunOnStates() {
    for (const Entry& entry : model_.entries) CheckStates(entry, "entry '" + entry.name + "'");
    CheckInitials();
    return findings_.Take();
  }

 private:
  void CheckConvention(const std::vector<Structure>& tree, std::size_t count,
                       const std::string& label);
  void CheckStates(const Entry& entry, const std::string& label);
  void CheckStateType(const State& state, const Value* value, const std::string& label);
  void CheckInitials();

  const Model& model_;
  Findings findings_;
};

void ModelVerifier::CheckConvention(const std::vector<Structure>& tree, std::size_t count,
                                    const std::string& label) {
  std::vector<const Structure*> pending;
  for (const Structure& structure : tree) pending.push_back(&structure);
  while (!pending.empty()) {
    const Structure* at = pending.back();
    pending.pop_back();
    const bool leaf = at->kind == Structure::Kind::kTensor || at->kind == Structure::Kind::kScalar;
    if (leaf && at->index >= count) {
      findings_.Add(label, "'" + at->name + "' is number " + std::to_string(at->index) + " of " +
                               std::to_string(count));
    }
    for (const Structure& child : at->children) pending.push_back(&child);
  }
}

void ModelVerifier::CheckStates(const Entry& entry, const std::string& label) {
  std::set<std::size_t> states;
  std::set<std::size_t> inputs;
  std::set<std::size_t> outputs;
  const std::size_t count = entry.states.size();
  for (const StateBinding& binding : entry.states) {
    if (binding.state >= model_.states.size() || binding.input >= entry.graph->num_inputs() ||
        binding.output >= entry.graph->num_outputs()) {
      findings_.Add(label, "a binding names a state, input or output that does not exist");
      continue;
    }
    const bool fresh = states.insert(binding.state).second && inputs.insert(binding.input).second &&
                       outputs.insert(binding.output).second;
    if (!fresh) findings_.Add(label, "a state, input or output is bound twice");
    const State& state = model_.states[binding.state];
    if (binding.input + count < entry.graph->num_inputs() ||
        binding.output + count < entry.graph->num_outputs()) {
      findings_.Add(label, "the input or output of state '" + state.name +
                               "' stands before one that belongs to no state");
    }
    if (model_.level != Level::kCommon) continue;
    CheckStateType(state, entry.graph->input(binding.input), label);
    CheckStateType(state, entry.graph->output(binding.output), label);
  }
}

// Whether one value can be of both types, as far as they are known.
bool CanBeBoth(const Type& a, const Type& b) {
  if (a.kind() != b.kind()) return false;
  if (a.dtype() != b.dtype() && a.dtype() != DType::kUnknown) return false;
  if (a.shape() == nullptr || b.shape() == nullptr) return true;
  return std::ranges::equal(*a.shape(), *b.shape(), [](const Dim& x, const Dim& y) {
    return !x.known() || !y.known() || x == y;
  });
}

void ModelVerifier::CheckStateType(const State& state, const Value* value,
                                   const std::string& label) {
  if (value == nullptr || !value->type().known() || !state.type.known()) return;
  if (CanBeBoth(state.type, value->type())) return;
  findings_.Add(label, "state '" + state.name + "' has type " + state.type.ToString() + ", %" +
                           value->name() + " has " + value->type().ToString());
}

void ModelVerifier::CheckInitials() {
  for (const State& state : model_.states) {
    if (!state.type.is_tensor()) continue;
    const Tensor* tensor = state.initial.tensor();
    const std::string label = "state '" + state.name + "'";
    if (tensor == nullptr) {
      findings_.Add(label, "its initial value is not a tensor");
    } else if (!CanBeBoth(state.type, tensor->type())) {
      findings_.Add(label, "has type " + state.type.ToString() + ", its initial value " +
                               tensor->type().ToString());
    }
  }
}

}  // namespace

Status Verify(const Model& model) { return ModelVerifier(model).Run(); }

Status VerifyStates(const Model& model) {
  Status status = ModelVerifier(model).RunOnStates();
  if (status.ok()) return status;
  for (Finding& finding : status.error().findings()) finding.kind = ErrorKind::kInvalidInput;
  return status;
}

}  // namespace dragoman
