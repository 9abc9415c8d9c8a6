// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/loop_builder.h"

#include <numeric>

#include "core/ops/op_def.h"

namespace dragoman {
namespace {

std::shared_ptr<Graph> BodyFor(PassContext& context, const std::vector<Value*>& initial) {
  auto body = std::make_shared<Graph>();
  body->set_name("body");
  body->AddInput(context.UniqueName("iteration"), Type::Tensor(DType::kI64, Shape{}));
  body->AddInput(context.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  for (const Value* value : initial)
    body->AddInput(context.UniqueName(value->name()), value->type());
  Node* end = body->Append(FindOp("Identity")->name, std::vector<Value*>{body->input(1)});
  end->AddResult(context.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  body->AddOutput(end->result());
  return body;
}

}  // namespace

LoopBuilder::LoopBuilder(Node& position, PassContext& context, Value* count,
                         std::vector<Value*> initial)
    : position_(position),
      context_(context),
      operands_({count, nullptr}),
      body_(BodyFor(context, initial)),
      end_(body_->last_node()),
      nodes_(*end_, context) {
  operands_.insert(operands_.end(), initial.begin(), initial.end());
  end_->set_origin(position.origin());
  context.inference.Learn(body_->input(1), Elements{Dim(1)});
}

Result<std::vector<Value*>> LoopBuilder::Finish(const std::vector<Value*>& states,
                                                const std::vector<Value*>& collected) {
  DRAGOMAN_TRY(nodes_.status());
  for (Value* value : states) body_->AddOutput(value);
  for (Value* value : collected) body_->AddOutput(value);
  std::vector<NamedAttribute> attributes;
  attributes.push_back({"body", body_});
  DRAGOMAN_ASSIGN(Node * loop,
                  context_.InsertNode(position_, "Loop", operands_, std::move(attributes),
                                      states.size() + collected.size()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < loop->num_results(); ++i) results.push_back(loop->result(i));
  return results;
}

Value* CountOf(StepNodes& nodes, Value* x, std::int64_t axis) {
  const Dim& size = (*x->type().shape())[static_cast<std::size_t>(axis)];
  if (size.known()) return nodes.Scalar(static_cast<double>(size.value()), nodes.Ints({0}));
  return nodes.Gather(nodes.SizeOf(x, axis), 0, 0);
}

Value* MoveFirstTo(StepNodes& nodes, Value* x, std::int64_t axis) {
  if (axis == 0) return x;
  Attribute::Ints perm(x->type().shape()->size());
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin());
  perm.insert(perm.begin() + axis, 0);
  return nodes.Op("Transpose", {x}, {{"perm", perm}});
}

}  // namespace dragoman
