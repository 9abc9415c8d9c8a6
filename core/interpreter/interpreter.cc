// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/interpreter/evaluate.h"
#include "core/interpreter/fits.h"
#include "core/interpreter/frame.h"
#include "core/interpreter/packed_rows.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_def.h"
#include "runtime/params/shape.h"

namespace dragoman {
namespace {

Result<std::vector<RuntimeValue>> RunKernel(const Node& node,
                                            std::span<const RuntimeValue> operands,
                                            rt::RandomSource* random) {
  std::vector<Array> arrays;
  arrays.reserve(operands.size());
  for (const RuntimeValue& operand : operands) {
    if (operand.kind == RuntimeValue::Kind::kSequence) {
      return Unsupported("takes a sequence where it needs a tensor").At(node.Describe());
    }
    arrays.push_back(operand.array);
  }
  DRAGOMAN_ASSIGN(std::vector<Array> results, EvaluateNode(node, arrays, random));
  std::vector<RuntimeValue> values;
  for (Array& result : results) {
    values.push_back(result.present() ? RuntimeValue::Of(std::move(result)) : RuntimeValue());
  }
  return values;
}

Result<RuntimeValue> FromData(const Attribute& data) {
  if (const Tensor* tensor = data.tensor()) {
    DRAGOMAN_ASSIGN(Array array, Array::FromTensor(*tensor));
    return RuntimeValue::Of(std::move(array));
  }
  if (const auto* list = data.As<Attribute::List>()) {
    RuntimeValue value;
    value.kind = RuntimeValue::Kind::kSequence;
    for (const Attribute& element : *list) {
      DRAGOMAN_ASSIGN(RuntimeValue item, FromData(element));
      value.sequence.push_back(std::move(item));
    }
    return value;
  }
  return Unsupported("a constant that is a " + std::string(Name(data.kind())) + " cannot be run");
}

Status FillConstants(const Graph& graph, Frame& frame) {
  for (const auto& constant : graph.constants()) {
    if (!constant->used() || IsWidenedByRows(*constant)) continue;
    Result<RuntimeValue> value = FromData(*constant->data());
    if (!value.ok()) return std::move(value).error().At("constant '" + constant->name() + "'");
    frame.Set(constant.get(), std::move(*value));
  }
  return {};
}

// Nothing for a matrix whose rows wait for the node that reads them.
Result<std::vector<RuntimeValue>> RunNode(const Node& node,
                                          const std::vector<RuntimeValue>& operands,
                                          const Execution& execution, const Frame& frame,
                                          PackedRows& packed) {
  if (packed.Keep(node, operands)) return std::vector<RuntimeValue>(node.num_results());
  if (packed.Has(node)) return packed.Multiply(node, operands);
  const NodeHandler handler = FindHandler(node);
  return handler != nullptr ? handler(node, operands, execution, frame)
                            : RunKernel(node, operands, execution.random);
}

// Sizes that inference could not prove are claims of the file (docs/declared-sizes.md).
Status CheckClaims(const Node& node, std::span<const RuntimeValue> results) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* value = node.result(i);
    const Array& array = results[i].array;
    if (value == nullptr || !array.present() || Fits(array, value->type())) continue;
    const Type type = Type::Tensor(array.dtype(), FromRuntimeShape(array.shape()));
    return InvalidInput("result " + std::to_string(i) + " is " + type.ToString() +
                        ", declared as " + value->type().ToString())
        .At(node.Describe());
  }
  return {};
}

// About as many nodes on a few elements take as long as it takes to write these results.
std::int64_t NodesAsLong(const std::vector<RuntimeValue>& results) {
  constexpr std::int64_t kElements = 1024;
  std::int64_t count = 0;
  for (const RuntimeValue& value : results) {
    if (value.kind == RuntimeValue::Kind::kTensor) count += value.array.size() / kElements;
  }
  return count;
}

}  // namespace

