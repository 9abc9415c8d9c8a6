// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/scatter.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// Only numbers and bools can be reduced.
Status CheckReduction(const InferContext& context, rt::ScatterReduction reduction) {
  const DType dtype = context.dtype(0);
  const bool extreme =
      reduction == rt::ScatterReduction::kMax || reduction == rt::ScatterReduction::kMin;
  if (reduction == rt::ScatterReduction::kNone) return {};
  if (dtype == DType::kString || (extreme && IsComplex(dtype)))
    return context.Fail("elements of type " + std::string(Name(dtype)) + " cannot be reduced");
  return {};
}

Status InferScatterElements(InferContext& context) {
  const auto& params = context.params<rt::ScatterElementsParams>();
  DRAGOMAN_TRY(CheckReduction(context, params.reduction));
  if (const Shape* data = context.shape(0))
    DRAGOMAN_TRY(NormalizeAxis(context, params.axis, static_cast<int>(data->size())));
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(
        rt::ScatterElementsShape(params, (*known)[0], (*known)[1], (*known)[2], &output)));
  }
  return SameTypeAsFirst(context);
}

Status InferScatterNd(InferContext& context) {
  const auto& params = context.params<rt::ScatterNdParams>();
  DRAGOMAN_TRY(CheckReduction(context, params.reduction));
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape output;
    DRAGOMAN_TRY(
        context.Check(rt::ScatterNdShape(params, (*known)[0], (*known)[1], (*known)[2], &output)));
  }
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> ScatterOps() {
  return {Op("ScatterElements", {9, 18}, "(data: T, indices: Tind, updates: T) -> (output: T)",
             "T: basic bf16; Tind: index")
              .Attributes<rt::ScatterElementsParams>()
              .Axis(AxisUse::kOfFirst)
              .Infer(InferScatterElements)
              .Sizes({.function = "ScatterElementsShape",
                      .header = "runtime/params/scatter.h",
                      .arguments = "p s0 s1 s2"})
              .Kernel({.header = "runtime/kernels/scatter_elements.h",
                       .types = "T Tind",
                       .fallible = true}),
          Op("ScatterND", {11, 18}, "(data: T, indices: i64, updates: T) -> (output: T)",
             "T: basic bf16")
              .Attributes<rt::ScatterNdParams>()
              .Infer(InferScatterNd)
              .Sizes({.function = "ScatterNdShape",
                      .header = "runtime/params/scatter.h",
                      .arguments = "p s0 s1 s2"})
              .Kernel({.header = "runtime/kernels/scatter_nd.h", .types = "T", .fallible = true})};
}

}  // namespace dragoman
