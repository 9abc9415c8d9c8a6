// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/softmax.h"

#include "core/ops/axes_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferSoftmax(InferContext& context) {
  if (const Shape* shape = context.shape(0)) {
    const auto rank = static_cast<int>(shape->size());
    if (rank > 0)
      DRAGOMAN_TRY(NormalizeAxis(context, context.params<rt::SoftmaxParams>().axis, rank));
  }
  return SameTypeAsFirst(context);
}

using Values = std::vector<Value*>;

// x − max − log(sum(exp(x − max)))
Result<Values> ExpandLogSoftmax(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::SoftmaxParams>(node));
  if (node.operand(0)->type().rank() == 0)
    return Unsupported("an operand without axes").At(node.Describe());
  DRAGOMAN_ASSIGN(AxesFormula f, FormulaAlong(node, {params.As<rt::SoftmaxParams>().axis}));
  Value* below = f.formula.Add("Sub", {f.x, f.Reduce("ReduceMax", f.x)});
  Value* sum = f.Reduce("ReduceSum", f.formula.Add("Exp", {below}));
  Value* y = f.formula.Add("Sub", {below, f.OfReduced("Log", {sum})});
  return Values{f.formula.Cast(y, node.result()->type())};
}

OpBuilder MakeSoftmax(std::string_view type, OpVersions versions) {
  return Op(type, versions, "(input: T) -> (output: T)", "T: float")
      .Attributes<rt::SoftmaxParams>()
      .Axis(AxisUse::kAlong)
      .Infer(InferSoftmax)
      .Kernel({.header = "runtime/kernels/softmax.h", .types = "T"});
}

}  // namespace

std::vector<OpDef> SoftmaxOps() {
  return {MakeSoftmax("Hardmax", {1, 13}),
          MakeSoftmax("LogSoftmax", {1, 13}).Expand(ExpandLogSoftmax),
          MakeSoftmax("Softmax", {1, 13}).Facts({.has_least = true})};
}

}  // namespace dragoman
