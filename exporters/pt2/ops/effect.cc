// SPDX-License-Identifier: Apache-2.0
// Nodes that give nothing: what the program asserts, and what it prints.
#include "exporters/pt2/ops/op_rows.h"

namespace dragoman::pt2 {
namespace {

Emitted EmitAssert(AtenOp& op) {
  const std::string message = op.String("message", "");
  op.graph.CallForEffect("aten._assert_async.msg",
                         {{"self", op.arg(0)},
                          {"assert_msg", message.empty() ? "an assertion of the model" : message}});
  return Terms();
}

// Programs of torch.export print nothing.
Emitted EmitPrint(AtenOp&) { return Terms(); }

}  // namespace

std::span<const Row> EffectRows() {
  static constexpr Row kRows[] = {
      {"dragoman.Assert", EmitAssert},
      {"dragoman.Print", EmitPrint},
  };
  return kRows;
}

}  // namespace dragoman::pt2
