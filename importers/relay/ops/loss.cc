// SPDX-License-Identifier: Apache-2.0
// Losses, which importers of training graphs write.
#include "importers/tvm/loss.h"

#include "core/lowering/math.h"
#include "importers/relay/ops/lowerings.h"

namespace dragoman::relay {

Value* LowerNllLoss(Call& c) {
  return tvm::LossOf(c, {.x = c.Tensor(0),
                         .targets = c.Index(1),
                         .weights = c.Tensor(2),
                         .reduction = c.Text("reduction", "mean"),
                         .ignored = c.Int("ignore_index", -100)});
}

// Of probabilities, or their logarithms (target "logits"), and what they should be.
Value* LowerCrossEntropy(Call& c) {
  Value* x = c.Tensor(0);
  Value* wanted = c.Tensor(1);
  Value* logarithm = c.target() == "logits" ? x : c.Log(x);
  Value* sum = c.ReduceAll("ReduceSum", c.Mul(logarithm, wanted));
  return c.Neg(c.Div(sum, c.CastLike(c.Size(x, 0), x)));
}

}  // namespace dragoman::relay
