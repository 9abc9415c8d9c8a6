// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/transpose.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status MoveElements(InferContext& context, const rt::TransposeParams& params) {
  const std::optional<SmallTensor> data = SmallOperand(context, 0);
  if (!data) return {};
  rt::Shape shape;
  DRAGOMAN_TRY(context.Check(rt::TransposeShape(params, data->shape, &shape)));
  SetMovedElements(context, 0, shape, [&](const rt::Shape& position) {
    rt::Shape from = data->shape;
    for (int i = 0; i < shape.size(); ++i)
      from[rt::TransposeAxis(params, shape.size(), i)] = position[i];
    return data->At(from);
  });
  return {};
}

Status InferTranspose(InferContext& context) {
  const auto& params = context.params<rt::TransposeParams>();
  const Shape* data = context.shape(0);
  if (data == nullptr) {
    if (!params.perm.empty())
      context.SetShape(0, Shape(static_cast<std::size_t>(params.perm.size())));
    return {};
  }
  const auto rank = static_cast<int>(data->size());
  if (!params.perm.empty() && params.perm.size() != rank)
    return context.Fail("perm is not of the rank");
  Shape transposed;
  std::vector<bool> seen(data->size());
  for (int i = 0; i < rank; ++i) {
    const std::int64_t axis = params.perm.empty() ? rank - 1 - i : params.perm[i];
    if (axis < 0 || axis >= rank) return context.Fail("an axis is out of range");
    const auto from = static_cast<std::size_t>(axis);
    if (seen[from]) return context.Fail("an axis is repeated");
    seen[from] = true;
    transposed.push_back((*data)[from]);
  }
  context.SetShape(0, std::move(transposed));
  return MoveElements(context, params);
}

}  // namespace

std::vector<OpDef> TransposeOps() {
  return {Op("Transpose", {1, 21}, "(data: T) -> (transposed: T)", "T: any")
              .Attributes<rt::TransposeParams>()
              .Infer(InferTranspose)
              .Class(OpClass::kMovement)
              .Sizes({.function = "TransposeShape",
                      .header = "runtime/params/transpose.h",
                      .arguments = "p s0"})
              .Kernel({.header = "runtime/kernels/transpose.h", .types = "bits(T)"})};
}

}  // namespace dragoman
