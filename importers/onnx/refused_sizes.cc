// SPDX-License-Identifier: Apache-2.0
// Bodies that cannot be computed for the sizes at hand: an error where they are run, which they may
// never be. A model for several sampling rates has a branch for each; for a given input all others
// have impossible sizes.
//
// Only sizes and contents of operands excuse a body. What no size could make right (a missing
// operand, a wrong element type, a cycle) is an error of the file.
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/lowering/composer.h"
#include "core/support/size_budget.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/op_lowering.h"
#include "importers/onnx/ops/domains.h"

namespace dragoman {
namespace {

Result<std::vector<Value*>> Lower(OpLowering& op, std::string_view label, OnnxLowering lowering) {
  if (op.opset > 0 && op.opset < 6) op.Drop("consumed_inputs");
  if (lowering == nullptr) return op.Emit(label);
  DRAGOMAN_ASSIGN(std::vector<Value*> results, lowering(op));
  if (!op.attributes.empty())
    return op.Unsupported("attribute '" + op.attributes.front().name + "' is not known");
  return results;
}

// The type without sizes; a type that is not a tensor's as it is.
Type WithoutSizes(const Type& type) {
  return type.kind() == Type::Kind::kTensor ? Type::Tensor(type.dtype()) : type;
}

// The shape of what a loop without iterations stacks of `slice`. nullopt: the file does not say.
std::optional<std::vector<std::int64_t>> EmptyStack(const Type& slice) {
  if (slice.dtype() == DType::kUnknown || slice.shape() == nullptr) return std::nullopt;
  std::vector<std::int64_t> sizes = {0};
  for (const Dim& size : *slice.shape()) sizes.push_back(size.known() ? size.value() : 0);
  return sizes;
}

}  // namespace

Result<std::vector<Value*>> OnnxGraphLowering::LowerOrCopy(const Node& node, std::string_view label,
                                                           OnnxLowering lowering,
                                                           std::int64_t opset,
                                                           const CallScope& scope,
                                                           GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(OpLowering op, StartLowering(node, opset, scope, builder));
  Result<std::vector<Value*>> results = Lower(op, label, lowering);
  // Outside of bodies no other sizes are of interest.
  if (!results.ok() && depth_ > 1 && results.error().kind() == ErrorKind::kInvalidInput)
    refused_sizes_ = TakesOtherSizes(node, label, lowering, op, scope);
  return results;
}

bool OnnxGraphLowering::TakesOtherSizes(const Node& node, std::string_view label,
                                        OnnxLowering lowering, const OpLowering& refused,
                                        const CallScope& scope) {
  Result<std::vector<NamedAttribute>> attributes = ResolveAttributes(node, scope);
  if (!attributes.ok()) return false;
  Graph graph;
  std::unordered_set<std::string> names;
  GraphBuilder builder(graph, inference_, names);
  std::vector<Value*> operands;
  for (const Value* operand : refused.operands) {
    operands.push_back(operand == nullptr ? nullptr
                                          : graph.AddInput(builder.UniqueName(operand->name()),
                                                           WithoutSizes(operand->type())));
  }
  OpLowering op{node, refused.opset, builder, std::move(operands), std::move(*attributes)};
  const Result<std::vector<Value*>> results = Lower(op, label, lowering);
  inference_.Forget(graph);
  return results.ok() || results.error().kind() == ErrorKind::kUnsupported;
}

Status OnnxGraphLowering::AssertInstead(Value* condition, bool expected, const Error& error,
                                        GraphBuilder& builder) {
  const Finding& finding = error.findings().front();
  Composer c(builder);
  c.Assert(expected ? condition : c.Not(condition),
           finding.place.empty() ? finding.message : finding.place + ": " + finding.message);
  refused_sizes_ = false;
  return c.status();
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerTaken(const Graph& branch,
                                                          const CallScope& scope,
                                                          GraphBuilder& builder) {
  DRAGOMAN_TRY(LowerConstants(branch, builder));
  DRAGOMAN_TRY(LowerNodes(branch, scope, builder));
  std::vector<Value*> results;
  for (const Use& use : branch.outputs()) {
    DRAGOMAN_ASSIGN(Value * result, LookupOutput(use));
    results.push_back(result);
  }
  return results;
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerOnlyBranch(const Graph& branch,
                                                               Value* condition, bool holds,
                                                               const Error& error,
                                                               const CallScope& scope,
                                                               GraphBuilder& builder) {
  if (!refused_sizes_ || error.kind() != ErrorKind::kInvalidInput) return error;
  DRAGOMAN_TRY(TakeSteps(branch.num_nodes() + 1));  // each level of nesting may lower it twice
  DRAGOMAN_TRY(AssertInstead(condition, holds, error, builder));
  return LowerTaken(branch, scope, builder);
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerIdleLoop(const Node& node,
                                                             const std::vector<Value*>& operands,
                                                             const Error& error,
                                                             GraphBuilder& builder) {
  if (!refused_sizes_ || error.kind() != ErrorKind::kInvalidInput) return error;
  const Graph& body = **Body(node, "body");
  Composer c(builder);
  const auto scalar = [&](Value* x) {
    return c.MaybeRank(x) == 0 ? x : c.Reshape(x, std::vector<std::int64_t>{});
  };
  const auto always = [&](Value* x) {
    const std::optional<std::vector<std::int64_t>> ints = builder.KnownInts(x);
    return ints && ints->size() == 1 && ints->front() != 0;
  };
  Value* runs = operands[0] != nullptr ? c.Greater(scalar(operands[0]), 0) : nullptr;
  if (operands[1] != nullptr && !always(operands[1])) {
    Value* starts = scalar(operands[1]);
    runs = runs != nullptr ? c.And(runs, starts) : starts;
  }
  if (c.failed()) return c.status().error();
  const std::optional<std::vector<std::int64_t>> known =
      runs != nullptr ? builder.KnownInts(runs) : std::vector<std::int64_t>{1};
  if (known && known->front() != 0) return error;
  std::vector<Value*> results(operands.begin() + 2, operands.end());
  for (std::size_t i = results.size(); i < node.num_results(); ++i) {
    const Type& slice = body.output(i + 1)->type();
    const std::optional<std::vector<std::int64_t>> sizes = EmptyStack(slice);
    if (!sizes) return error;
    results.push_back(c.Full(c.Ints(*sizes), 0, slice.dtype()));
  }
  if (c.failed()) return c.status().error();
  if (!known) DRAGOMAN_TRY(AssertInstead(runs, false, error, builder));
  refused_sizes_ = false;
  return results;
}

}  // namespace dragoman
