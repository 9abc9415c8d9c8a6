// SPDX-License-Identifier: Apache-2.0

#include "core/ir/type_algebra.h"
#include "core/ops/control_flow.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Knowledge Either(const Knowledge& a, const Knowledge& b) {
  Knowledge either;
  either.type = Generalize(a.type, b.type);
  if (a.elements && a.elements == b.elements) either.elements = a.elements;
  return either;
}

// What a branch gives: nothing, where it is never taken and cannot be computed with these sizes.
Result<std::vector<Knowledge>> InferBranch(InferContext& context, Graph& branch, bool taken) {
  Result<std::vector<Knowledge>> outputs = context.InferSubgraph(branch, {});
  if (outputs.ok() || taken) return outputs;
  return std::vector<Knowledge>(context.num_results());
}

Status InferIf(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 0));
  const std::size_t count = context.num_results();
  DRAGOMAN_ASSIGN(Graph * then_branch, BodyOf(context, "then_branch", 0, count));
  DRAGOMAN_ASSIGN(Graph * else_branch, BodyOf(context, "else_branch", 0, count));
  const bool always = IsConstantBool(context.operand(0), true);
  const bool never = IsConstantBool(context.operand(0), false);
  DRAGOMAN_ASSIGN(const std::vector<Knowledge> then_outputs,
                  InferBranch(context, *then_branch, !never));
  DRAGOMAN_ASSIGN(const std::vector<Knowledge> else_outputs,
                  InferBranch(context, *else_branch, !always));
  const std::set<std::string> outer = OuterSymbols(context);
  for (std::size_t i = 0; i < count; ++i) {
    const Knowledge output = always  ? then_outputs[i]
                             : never ? else_outputs[i]
                                     : Either(then_outputs[i], else_outputs[i]);
    context.SetType(i, OuterType(context, i, output.type, outer));
    if (output.elements && KnownElements(*output.elements))
      context.SetElements(i, *output.elements);
  }
  return {};
}

}  // namespace

std::vector<OpDef> IfOps() {
  return {Op("If", {1, 21}, "(cond: bool) -> (outputs: V+)", "V: value")
              .Attribute("else_branch", Attribute::Kind::kGraph)
              .Required("else_branch")
              .Attribute("then_branch", Attribute::Kind::kGraph)
              .Required("then_branch")
              .Infer(InferIf)};
}

}  // namespace dragoman