Result<std::vector<RuntimeValue>> Execution::RunGraph(const Graph& graph,
                                                      std::vector<RuntimeValue> inputs,
                                                      const Frame* outer) const {
  if (inputs.size() != graph.num_inputs()) {
    return InvalidInput("graph '" + graph.name() + "' is given " + std::to_string(inputs.size()) +
                        " inputs, it has " + std::to_string(graph.num_inputs()));
  }
  Frame frame(outer);
  for (std::size_t i = 0; i < inputs.size(); ++i) frame.Set(graph.input(i), std::move(inputs[i]));
  DRAGOMAN_TRY(FillConstants(graph, frame));
  PackedRows packed;
  for (const Node& node : graph.nodes()) {
    if (nodes_left != nullptr && (*nodes_left)-- <= 0) {
      return Unsupported("the run takes too many nodes").At(node.Describe());
    }
    std::vector<RuntimeValue> operands;
    operands.reserve(node.num_operands());
    for (const Use& use : node.operands()) operands.push_back(frame.Get(use.value()));
    const auto start = std::chrono::steady_clock::now();
    Result<std::vector<RuntimeValue>> results = RunNode(node, operands, *this, frame, packed);
    if (!results.ok()) return std::move(results).error().At(node.Describe());
    if (results->size() < node.num_results())
      return InvalidInput("has more results than its operator gives").At(node.Describe());
    DRAGOMAN_TRY(CheckClaims(node, *results));
    if (observer != nullptr && *observer)
      (*observer)(node, std::chrono::steady_clock::now() - start);
    if (nodes_left != nullptr) *nodes_left -= NodesAsLong(*results);
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) frame.Set(node.result(i), std::move((*results)[i]));
    }
    frame.Release(node);
  }
  std::vector<RuntimeValue> outputs;
  for (const Use& use : graph.outputs()) outputs.push_back(frame.Get(use.value()));
  return outputs;
}

bool RunsInInterpreter(const OpDef& def) {
  return !def.kernel.header.empty() || FindHandler(def) != nullptr;
}

namespace {

// Empty: the node's values have ranks that arrays can have, as far as they are known.
std::string WhyRank(const Node& node) {
  int highest = 0;
  const auto consider = [&](const Value* value) {
    if (value == nullptr || !value->type().is_tensor()) return;
    highest = std::max(highest, value->type().rank().value_or(0));
  };
  for (const Use& use : node.operands()) consider(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) consider(node.result(i));
  if (highest <= rt::kMaxRank) return "";
  return "rank " + std::to_string(highest) + " is above " + std::to_string(rt::kMaxRank);
}

std::string WhyUnsupported(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return "operator is not in the common dialect";
  return RunsInInterpreter(*def) ? WhyRank(node) : "operator has no kernel";
}

}  // namespace

std::vector<Finding> UnsupportedNodes(const Graph& graph) {
  std::vector<Finding> findings;
  ForEachGraph(graph, [&](const Graph& body) {
    for (const Node& node : body.nodes()) {
      std::string why = WhyUnsupported(node);
      if (why.empty()) continue;
      findings.push_back({ErrorKind::kUnsupported, {}, node.Describe(), std::move(why)});
    }
  });
  return findings;
}

Result<Interpreter> Interpreter::Make(const Model& model) {
  std::vector<Finding> findings;
  for (const Entry& entry : model.entries) {
    for (Finding& finding : UnsupportedNodes(*entry.graph)) findings.push_back(std::move(finding));
  }
  if (!findings.empty()) return Error(std::move(findings));
  Interpreter interpreter(model);
  DRAGOMAN_TRY(interpreter.Reset());
  return interpreter;
}

Status Interpreter::Reset() {
  std::vector<RuntimeValue> states;
  for (const State& state : model_->states) {
    Result<RuntimeValue> value = FromData(state.initial);
    if (!value.ok()) return std::move(value).error().At("state '" + state.name + "'");
    states.push_back(std::move(*value));
  }
  states_ = std::move(states);
  random_.Restart();
  return {};
}

Result<std::vector<RuntimeValue>> Interpreter::Run(const Entry& entry,
                                                   std::vector<RuntimeValue> inputs) {
  std::vector<StateBinding> bindings = entry.states;
  std::ranges::sort(bindings, {}, &StateBinding::input);
  for (const StateBinding& binding : bindings) inputs.push_back(states_[binding.state]);
  std::int64_t nodes_left = node_limit_;
  const Execution execution{&observer_, &sink_, &nodes_left, &random_};
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> outputs,
                  execution.RunGraph(*entry.graph, std::move(inputs), nullptr));
  for (const StateBinding& binding : entry.states) {
    states_[binding.state] = std::move(outputs[binding.output]);
  }
  outputs.resize(outputs.size() - entry.states.size());
  return outputs;
}

}  // namespace dragoman
