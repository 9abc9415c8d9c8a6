// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/top_k.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferTopK(InferContext& context) {
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  const auto& params = context.params<rt::TopKParams>();
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(x->size())));
  const IntsOperand k(context, 1);
  const std::optional<rt::Shape> known = ToRuntimeShape(x);
  if (known && k.known()) {
    rt::Shape values, indices;
    DRAGOMAN_TRY(context.Check(rt::TopKShape(params, *known, k.span(), &values, &indices)));
    context.SetShape(0, values);
    context.SetShape(1, indices);
    return {};
  }
  DRAGOMAN_ASSIGN(Dim count, ScalarOperand(context, 1));
  Shape chosen = *x;
  DRAGOMAN_ASSIGN(chosen[static_cast<std::size_t>(axis)], StatedSize(context, 0, count));
  context.SetShape(0, chosen);
  context.SetShape(1, std::move(chosen));
  return {};
}

}  // namespace

std::vector<OpDef> TopKOps() {
  return {Op("TopK", {1, 11}, "(X: T, K: i64#) -> (Values: T, Indices: i64)", "T: int f16 f32 f64")
              .Attributes<rt::TopKParams>()
              .Axis(AxisUse::kAlong)
              .Infer(InferTopK)
              .Sizes({.function = "TopKShape",
                      .header = "runtime/params/top_k.h",
                      .arguments = "p s0 v1",
                      .sizes = 2})
              .Kernel({.header = "runtime/kernels/top_k.h", .types = "T", .scratch = true})};
}

}  // namespace dragoman
