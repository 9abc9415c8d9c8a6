// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/unsupported.h"

#include <algorithm>
#include <iterator>

#include "codegen/onednn/plan/build.h"
#include "core/ops/kernel_name.h"
#include "runtime/params/shape.h"

namespace dragoman::onednn {
namespace {

bool IsTensorWithCpp(const Type& type) {
  return type.is_tensor() && !CppType(type.dtype()).empty() &&
         type.rank().value_or(0) <= rt::kMaxRank;
}

// A tensor, a sequence of tensors, or an optional of either.
bool HasCpp(const Type& type) {
  const Type& held = type.kind() == Type::Kind::kOptional ? type.element() : type;
  return IsTensorWithCpp(held.kind() == Type::Kind::kSequence ? held.element() : held);
}

// Whether a kernel computes the node, or it becomes something else than a call of one.
bool HasStep(const Node& node, const OpDef& def) {
  return !def.kernel.header.empty() || HasOwnStep(node) || HandlesLists(node);
}

std::string WhyUnsupported(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return "operator is not in the common dialect";
  if (node.IsDragoman("Fused")) return "";  // its nodes are asked
  if (!HasStep(node, *def)) return "operator has no kernel";
  const bool lists = HandlesLists(node);
  auto bad = [&](const Value* value) {
    if (value == nullptr) return false;
    const bool may_be_list = lists || HasOwnStep(node);
    return may_be_list ? !HasCpp(value->type()) : !IsTensorWithCpp(value->type());
  };
  for (const Use& use : node.operands()) {
    if (bad(use.value())) return "operand of type " + use.value()->type().ToString();
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (bad(node.result(i))) return "result of type " + node.result(i)->type().ToString();
  }
  if (HasOwnStep(node) || lists) return "";
  const Result<std::string> instance = KernelInstance(*def, BindVariables(node, *def));
  return instance.ok() ? "" : instance.error().findings().front().message;
}

std::vector<Finding> FindUnsupportedNodes(const Graph& entry) {
  std::vector<Finding> findings;
  ForEachGraph(entry, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      std::string why = WhyUnsupported(node);
      if (why.empty()) continue;
      findings.push_back(
          {ErrorKind::kUnsupported, {}, node.Describe(), "no C++ for it: " + std::move(why)});
    }
  });
  return findings;
}

bool HasTensors(const Attribute& initial) {
  const auto* list = initial.As<Attribute::List>();
  if (list == nullptr) return initial.tensor() != nullptr;
  return std::ranges::all_of(*list, [](const Attribute& item) { return item.tensor() != nullptr; });
}

bool IsStateWithCpp(const State& state) {
  const Type& type = state.type;
  const bool sequence = type.kind() == Type::Kind::kSequence;
  const DType dtype = sequence ? type.element().dtype() : type.dtype();
  return (sequence || type.is_tensor()) && HasCpp(type) && dtype != DType::kString &&
         HasTensors(state.initial);
}

}  // namespace

bool HasSteps(const OpDef& def) {
  Graph graph;
  const Node& node = *graph.Append(def.name, {});
  return node.IsDragoman("Fused") || HasStep(node, def);
}

// What an input lacks, and how to state it. The type of a state follows from those of other inputs.
std::string Unstated(const Value& input, bool is_state) {
  const std::string type =
      "the type " + input.type().ToString() + " lacks a rank or an element type";
  if (is_state) return type + "; state the sizes of the inputs that change it with --shape";
  return type + "; give --shape " + input.name() + "=SIZES";
}

std::vector<Finding> FindUnsupportedInputs(const Entry& entry) {
  std::vector<Finding> findings;
  for (const auto& input : entry.graph->inputs()) {
    const Type& type = input->type();
    const auto position = static_cast<std::size_t>(&input - entry.graph->inputs().data());
    const bool is_state = std::ranges::any_of(
        entry.states, [&](const StateBinding& state) { return state.input == position; });
    const bool tensor = !type.known() || type.is_tensor();
    const bool is_stated =
        type.is_tensor() && type.shape() != nullptr && type.dtype() != DType::kUnknown;
    if (tensor ? is_stated : HasCpp(type)) continue;
    findings.push_back(
        {tensor ? ErrorKind::kInvalidInput : ErrorKind::kUnsupported,
         {},
         (is_state ? "state '" : "input '") + input->name() + "'",
         tensor ? Unstated(*input, is_state) : "no C++ for an input of type " + type.ToString()});
  }
  return findings;
}

std::vector<Finding> FindUnsupported(const Model& model) {
  std::vector<Finding> findings;
  for (const Entry& entry : model.entries)
    std::ranges::move(FindUnsupportedNodes(*entry.graph), std::back_inserter(findings));
  for (const State& state : model.states) {
    if (IsStateWithCpp(state)) continue;
    findings.push_back({ErrorKind::kUnsupported,
                        {},
                        "state '" + state.name + "'",
                        "no C++ for a state of type " + state.type.ToString()});
  }
  return findings;
}

std::vector<std::string> LeaveOutEntries(Model& model) {
  std::vector<std::string> left_out;
  std::vector<Entry> kept;
  for (Entry& entry : model.entries) {
    std::vector<Finding> findings = FindUnsupportedInputs(entry);
    if (findings.empty()) findings = FindUnsupportedNodes(*entry.graph);
    if (kept.empty() || findings.empty()) {
      kept.push_back(std::move(entry));
      continue;
    }
    left_out.push_back("entry '" + entry.name + "' is left out: " + findings.front().place + ": " +
                       findings.front().message);
  }
  model.entries = std::move(kept);
  return left_out;
}

}  // namespace dragoman::onednn
