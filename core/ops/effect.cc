// SPDX-License-Identifier: Apache-2.0
// dragoman.Assert and dragoman.Print. In `message` each {} stands for the next of `data`; what is
// left over follows.
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Status InferAssert(InferContext& context) { return CheckScalar(context, 0); }

}  // namespace

std::vector<OpDef> EffectOps() {
  return {
      DragomanOp("Assert", "(condition: bool, data: V+) -> ()", "V: value")
          .Attribute("message", Attribute::Kind::kString, "")
          .Infer(InferAssert)
          .Effect(),
      DragomanOp("Print", "(data: V?+) -> ()", "V: value")
          .Attribute("message", Attribute::Kind::kString, "")
          .Infer(UnknownShapes)
          .Effect(),
  };
}

}  // namespace dragoman
