// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/one_hot.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The depth, of any numeric type; unknown if it is not known.
Result<Dim> Depth(const InferContext& context) {
  DRAGOMAN_ASSIGN(Dim integer, ScalarOperand(context, 1));
  const std::optional<std::vector<float>> floats = context.floats(1);
  if (!floats) return integer;
  const float depth = floats->front();
  if (!(depth >= 0 && depth < 9e18f)) return context.Fail("depth is negative or too large");
  return Dim(static_cast<std::int64_t>(depth));
}

Status InferOneHot(InferContext& context) {
  if (const Shape* values = context.shape(2);
      values != nullptr && NumElements(*values).known() && NumElements(*values) != Dim(2)) {
    return context.Fail("values does not hold an off and an on value");
  }
  const Shape* indices = context.shape(0);
  if (indices == nullptr) return {};
  const auto rank = static_cast<int>(indices->size()) + 1;
  const auto& params = context.params<rt::OneHotParams>();
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, rank));
  DRAGOMAN_ASSIGN(Dim depth, Depth(context));
  DRAGOMAN_ASSIGN(Dim size, StatedSize(context, 0, depth));
  Shape output = *indices;
  output.insert(output.begin() + axis, size);
  context.SetShape(0, std::move(output));
  return {};
}

}  // namespace

std::vector<OpDef> OneHotOps() {
  return {Op("OneHot", {9, 11}, "(indices: T1, depth: T2#, values: T3) -> (output: T3)",
             "T1: int f16 f32 f64; T2: int f16 f32 f64; T3: basic")
              .Attributes<rt::OneHotParams>()
              .Infer(InferOneHot)
              .Sizes({.function = "OneHotShape",
                      .header = "runtime/params/one_hot.h",
                      .arguments = "p s0 v1"})
              .Kernel({.header = "runtime/kernels/one_hot.h", .types = "T1 bits(T2) bits(T3)"})};
}

}  // namespace dragoman
