// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/unique.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Result<Params> FillUnique(const Node& node) {
  DRAGOMAN_ASSIGN(Params filled, FillParams<rt::UniqueParams>(node));
  auto params = filled.As<rt::UniqueParams>();
  params.has_axis = node.attribute("axis") != nullptr;
  return Params::Of(params, ParamsToCpp(params));
}

Status InferUnique(InferContext& context) {
  const auto& params = context.params<rt::UniqueParams>();
  const Shape* x = context.shape(0);
  const Dim count = context.FreshDim(0);
  context.SetShape(1, Shape{count});
  context.SetShape(3, Shape{count});
  context.SetShape(2, Shape{Dim::Unknown()});
  if (!params.has_axis) {
    context.SetShape(0, Shape{count});
    if (x != nullptr) context.SetShape(2, Shape{NumElements(*x)});
    return {};
  }
  if (x == nullptr) return {};
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(x->size())));
  const auto along = static_cast<std::size_t>(axis);
  Shape y = *x;
  y[along] = count;
  context.SetShape(0, std::move(y));
  context.SetShape(2, Shape{(*x)[along]});
  return {};
}

}  // namespace

std::vector<OpDef> UniqueOps() {
  return {Op("Unique", {11, 11},
             "(X: T) -> (Y: T, indices: i64?, inverse_indices: i64?, counts: i64?)", "T: basic")
              .Attribute("axis", Attribute::Kind::kInt)
              .Attribute("sorted", Attribute::Kind::kInt, std::int64_t{1})
              .FillWith(FillUnique)
              .Axis(AxisUse::kOfFirst)
              .Infer(InferUnique)
              .Sizes({.function = "UniqueSizes",
                      .header = "runtime/program/unique_sizes.h",
                      .arguments = "p x0 m",
                      .types = "T",
                      .sizes = 4})
              .Kernel({.header = "runtime/kernels/unique.h", .types = "T", .scratch = true})};
}

}  // namespace dragoman
