// Control flow of ai.onnx that the common dialect says by Loop and Scan.
#include <string>
#include <utility>

#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/op_lowering.h"

namespace dragoman {
namespace {

std::shared_ptr<Graph> NewBody(const std::string& name) {
  auto body = std::make_shared<Graph>();
  body->set_name(name);
  return body;
}

}  // namespace

Result<std::vector<Value*>> OnnxGraphLowering::LowerBatchedScan(const Node& node,
                                                                const CallScope& scope,
                                                                GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, RequiredOperands(node, 1));
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
  OpLowering op{node, 0, builder, {}, attributes};
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> scanned, op.TakeInt("num_scan_inputs"));
  DRAGOMAN_ASSIGN(std::optional<Attribute::Ints> directions, op.TakeInts("directions"));
  if (!operands.empty() && operands.front() != nullptr)
    return op.Unsupported("sequence_lens of opset 8 has no common form");
  if (!operands.empty()) operands.erase(operands.begin());
  const auto total = static_cast<std::int64_t>(operands.size());
  if (!scanned || *scanned < 1 || *scanned > total || body->num_inputs() != operands.size())
    return op.Invalid("num_scan_inputs and the inputs of the body do not fit the operands");
  const auto states = static_cast<std::size_t>(total - *scanned);
  std::shared_ptr<Graph> sample = NewBody("sample");
  GraphBuilder inner(*sample, inference_, names_);
  inner.set_origin(builder.origin());
  std::vector<Value*> slices;
  std::vector<Type> steps;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Type slice = SliceType(operands[i]->type(), 0);
    slices.push_back(sample->AddInput(inner.UniqueName(operands[i]->name()), slice));
    steps.push_back(i < states ? slice : SliceType(slice, 0));
  }
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> step,
                  LowerLoopBody(*body, scope, std::move(steps), 0, states, 0));
  std::vector<NamedAttribute> over_time = {{"body", Attribute(step)},
                                           {"num_scan_inputs", Attribute(*scanned)}};
  if (directions) over_time.emplace_back("scan_input_directions", Attribute(*directions));
  const std::vector<std::string> names(step->num_outputs(), "step");
  DRAGOMAN_ASSIGN(Node * scan, inner.Append("Scan", slices, std::move(over_time), names));
  for (std::size_t i = 0; i < scan->num_results(); ++i) sample->AddOutput(scan->result(i));
  return AppendWithBodies(node, builder, "Scan", operands,
                          {{"body", Attribute(sample)}, {"num_scan_inputs", Attribute(total)}});
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
  std::shared_ptr<Graph> turn = NewBody(body->name());
  GraphBuilder inner(*turn, inference_, names_);
  inner.set_origin(builder.origin());
  Value* index = turn->AddInput(inner.UniqueName("index"), Type::Tensor(DType::kI64, Shape{}));
  Value* more = turn->AddInput(inner.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
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
  turn->AddOutput(more);
  for (const Use& use : body->outputs()) {
    DRAGOMAN_ASSIGN(Value * made, LookupOutput(use));
    const DType dtype = made->type().dtype();
    Value* before = turn->AddInput(inner.UniqueName("made"), Type::Sequence(Type::Tensor(dtype)));
    DRAGOMAN_ASSIGN(Value * after, inner.Add("SequenceInsert", {before, made}));
    turn->AddOutput(after);
    DRAGOMAN_ASSIGN(Value * empty, builder.Add("SequenceEmpty", {},
                                               {{"dtype", static_cast<std::int64_t>(dtype)}}));
    loop.push_back(empty);
  }
  return AppendWithBodies(node, builder, "Loop", loop, {{"body", Attribute(turn)}});
}

}  // namespace dragoman
