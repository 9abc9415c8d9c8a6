// SPDX-License-Identifier: Apache-2.0
// Control flow of ai.onnx that the common dialect says by Loop and Scan.
#include <optional>
#include <string>
#include <utility>

#include "core/lowering/composer.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/op_lowering.h"

namespace dragoman {
namespace {

std::shared_ptr<Graph> NewBody(const std::string& name) {
  auto body = std::make_shared<Graph>();
  body->set_name(name);
  return body;
}

// The first `length` steps of `sequence`.
Value* Begun(Composer& c, Value* sequence, Value* length) {
  return c.Slice(sequence, 0, c.Ints({0}), c.Vector(length), c.Ints({1}));
}

// `made` with as many steps as `sequence`, the last of which are 0.
Value* Filled(Composer& c, Value* made, Value* sequence, Value* length) {
  const int rank = c.Rank(made);
  if (c.failed()) return nullptr;
  Value* missing = c.Vector(c.Sub(c.Size(sequence, 0), length));
  Value* sizes = c.ConcatSizes({missing, c.SizeVector(made, 1, rank - 1)});
  return c.Concat({made, c.Full(sizes, 0, c.dtype(made))}, 0);
}

struct BatchedScan {
  Value* lengths = nullptr;      // of the sequences; nullptr: all are whole
  std::vector<Value*> operands;  // states, then sequences
  std::int64_t scanned = 0;      // sequences
  std::optional<Attribute::Ints> directions;
};

Result<BatchedScan> TakeBatchedScan(OpLowering& op, std::vector<Value*> operands,
                                    const Graph& body) {
  BatchedScan batch;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> scanned, op.TakeInt("num_scan_inputs"));
  DRAGOMAN_ASSIGN(batch.directions, op.TakeInts("directions"));
  if (!operands.empty()) {
    batch.lengths = operands.front();
    operands.erase(operands.begin());
  }
  if (!scanned || *scanned < 1 || *scanned > static_cast<std::int64_t>(operands.size()) ||
      body.num_inputs() != operands.size())
    return op.Invalid("num_scan_inputs and the inputs of the body do not fit the operands");
  batch.scanned = *scanned;
  batch.operands = std::move(operands);
  return batch;
}

}  // namespace

Result<std::vector<Value*>> OnnxGraphLowering::LowerBatchedScan(const Node& node,
                                                                const CallScope& scope,
                                                                GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, RequiredOperands(node, 1));
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
  OpLowering op{node, 0, builder, {}, attributes};
  DRAGOMAN_ASSIGN(BatchedScan batch, TakeBatchedScan(op, std::move(operands), *body));
  const std::size_t states = batch.operands.size() - static_cast<std::size_t>(batch.scanned);
  std::shared_ptr<Graph> sample = NewBody("sample");
  GraphBuilder inner(*sample, inference_, names_);
  inner.set_origin(builder.origin());
  std::vector<Value*> slices;
  std::vector<Type> steps;
  for (std::size_t i = 0; i < batch.operands.size(); ++i) {
    const Type slice = SliceType(batch.operands[i]->type(), 0);
    slices.push_back(sample->AddInput(inner.UniqueName(batch.operands[i]->name()), slice));
    steps.push_back(i < states ? slice : SliceType(slice, 0));
  }
  Composer c(inner);
  Value* length = nullptr;
  const std::vector<Value*> whole = slices;
  if (batch.lengths != nullptr) {
    length = sample->AddInput(inner.UniqueName("length"), Type::Tensor(DType::kI64, Shape{}));
    for (std::size_t i = states; i < slices.size(); ++i) slices[i] = Begun(c, slices[i], length);
    batch.operands.push_back(batch.lengths);
  }
  DRAGOMAN_TRY(c.status());
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> step,
                  LowerLoopBody(*body, scope, std::move(steps), 0, states, 0));
  std::vector<NamedAttribute> over_time = {{"body", Attribute(step)},
                                           {"num_scan_inputs", Attribute(batch.scanned)}};
  if (batch.directions)
    over_time.emplace_back("scan_input_directions", Attribute(*batch.directions));
  const std::vector<std::string> names(step->num_outputs(), "step");
  DRAGOMAN_ASSIGN(Node * scan, inner.Append("Scan", slices, std::move(over_time), names));
  for (std::size_t i = 0; i < scan->num_results(); ++i) {
    Value* result = scan->result(i);
    if (length != nullptr && i >= states) result = Filled(c, result, whole[states], length);
    DRAGOMAN_TRY(c.status());
    sample->AddOutput(result);
  }
  return AppendWithBodies(
      node, builder, "Scan", batch.operands,
      {{"body", Attribute(sample)},
       {"num_scan_inputs", Attribute(static_cast<std::int64_t>(batch.operands.size()))}});
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerSequenceMap(const Node& node,
                                                                const CallScope& scope,
                                                                GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, RequiredOperands(node));
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  OpLowering op{node, 0, builder, {}, {}};
  if (operands.empty() || body->num_inputs() != operands.size() ||
      body->num_outputs() != node.num_results())
    return op.Invalid("the body has not as many inputs and outputs as the node");
  std::shared_ptr<Graph> iteration = NewBody(body->name());
  GraphBuilder inner(*iteration, inference_, names_);
  inner.set_origin(builder.origin());
  Value* index = iteration->AddInput(inner.UniqueName("index"), Type::Tensor(DType::kI64, Shape{}));
  Value* more = iteration->AddInput(inner.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Value*& element = values_[body->input(i)];
    element = operands[i];
    if (element->type().kind() != Type::Kind::kSequence) continue;
    DRAGOMAN_ASSIGN(element, inner.Add("SequenceAt", {operands[i], index}));
  }
  DRAGOMAN_TRY(LowerConstants(*body, inner));
  DRAGOMAN_TRY(LowerNodes(*body, scope, inner));
  DRAGOMAN_ASSIGN(Value * length, builder.Add("SequenceLength", {operands.front()}));
  std::vector<Value*> loop = {length, nullptr};
  iteration->AddOutput(more);
  for (const Use& use : body->outputs()) {
    DRAGOMAN_ASSIGN(Value * made, LookupOutput(use));
    const DType dtype = made->type().dtype();
    Value* before =
        iteration->AddInput(inner.UniqueName("made"), Type::Sequence(Type::Tensor(dtype)));
    DRAGOMAN_ASSIGN(Value * after, inner.Add("SequenceInsert", {before, made}));
    iteration->AddOutput(after);
    DRAGOMAN_ASSIGN(Value * empty, builder.Add("SequenceEmpty", {},
                                               {{"dtype", static_cast<std::int64_t>(dtype)}}));
    loop.push_back(empty);
  }
  return AppendWithBodies(node, builder, "Loop", loop, {{"body", Attribute(iteration)}});
}

}  // namespace dragoman
