// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/reverse_sequence.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferReverseSequence(InferContext& context) {
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape y;
    DRAGOMAN_TRY(context.Check(rt::ReverseSequenceShape(context.params<rt::ReverseSequenceParams>(),
                                                        (*known)[0], (*known)[1], &y)));
  }
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> ReverseSequenceOps() {
  return {Op("ReverseSequence", {10, 10}, "(input: T, sequence_lens: i64) -> (Y: T)", "T: basic")
              .Attributes<rt::ReverseSequenceParams>()
              .Infer(InferReverseSequence)
              .Class(OpClass::kMovement)
              .Sizes({.function = "ReverseSequenceShape",
                      .header = "runtime/params/reverse_sequence.h",
                      .arguments = "p s0 s1"})
              .Kernel({.header = "runtime/kernels/reverse_sequence.h",
                       .types = "bits(T)",
                       .fallible = true})};
}

}  // namespace dragoman
