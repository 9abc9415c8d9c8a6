// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/grid_sample.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferGridSample(InferContext& context) {
  const Shape* x = context.shape(0);
  const Shape* grid = context.shape(1);
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape y;
    DRAGOMAN_TRY(context.Check(
        rt::GridSampleShape(context.params<rt::GridSampleParams>(), (*known)[0], (*known)[1], &y)));
    context.SetShape(0, y);
    return {};
  }
  if (x == nullptr || grid == nullptr) return {};
  if (x->size() < 3 || grid->size() != x->size()) return context.Fail("the ranks do not fit");
  DRAGOMAN_ASSIGN(Dim batch, SameSize(context, (*x)[0], (*grid)[0]));
  Shape y = {batch, (*x)[1]};
  y.insert(y.end(), grid->begin() + 1, grid->end() - 1);
  context.SetShape(0, std::move(y));
  return {};
}

}  // namespace

std::vector<OpDef> GridSampleOps() {
  return {Op("GridSample", {16, 22}, "(X: T1, grid: T2) -> (Y: T1)",
             "T1: bool number complex; T2: float")
              .Attributes<rt::GridSampleParams>()
              .Infer(InferGridSample)
              .Sizes({.function = "GridSampleShape",
                      .header = "runtime/params/grid_sample.h",
                      .arguments = "p s0 s1"})
              .Kernel({.header = "runtime/kernels/grid_sample.h", .types = "T1 T2"})};
}

}  // namespace dragoman
