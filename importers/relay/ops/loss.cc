// SPDX-License-Identifier: Apache-2.0
// Losses, which importers of training graphs write.
#include "importers/relay/ops/op_rows.h"

#include "importers/tvm/loss.h"

#include "core/lowering/math.h"

namespace dragoman::relay {
namespace {

Value* LowerNllLoss(Call& c) {
  return tvm::LossOf(c, {.x = c.Tensor(0),
                         .targets = c.Index(1),
                         .weights = c.Tensor(2),
                         .reduction = c.Text("reduction", "mean"),
                         .ignored = c.Int("ignore_index", -100)});
}

// Of probabilities, or their logarithms, and what they should be.
Value* LowerCrossEntropy(Call& c, bool logarithms) {
  Value* x = c.Tensor(0);
  Value* wanted = c.Tensor(1);
  Value* logarithm = logarithms ? x : c.Log(x);
  Value* sum = c.ReduceAll("ReduceSum", c.Mul(logarithm, wanted));
  return c.Neg(c.Div(sum, c.CastLike(c.Size(x, 0), x)));
}

}  // namespace

std::span<const OpRow> LossRows() {
  static constexpr OpRow kRows[] = {
      {"nn.cross_entropy", With<LowerCrossEntropy, false>},
      {"nn.cross_entropy_with_logits", With<LowerCrossEntropy, true>},
      {"nn.nll_loss", LowerNllLoss},
  };
  return kRows;
}

}  // namespace dragoman::relay
