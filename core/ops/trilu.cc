// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/trilu.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferTrilu(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input != nullptr && input->size() < 2) return context.Fail("the operand is not a matrix");
  if (context.has(1)) DRAGOMAN_TRY(ScalarOperand(context, 1));
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> TriluOps() {
  return {Op("Trilu", {14, 14}, "(input: T, k: i64?) -> (output: T)", "T: basic bf16")
              .Attributes<rt::TriluParams>()
              .Infer(InferTrilu)
              .Kernel({.header = "runtime/kernels/trilu.h", .types = "bits(T)"})};
}

}  // namespace dragoman
