// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/flatten.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferFlatten(InferContext& context) {
  if (context.elements(0)) context.SetElements(0, *context.elements(0));
  context.SetShape(0, Shape(2));
  const Shape* input = context.shape(0);
  if (input == nullptr) return {};
  const auto& params = context.params<rt::FlattenParams>();
  if (const std::optional<rt::Shape> known = ToRuntimeShape(input)) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(rt::FlattenShape(params, *known, &output)));
    context.SetShape(0, output);
    return {};
  }
  const auto rank = static_cast<std::int64_t>(input->size());
  if (params.axis < -rank || params.axis > rank) return context.Fail("an axis is out of range");
  const auto axis = input->begin() + (params.axis < 0 ? params.axis + rank : params.axis);
  context.SetShape(
      0, Shape{NumElements(Shape(input->begin(), axis)), NumElements(Shape(axis, input->end()))});
  return {};
}

}  // namespace

std::vector<OpDef> FlattenOps() {
  return {Op("Flatten", {1, 21}, "(input: T) -> (output: T)", "T: any")
              .Attributes<rt::FlattenParams>()
              .Infer(InferFlatten)
              .Sizes({.function = "FlattenShape",
                      .header = "runtime/params/flatten.h",
                      .arguments = "p s0"})
              .Kernel({.header = "runtime/kernels/copy.h",
                       .types = "bits(T)",
                       .function = "Copy",
                       .copies = true})};
}

}  // namespace dragoman
