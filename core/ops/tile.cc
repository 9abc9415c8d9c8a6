// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/tile.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferSymbolicTile(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return {};
  const std::optional<Elements> repeats = ElementsOrUnknown(context, 1);
  if (!repeats) {
    context.SetShape(0, FreshShape(context, 0, input->size()));
    return {};
  }
  if (repeats->size() != input->size()) return context.Fail("repeats is not of the rank");
  Shape output;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const Dim& count = (*repeats)[i];
    if (count.known() && count.value() < 0) return context.Fail("a repeat count is negative");
    const Dim size = (*input)[i] * count;
    output.push_back(size.unknown() ? context.FreshDim(0) : size);
  }
  context.SetShape(0, std::move(output));
  return {};
}

Status InferTile(InferContext& context) {
  const IntsOperand repeats(context, 1);
  const std::optional<rt::Shape> input = ToRuntimeShape(context.shape(0));
  if (!input || !repeats.known()) return InferSymbolicTile(context);
  rt::Shape output;
  DRAGOMAN_TRY(context.Check(rt::TileShape(*input, repeats.span(), &output)));
  context.SetShape(0, output);
  const std::optional<SmallTensor> small = SmallOperand(context, 0);
  if (!small) return {};
  SetMovedElements(context, 0, output, [&](rt::Shape position) {
    for (int i = 0; i < position.size(); ++i) position[i] %= small->shape[i];
    return small->At(position);
  });
  return {};
}

}  // namespace

std::vector<OpDef> TileOps() {
  return {
      Op("Tile", {1, 13}, "(input: T, repeats: i64#) -> (output: T)", "T: basic bf16")
          .Infer(InferTile)
          .Class(OpClass::kMovement)
          .Sizes({.function = "TileShape", .header = "runtime/params/tile.h", .arguments = "s0 v1"})
          .Kernel({.header = "runtime/kernels/tile.h", .types = "bits(T)"})};
}

}  // namespace dragoman
