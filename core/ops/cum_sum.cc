// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/cum_sum.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferCumSum(InferContext& context) {
  DRAGOMAN_ASSIGN(Dim axis, ScalarOperand(context, 1));
  if (const Shape* x = context.shape(0); x != nullptr && axis.known())
    DRAGOMAN_TRY(NormalizeAxis(context, axis.value(), static_cast<int>(x->size())));
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> CumSumOps() {
  return {
      Op("CumSum", {11, 14}, "(x: T, axis: T2) -> (y: T)", "T: float i32 i64 u32 u64; T2: index")
          .Attributes<rt::CumSumParams>()
          .Infer(InferCumSum)
          .Kernel({.header = "runtime/kernels/cum_sum.h", .types = "T T2", .fallible = true})};
}

}  // namespace dragoman
