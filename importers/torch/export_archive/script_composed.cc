// SPDX-License-Identifier: Apache-2.0
// Nodes that a remark of ours says to be one operator (composed.h): it, and in its body the nodes,
// for what the operator refuses.
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/torch/export_archive/script_writer.h"
#include "importers/torch/lower/composed_operator.h"

namespace dragoman::torch {

// Under autocast, operands of calls are converted.
Status ScriptWriter::WriteNodeOrOperator(const Node& node) {
  if (composed_ == nullptr || autocast_) return WriteNode(node);
  const auto composed = composed_->first.find(&node);
  if (composed != composed_->first.end()) return WriteComposed(*composed->second);
  return composed_->left_out.contains(&node) ? Status() : WriteNode(node);
}

Status ScriptWriter::WriteComposed(const ComposedStatements& composed) {
  std::vector<Value*> operands;
  for (const ComposedOperator::Operand& operand : composed.op.operands) {
    Value* written = nullptr;
    if (operand.value != nullptr) {
      DRAGOMAN_ASSIGN(written, Mapped(operand.value));
    }
    operands.push_back(written);
  }
  std::vector<OriginPtr> origins;
  for (const Node* node : composed.nodes) origins.push_back(node->origin());
  origin_ = Origin::Merge(origins);
  Node* made = Append({"prim", kComposedOperator}, operands);
  SetComposedOperator(composed.op, *made);
  // What others read of these nodes is written for them as well.
  std::unordered_map<const Value*, Value*> outer;
  for (const Node* node : composed.nodes) {
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      const auto written = values_.find(node->result(i));
      outer[node->result(i)] = written != values_.end() ? written->second : nullptr;
    }
  }
  Status status = WriteBlock(*made, kComposedCalls, [&](Graph& body) -> Status {
    for (const Node* node : composed.nodes) {
      origin_ = node->origin();
      Status written = WriteNode(*node);
      if (!written.ok()) return PlacedAt(*node, std::move(written).error());
    }
    for (const Value* result : composed.op.results) {
      if (result == nullptr) continue;
      DRAGOMAN_ASSIGN(Value * output, Mapped(result));
      body.AddOutput(output);
    }
    return {};
  });
  for (const auto& [value, written] : outer) {
    if (written != nullptr) values_[value] = written;
    if (written == nullptr) values_.erase(value);
  }
  DRAGOMAN_TRY(std::move(status));
  for (const Value* result : composed.op.results) {
    if (result == nullptr) {
      made->AddOmittedResult();
      continue;
    }
    Type type = result->type();
    if (const Shape* shape = type.shape()) {
      Shape sizes;
      for (const Dim& size : *shape) sizes.push_back(size.Substitute(sizes_));
      type = type.WithShape(std::move(sizes));
    }
    Bind(*result, made->AddResult(result->name(), std::move(type)));
  }
  return {};
}

}  // namespace dragoman::torch
