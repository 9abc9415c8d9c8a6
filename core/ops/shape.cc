// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "runtime/params/shape_of.h"

namespace dragoman {
namespace {

Status InferShape(InferContext& context) {
  const Shape* shape = context.shape(0);
  if (shape == nullptr) {
    context.SetShape(0, Shape{Dim::Unknown()});
    return {};
  }
  const auto& params = context.params<rt::ShapeParams>();
  const auto rank = static_cast<int>(shape->size());
  const int start = rt::ShapeBound(params.start, rank);
  const int end = std::max(start, rt::ShapeBound(params.end, rank));
  context.SetShape(0, Shape{Dim(end - start)});
  context.SetElements(0, Elements(shape->begin() + start, shape->begin() + end));
  return {};
}

Status InferSize(InferContext& context) {
  context.SetShape(0, Shape{});
  if (const Shape* shape = context.shape(0)) context.SetElements(0, {NumElements(*shape)});
  return {};
}

}  // namespace

std::vector<OpDef> ShapeOps() {
  return {
      Op("Shape", {1, 21}, "(data: T) -> (shape: i64)", "T: any")
          .Attributes<rt::ShapeParams>()
          .Infer(InferShape)
          .Sizes({.function = "ShapeOfShape",
                  .header = "runtime/params/shape_of.h",
                  .arguments = "p s0"})
          .Kernel(
              {.header = "runtime/kernels/shape_of.h", .types = "bits(T)", .function = "ShapeOf"}),
      Op("Size", {1, 21}, "(data: T) -> (size: i64)", "T: any")
          .Infer(InferSize)
          .Kernel({.header = "runtime/kernels/size.h", .types = "bits(T)"})};
}

}  // namespace dragoman
