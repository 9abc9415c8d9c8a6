// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/compress.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Result<Params> FillCompress(const Node& node) {
  DRAGOMAN_ASSIGN(Params filled, FillParams<rt::CompressParams>(node));
  auto params = filled.As<rt::CompressParams>();
  params.has_axis = node.attribute("axis") != nullptr;
  return Params::Of(params, ParamsToCpp(params));
}

Status InferCompress(InferContext& context) {
  const Shape* condition = context.shape(1);
  if (condition != nullptr && condition->size() != 1)
    return context.Fail("condition is not of rank 1");
  const auto& params = context.params<rt::CompressParams>();
  const Shape* input = context.shape(0);
  if (!params.has_axis) {
    context.SetShape(0, Shape{context.FreshDim(0)});
    return {};
  }
  if (input == nullptr) return {};
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(input->size())));
  Shape output = *input;
  output[static_cast<std::size_t>(axis)] = context.FreshDim(0);
  context.SetShape(0, std::move(output));
  return {};
}

}  // namespace

std::vector<OpDef> CompressOps() {
  return {Op("Compress", {9, 11}, "(input: T, condition: T1) -> (output: T)", "T: basic; T1: bool")
              .Attribute("axis", Attribute::Kind::kInt)
              .FillWith(FillCompress)
              .Axis(AxisUse::kOfFirst)
              .Infer(InferCompress)
              .Class(OpClass::kMovement)
              .Sizes({.function = "CompressSizes",
                      .header = "runtime/program/compress_sizes.h",
                      .arguments = "p x0 x1",
                      .types = "bits(T)"})
              .Kernel({.header = "runtime/kernels/compress.h", .types = "bits(T)"})};
}

}  // namespace dragoman
