// SPDX-License-Identifier: Apache-2.0
// Losses, which importers of training graphs write.
#include "importers/tvm/loss.h"

#include "importers/relax/ops/call.h"

namespace dragoman::tvmscript {
namespace {

Abstract LowerNllLoss(Call& c) {
  tvm::NllLoss loss;
  loss.x = c.X("predictions");
  loss.targets = c.X("targets");
  if (!c.IsNone("weights")) loss.weights = c.X("weights");
  loss.reduction = c.Text("reduction");
  loss.ignored = c.Int("ignore_index");
  if (c.failed()) return Poison();
  loss.targets = c.Cast(loss.targets, DType::kI64);
  return c.NewTensor(tvm::LossOf(c, loss));
}

// Of logarithms of probabilities (images, …), or of one image, and what they should be.
Abstract LowerCrossEntropy(Call& c) {
  Value* x = c.X("predictions");
  Value* wanted = c.X("labels");
  if (c.failed()) return Poison();
  Value* loss = c.Neg(c.ReduceAll("ReduceSum", c.Mul(x, wanted)));
  if (c.Rank(x) > 1) loss = c.Div(loss, c.CastLike(c.Size(x, 0), x));
  return c.NewTensor(loss);
}

}  // namespace

std::span<const LoweringRow> LossRows() {
  static constexpr LoweringRow kRows[] = {
      {"nn.cross_entropy_with_logits", LowerCrossEntropy},
      {"nn.nll_loss", LowerNllLoss},
  };
  return kRows;
}

}  // namespace dragoman::tvmscript
