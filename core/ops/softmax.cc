// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/softmax.h"

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

OpDef MakeSoftmax(std::string_view type) {
  return Op(type, "(input: T) -> (output: T)", "T: float")
      .Attributes<rt::SoftmaxParams>()
      .Axis(AxisUse::kAlong)
      .Infer(InferSoftmax)
      .Kernel({.header = "runtime/kernels/softmax.h", .types = "T"});
}

}  // namespace

std::vector<OpDef> SoftmaxOps() {
  return {MakeSoftmax("Hardmax"), MakeSoftmax("LogSoftmax"), MakeSoftmax("Softmax")};
}

}  // namespace dragoman
