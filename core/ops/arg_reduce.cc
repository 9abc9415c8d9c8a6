// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/arg_reduce.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferArgReduce(InferContext& context) {
  const Shape* data = context.shape(0);
  if (data == nullptr) return {};
  const auto& params = context.params<rt::ArgReduceParams>();
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(data->size())));
  Shape reduced = *data;
  if (Equal(reduced[static_cast<std::size_t>(axis)], Dim(0)) == Truth::kYes)
    return context.Fail("the reduced axis has size 0");
  if (params.keepdims) {
    reduced[static_cast<std::size_t>(axis)] = Dim(1);
  } else {
    reduced.erase(reduced.begin() + axis);
  }
  context.SetShape(0, std::move(reduced));
  return {};
}

OpDef MakeArgReduce(std::string_view type, OpVersions versions) {
  return Op(type, versions, "(data: T) -> (reduced: i64)", "T: number")
      .Attributes<rt::ArgReduceParams>()
      .Axis(AxisUse::kAlong)
      .Infer(InferArgReduce)
      .Kernel({.header = "runtime/kernels/arg_reduce.h", .types = "T"});
}

}  // namespace

std::vector<OpDef> ArgReduceOps() {
  return {MakeArgReduce("ArgMax", {1, 13}), MakeArgReduce("ArgMin", {1, 13})};
}

}  // namespace dragoman
