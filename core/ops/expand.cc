// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/expand.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferSymbolicExpand(InferContext& context) {
  const std::optional<Elements> stated = ElementsOrUnknown(context, 1);
  const Shape* input = context.shape(0);
  if (!stated || input == nullptr) return {};
  Shape wanted;
  for (const Dim& size : *stated) {
    if (size.known() && size.value() < 0) return context.Fail("a size is " + size.ToString());
    wanted.push_back(size);
  }
  const Shape* const both[] = {input, &wanted};
  Result<std::optional<Shape>> output = BroadcastShapes(both);
  if (!output.ok()) return std::move(output).error().At(context.node().Describe());
  for (Dim& size : **output) {
    if (size.unknown()) size = context.FreshDim(0);
  }
  context.SetShape(0, std::move(*output));
  return {};
}

void ExpandElements(InferContext& context, const rt::Shape& output) {
  const std::optional<SmallTensor> input = SmallOperand(context, 0);
  if (!input) return;
  const int added = output.size() - input->shape.size();
  SetMovedElements(context, 0, output, [&](const rt::Shape& position) {
    rt::Shape from;
    for (int i = 0; i < input->shape.size(); ++i)
      from.push_back(input->shape[i] == 1 ? 0 : position[i + added]);
    return input->At(from);
  });
}

Status InferExpand(InferContext& context) {
  const IntsOperand shape(context, 1);
  const std::optional<rt::Shape> input = ToRuntimeShape(context.shape(0));
  if (!input || !shape.known()) return InferSymbolicExpand(context);
  rt::Shape output;
  DRAGOMAN_TRY(context.Check(rt::ExpandShape(*input, shape.span(), &output)));
  context.SetShape(0, output);
  ExpandElements(context, output);
  return {};
}

}  // namespace

std::vector<OpDef> ExpandOps() {
  return {Op("Expand", {8, 13}, "(input: T, shape: i64#) -> (output: T)", "T: basic bf16")
              .Infer(InferExpand)
              .Class(OpClass::kMovement)
              .Sizes({.function = "ExpandShape",
                      .header = "runtime/params/expand.h",
                      .arguments = "s0 v1"})
              .Kernel({.header = "runtime/kernels/expand.h", .types = "bits(T)"})};
}

}  // namespace dragoman
