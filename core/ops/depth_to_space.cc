// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/depth_to_space.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status CheckOperand(const InferContext& context, std::int64_t blocksize) {
  if (context.shape(0)->size() != 4) return context.Fail("the operand is not of rank 4");
  if (blocksize < 1) return context.Fail("the block size is not positive");
  return {};
}

Status InferDepthToSpace(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return {};
  const auto& params = context.params<rt::DepthToSpaceParams>();
  if (const std::optional<rt::Shape> known = ToRuntimeShape(input)) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(rt::DepthToSpaceShape(params, *known, &output)));
    context.SetShape(0, output);
    return {};
  }
  DRAGOMAN_TRY(CheckOperand(context, params.blocksize));
  const Dim block(params.blocksize);
  const Shape& in = *input;
  context.SetShape(0, Shape{in[0], FloorDiv(in[1], block * block), in[2] * block, in[3] * block});
  return {};
}

Status InferSpaceToDepth(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return {};
  const auto& params = context.params<rt::SpaceToDepthParams>();
  if (const std::optional<rt::Shape> known = ToRuntimeShape(input)) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(rt::SpaceToDepthShape(params, *known, &output)));
    context.SetShape(0, output);
    return {};
  }
  DRAGOMAN_TRY(CheckOperand(context, params.blocksize));
  const Dim block(params.blocksize);
  const Shape& in = *input;
  context.SetShape(
      0, Shape{in[0], in[1] * block * block, FloorDiv(in[2], block), FloorDiv(in[3], block)});
  return {};
}

}  // namespace

std::vector<OpDef> DepthToSpaceOps() {
  constexpr KernelBinding kKernel = {.header = "runtime/kernels/depth_to_space.h",
                                     .types = "bits(T)"};
  return {Op("DepthToSpace", {1, 13}, "(input: T) -> (output: T)", "T: basic bf16")
              .Attributes<rt::DepthToSpaceParams>()
              .Required("blocksize")
              .Infer(InferDepthToSpace)
              .Class(OpClass::kMovement)
              .Sizes({.function = "DepthToSpaceShape",
                      .header = "runtime/params/depth_to_space.h",
                      .arguments = "p s0"})
              .Kernel(kKernel),
          Op("SpaceToDepth", {1, 13}, "(input: T) -> (output: T)", "T: basic bf16")
              .Attributes<rt::SpaceToDepthParams>()
              .Required("blocksize")
              .Infer(InferSpaceToDepth)
              .Class(OpClass::kMovement)
              .Sizes({.function = "SpaceToDepthShape",
                      .header = "runtime/params/depth_to_space.h",
                      .arguments = "p s0"})
              .Kernel(kKernel)};
}

}  // namespace dragoman
