// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: bodies are lowered for the types that their inputs have in the common graph.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/ir/for_each_value.h"
#include "core/ir/node_attributes.h"
#include "core/ops/control_flow.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/op_lowering.h"

namespace dragoman {
namespace {

// The value of `graph`, or of a graph around it, that is called `name`; nullptr if there is none.
const Value* FindOuter(const Graph* graph, const std::string& name) {
  for (; graph != nullptr; graph = graph->parent_graph()) {
    if (const Value* value = FindValue(*graph, name)) return value;
  }
  return nullptr;
}

// Of a condition, if it is known.
std::optional<bool> KnownTruth(const Value* condition, GraphBuilder& builder) {
  if (condition == nullptr || condition->type().dtype() != DType::kBool) return std::nullopt;
  const std::optional<std::vector<std::int64_t>> known = builder.KnownInts(condition);
  return known && known->size() == 1 ? std::optional(known->front() != 0) : std::nullopt;
}

}  // namespace

Type SliceType(const Type& type, std::int64_t axis) {
  if (type.shape() == nullptr) return Type::Tensor(type.dtype());
  Shape shape = *type.shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return Type::Tensor(type.dtype());
  shape.erase(shape.begin() + axis);
  return Type::Tensor(type.dtype(), std::move(shape));
}

Status OnnxGraphLowering::BindBranchInputs(const Graph& branch, const Node& node) {
  for (const auto& input : branch.inputs()) {
    const auto outer = values_.find(FindOuter(node.graph(), input->name()));
    if (outer == values_.end()) {
      return InvalidInput("branch '" + branch.name() + "' has input '" + input->name() +
                          "', which is not a value computed before; branches have no inputs")
          .At(node.Describe());
    }
    values_[input.get()] = outer->second;
  }
  return {};
}

Result<const Graph*> OnnxGraphLowering::Body(const Node& node, std::string_view attribute) const {
  const Graph* body = GraphAttribute(node, attribute);
  if (body == nullptr)
    return InvalidInput("has no body '" + std::string(attribute) + "'").At(node.Describe());
  return body;
}

Result<std::shared_ptr<Graph>> OnnxGraphLowering::LowerBody(const Graph& body,
                                                            const CallScope& scope,
                                                            const std::vector<Type>& inputs) {
  auto common = std::make_shared<Graph>();
  common->set_name(body.name());
  GraphBuilder builder(*common, inference_, names_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = *body.input(i);
    values_[&input] = common->AddInput(builder.UniqueName(input.name()), inputs[i]);
  }
  Result<std::vector<Value*>> outputs = LowerTaken(body, scope, builder);
  if (!outputs.ok()) {
    inference_.Forget(*common);
    return std::move(outputs).error();
  }
  for (Value* output : *outputs) common->AddOutput(output);
  return common;
}

Result<std::shared_ptr<Graph>> OnnxGraphLowering::LowerLoopBody(
    const Graph& body, const CallScope& scope, std::vector<Type> inputs, std::size_t first_carried,
    std::size_t num_carried, std::size_t first_output) {
  const std::unordered_set<std::string> names = names_;
  for (int pass = 0;; ++pass) {
    names_ = names;
    Result<std::shared_ptr<Graph>> attempt = LowerBody(body, scope, inputs);
    if (!attempt.ok()) {
      refused_sizes_ = refused_sizes_ && pass == 0;
      return attempt;
    }
    std::shared_ptr<Graph> lowered = *std::move(attempt);
    if (lowered->num_outputs() < first_output + num_carried) {
      return InvalidInput("body '" + body.name() + "' has too few outputs");
    }
    std::vector<Type> returned;
    for (std::size_t i = 0; i < num_carried; ++i) {
      returned.push_back(lowered->output(first_output + i)->type());
    }
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(first_carried);
    std::vector<Type> carried(first, first + static_cast<std::ptrdiff_t>(num_carried));
    DRAGOMAN_ASSIGN(bool again, WidenCarried(carried, returned, pass));
    if (!again) return lowered;
    std::move(carried.begin(), carried.end(), first);
    inference_.Forget(*lowered);
  }
}

Result<std::vector<Value*>> OnnxGraphLowering::AppendWithBodies(
    const Node& node, GraphBuilder& builder, std::string_view type,
    const std::vector<Value*>& operands, std::vector<NamedAttribute> attributes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    names.push_back(node.result(i) != nullptr ? node.result(i)->name() : "");
  }
  DRAGOMAN_ASSIGN(Node * made,
                  builder.Append(type, operands, std::move(attributes), names, node.name()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < made->num_results(); ++i) results.push_back(made->result(i));
  return results;
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerIf(const Node& node, const CallScope& scope,
                                                       GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, Operands(node));
  if (operands.size() != 1 || operands[0] == nullptr) {
    return InvalidInput("an If has one operand").At(node.Describe());
  }
  DRAGOMAN_ASSIGN(const Graph* then_branch, Body(node, "then_branch"));
  DRAGOMAN_ASSIGN(const Graph* else_branch, Body(node, "else_branch"));
  for (const Graph* branch : {then_branch, else_branch}) {
    if (branch->num_outputs() != node.num_results()) {
      return InvalidInput("branch '" + branch->name() + "' has " +
                          std::to_string(branch->num_outputs()) + " outputs, expected " +
                          std::to_string(node.num_results()))
          .At(node.Describe());
    }
    DRAGOMAN_TRY(BindBranchInputs(*branch, node));
  }
  if (const std::optional<bool> holds = KnownTruth(operands[0], builder))
    return LowerTaken(*holds ? *then_branch : *else_branch, scope, builder);
  Result<std::shared_ptr<Graph>> then_body = LowerBody(*then_branch, scope, {});
  if (!then_body.ok())
    return LowerOnlyBranch(*else_branch, operands[0], false, then_body.error(), scope, builder);
  Result<std::shared_ptr<Graph>> else_body = LowerBody(*else_branch, scope, {});
  if (!else_body.ok()) {
    inference_.Forget(**then_body);
    return LowerOnlyBranch(*then_branch, operands[0], true, else_body.error(), scope, builder);
  }
  return AppendWithBodies(
      node, builder, "If", operands,
      {{"else_branch", Attribute(*else_body)}, {"then_branch", Attribute(*then_body)}});
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerLoop(const Node& node, const CallScope& scope,
                                                         GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, RequiredOperands(node, 2));
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  if (operands.size() < 2) operands.resize(2, nullptr);
  if (KnownTruth(operands[1], builder) == true) operands[1] = nullptr;  // which goes unsaid
  const std::size_t carried = operands.size() - 2;
  if (body->num_inputs() != carried + 2 || body->num_outputs() < carried + 1) {
    return InvalidInput("body '" + body->name() + "' has " + std::to_string(body->num_inputs()) +
                        " inputs, expected " + std::to_string(carried + 2))
        .At(node.Describe());
  }
  std::vector<Type> inputs = {Type::Tensor(DType::kI64, Shape{}),
                              Type::Tensor(DType::kBool, Shape{})};
  for (std::size_t i = 0; i < carried; ++i) inputs.push_back(operands[i + 2]->type());
  Result<std::shared_ptr<Graph>> lowered =
      LowerLoopBody(*body, scope, std::move(inputs), 2, carried, 1);
  if (!lowered.ok()) return LowerIdleLoop(node, operands, lowered.error(), builder);
  return AppendWithBodies(node, builder, "Loop", operands, {{"body", Attribute(*lowered)}});
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerScan(const Node& node, const CallScope& scope,
                                                         GraphBuilder& builder) {
  if (OpsetOf(node, scope) < 9) return LowerBatchedScan(node, scope, builder);
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, RequiredOperands(node));
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
  OpLowering op{node, 0, builder, operands, attributes};
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> scanned, op.TakeInt("num_scan_inputs"));
  DRAGOMAN_ASSIGN(std::optional<Attribute::Ints> axes, op.TakeInts("scan_input_axes"));
  const auto total = static_cast<std::int64_t>(operands.size());
  if (!scanned || *scanned < 1 || *scanned > total || body->num_inputs() != operands.size()) {
    return InvalidInput("num_scan_inputs and the inputs of the body do not fit the operands")
        .At(node.Describe());
  }
  const auto states = static_cast<std::size_t>(total - *scanned);
  std::vector<Type> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool has_axis = i >= states && axes && i - states < axes->size();
    const Type& type = operands[i]->type();
    inputs.push_back(i < states ? type : SliceType(type, has_axis ? (*axes)[i - states] : 0));
  }
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> lowered,
                  LowerLoopBody(*body, scope, std::move(inputs), 0, states, 0));
  for (NamedAttribute& attribute : attributes) {
    if (attribute.name == "body") attribute.value = Attribute(lowered);
  }
  return AppendWithBodies(node, builder, "Scan", operands, std::move(attributes));
}

}  // namespace dragoman
